import assert from 'node:assert/strict'
import { addTestFunds } from '../../../src/ledger/test-funds.ts'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { BY_HAND } from '../service/actors.ts'
import type { Client, Reply, TestService } from '../service/test-service.ts'

/** A merchant that makes payouts, with its test key. */
export type Payer = { merchant: CreatedMerchant; merchantId: number; tag: string; api: Client }

export const SCHEDULES = '/v1/scheduled-payouts'
/** A valid schedule: 5000 to one person, which costs 5200 with the fee. */
export const SCHEDULE = { amount: 5000, interval: 'monthly', recipients: [{ phone: '0700000000' }] }

export async function payer(service: TestService, funds = 0): Promise<Payer> {
  const merchant = await service.merchant({ verified: true })
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  const found = {
    merchant,
    merchantId: row.id,
    tag: row.tag,
    api: service.client(merchant.keys.test),
  }
  if (funds > 0) await fund(service, found, funds)
  return found
}

export const fund = (service: TestService, { merchantId, tag }: Payer, amount: number) =>
  addTestFunds(service.app, BY_HAND, { holder: { merchantId, tag }, amount, key: undefined })

/** Posts the valid schedule with these differences. */
export const plan = (api: Client, difference: object = {}, headers: Record<string, string> = {}) =>
  api.post(SCHEDULES, { ...SCHEDULE, ...difference }, headers)

/** Posts a schedule that must be accepted, and returns it. */
export async function planned(api: Client, difference: object = {}): Promise<Reply['body']> {
  const { status, body } = await plan(api, difference)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

export const change = (api: Client, id: string, what: 'pause' | 'resume' | 'cancel') =>
  api.post(`${SCHEDULES}/${id}/${what}`)

export const scheduleOf = async (api: Client, id: string): Promise<Reply['body']> =>
  (await api.get(`${SCHEDULES}/${id}`)).body

export const availableOf = async (api: Client): Promise<number> =>
  (await api.get('/v1/balance')).body.balances[0].available

/** Sends payouts and asks about them until nothing is due. */
export async function sendAll(service: TestService): Promise<void> {
  while ((await service.run('send-payouts')) > 0);
  service.pass(2000)
  while ((await service.run('send-payouts')) > 0);
}
