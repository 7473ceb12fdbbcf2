import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { openException } from '../../../src/payments/exceptions/exception.ts'
import type { LiveService } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'
import type { Browser } from '../web/browser.ts'
import { operatorSignedIn, type PlantedOperator } from '../web/console.ts'
import { mainOf } from '../web/dashboard.ts'
import { richShop } from './payouts.ts'

// The parts of tests about what takes two operators.
export const FUNDS = 50_000

/** A shop whose live payouts wait for an exception about a movement of it. */
export async function contradicted(service: LiveService, funds = FUNDS) {
  const shop = await richShop(service, funds)
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const { id: merchantId, tag } = merchant
  const subject = `txn_${tag}${'b'.repeat(16)}`
  const found = { merchantId, tag, mode: 'live', kind: 'late_contradiction', subject } as const
  const calls = openException({ ...found, details: { rail_said: 'succeeded' } }, service.clock.now())
  await service.app.db.transaction(async (tx) => ({ value: await tx.send(...calls) }))
  const [row] = await service.rows<{ id: string }>('select id from exceptions where merchant_id = $1', [merchantId])
  assert.ok(row)
  return { ...shop, merchantId, subject, exception: row.id }
}

export const ADJUSTMENT = {
  ...{ direction: 'in', amount: '12,500', against: 'rail', told: 'Paid on Monday after all' },
  ...{ reason: 'statement of Monday, line 7', resolve: 'yes' },
}

/** Sends the form of an exception by which a correction is asked for. Answers the path of its approval. */
export async function askFor(by: Browser, exception: string, more: Record<string, string> = {}): Promise<string> {
  const page = await by.get(`/console/reconciliation/exceptions/${exception}`)
  const sent = await by.send(page, '/adjust', { ...ADJUSTMENT, ...more })
  assert.equal(sent.status, 303, mainOf(sent))
  return sent.location
}
export const idIn = (path: string) => path.split('/').at(-1) ?? ''
export const stateOf = async (service: TestService, path: string) =>
  (
    await service.rows<{ status: string; refused: string | null }>(
      `select status, refused from approvals where id = $1 union all select status, refused from directory.approvals where id = $1`,
      [idIn(path)],
    )
  )[0]
export const correctionsOf = (service: TestService, merchantId: number) =>
  service.rows<{ kind: string; debit: string; credit: string; amount: string }>(
    `select kind, debit, credit, amount::int from transfers where merchant_id = $1 and kind like 'correction%' order by seq`,
    [merchantId],
  )
export const approved = async (by: Browser, path: string) => by.send(await by.get(path), '/approve')
export const pair = async (service: TestService): Promise<[PlantedOperator, PlantedOperator]> => [
  await operatorSignedIn(service, 'finance'),
  await operatorSignedIn(service, 'admin'),
]

/** What a form of this browser carries, whichever it is. */
export async function tokenOf(by: Browser): Promise<{ csrf: string }> {
  const page = await by.get('/console/freeze')
  const { csrf = '' } = page.forms.find(({ fields }) => fields.csrf !== undefined)?.fields ?? {}
  return { csrf }
}
