import assert from 'node:assert/strict'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { setSubaccountStatus } from '../../../src/payments/subaccounts/set-subaccount-status.ts'
import type { SubaccountStatus } from '../../../src/payments/subaccounts/subaccount.ts'
import { BY_HAND } from '../service/actors.ts'
import type { Client, TestService } from '../service/test-service.ts'

/** Makes subaccounts and returns their ids in the order given. */
export async function addSubaccounts(api: Client, ...names: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) {
    const { status, body } = await api.post('/v1/subaccounts', { name })
    assert.equal(status, 201)
    ids.push(body.id)
  }
  return ids
}

/** Each row of a split as `subaccount amount status`. */
export const splitOf = (charge: any): string[] =>
  charge.split.map((row: any) => `${row.subaccount} ${row.amount} ${row.settlement_status}`)

/** The available and pending balance of a subaccount in the mode of the key. */
export async function balanceOfSubaccount(api: Client, id: string): Promise<[number, number]> {
  const [balance, ...others] = (await api.get(`/v1/subaccounts/${id}`)).body.balances
  assert.equal(others.length, 0)
  assert.equal(balance.total, balance.available + balance.pending)
  return [balance.available, balance.pending]
}

/** The merchant's settlements, as sorted texts of `kind amount count subaccount`. */
export async function settlementsOf(api: Client): Promise<string[]> {
  const { data } = (await api.get('/v1/settlements?limit=100')).body
  return data.map((one: any) => `${one.kind} ${one.amount} ${one.charge_count} ${one.subaccount}`).sort()
}

/** Sets the status as the operator's command does. */
export async function setStatus(
  service: TestService,
  merchant: CreatedMerchant,
  { id, status }: { id: string; status: SubaccountStatus },
): Promise<void> {
  const [row] = await service.rows<{ id: string }>('select id from cell_0.merchants where public_id = $1', [
    merchant.id,
  ])
  const { status: now } = await setSubaccountStatus(service.app, BY_HAND, {
    merchantId: Number(row?.id),
    id,
    status,
  })
  assert.equal(now, status)
}
