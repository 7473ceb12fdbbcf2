import assert from 'node:assert/strict'
import test from 'node:test'
import { openException } from '../../../src/payments/exceptions/exception.ts'
import { readOpenExceptions, resolveException } from '../../../src/payments/exceptions/resolve-exception.ts'
import { INACTIVE, noAdapter, PAUSED } from '../../api/http/known-refusals.ts'
import { assertRefused, domain, insufficient, invalid, notFound, type Refused } from '../../api/http/refused.ts'
import { fund, payer } from '../../helpers/payments/schedules.ts'
import { addSubaccounts } from '../../helpers/payments/splits.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const env = { RATE_LIMIT_REFUNDS: '0', RATE_LIMIT_SUBACCOUNTS: '0' }
const service = openedAndVerified(() => startService({ env }))
const shop = made(() => payer(service))

const refund = (api: Client, id: string, headers = {}) => api.post(`/v1/charges/${id}/refund`, undefined, headers)
const same = (code: string) => domain(code, code)
const NOT_FOUND = notFound('charge not found')
const WRONG_MODE = domain('mode_mismatch', 'mode_mismatch: this is a test charge - use your sk_test_ key to refund it')

async function charged(api: Client, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await api.charge({ customer: { phone: newPayer() }, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}
async function ended(api: Client, more: Record<string, unknown> = {}): Promise<string> {
  const id = await charged(api, more)
  service.pass(2000)
  await service.run('follow-charges')
  return id
}

/** Refused so, however often, with nothing written in either mode. */
async function assertRefusedWithoutWrites(api: Client, id: string, refusal: Refused) {
  const before = await service.digest()
  for (const headers of [{}, { 'idempotency-key': 'the same' }, { 'idempotency-key': undefined }])
    assertRefused(await refund(api, id, headers), refusal)
  assert.equal(await service.digest(), before, `${refusal.error}: zero writes`)
}

test('a charge that has not succeeded is not refunded', async () => {
  const open = await charged(shop.api)
  await assertRefusedWithoutWrites(shop.api, open, same('cannot_refund_authorized_transaction'))
  const failed = await ended(shop.api, { customer: { phone: '0700000001' } })
  await assertRefusedWithoutWrites(shop.api, failed, same('cannot_refund_failed_transaction'))
})

test('a refunded charge stays refunded, whether or not there is money', async () => {
  const own = await payer(service, 100_000)
  const id = await ended(own.api)
  assert.equal((await refund(own.api, id)).status, 202)
  await assertRefusedWithoutWrites(own.api, id, same('already_refunded'))
  await own.api.post('/v1/payouts', { amount: 90_000, recipient: { phone: newPayer() } })
  await assertRefusedWithoutWrites(own.api, id, same('already_refunded'))
})

test('a split charge is not refunded yet, whatever its shares', async () => {
  const own = await payer(service, 100_000)
  const [farm = ''] = await addSubaccounts(own.api, 'Farm')
  for (const terms of [{ amount: 1000 }, { bps: 10_000 }]) {
    const id = await ended(own.api, { split: [{ subaccount: farm, ...terms }] })
    await assertRefusedWithoutWrites(own.api, id, same('split_charge_refunds_not_yet_supported'))
  }
})

const WRONG_AMOUNTS = [5000, 0, -20_000, 19_999, 20_001, 1e15]
const NO_AMOUNTS = ['20000', 'all', 20_000.5, true, [20_000], {}]

test("an amount that is not the charge's is refused, and so is what is no amount", async () => {
  const own = await payer(service, 100_000)
  const id = await ended(own.api, { amount: 20_000 })
  const withAmount = (amount: unknown) => own.api.post(`/v1/charges/${id}/refund`, { amount })
  const before = await service.digest()
  const only = domain('only_full_refunds', 'only full refunds: amount must be 20000')
  for (const amount of WRONG_AMOUNTS) assertRefused(await withAmount(amount), only, { because: `${amount}` })
  assertRefused(await own.api.post(`/v1/charges/${id}/refund`, '{"amount":1e999}'), only)
  for (const amount of NO_AMOUNTS)
    assertRefused(await withAmount(amount), invalid('amount must be an integer'), { because: `${amount}` })
  assert.equal(await service.digest(), before, 'zero writes')
  const { status, body } = await withAmount(20_000)
  assert.deepEqual([status, body.refund.amount], [202, 20_000])
})

test('no amount, and a body that is no object, refund all of it as ever', async () => {
  const own = await payer(service, 500_000)
  for (const body of ['', '{}', '{"amount":null}', '{"reason":"late"}', '[]', '7', 'null']) {
    const id = await ended(own.api, { amount: 20_000 })
    const reply = await own.api.post(`/v1/charges/${id}/refund`, body)
    assert.deepEqual([reply.status, reply.body.refund.amount], [202, 20_000], body)
  }
})

for (const channel of ['op2_money', 'card'])
  test(`a charge on ${channel} has no way back`, async () => {
    const own = await payer(service, 100_000)
    const id = await ended(own.api, { channel })
    const refusal = noAdapter(channel)
    await assertRefusedWithoutWrites(own.api, id, refusal)
    assert.equal((await own.api.get(`/v1/charges/${id}`)).body.status, 'succeeded')
  })

test('C14 the whole amount and the payout fee must be there before any fee comes back', async () => {
  const own = await payer(service)
  const id = await ended(own.api, { amount: 20_000 })
  await assertRefusedWithoutWrites(own.api, id, insufficient(19_700, [20_000, 300]))
  await fund(service, own, 599)
  await assertRefusedWithoutWrites(own.api, id, insufficient(20_299, [20_000, 300]))
  await fund(service, own, 1)
  assert.equal((await refund(own.api, id)).status, 202)
})

test('money that is held does not count', async () => {
  const own = await payer(service, 5199)
  await service.set(own.merchant, { testHold: 'realistic' })
  const id = await ended(own.api)
  await assertRefusedWithoutWrites(own.api, id, insufficient(5199, [5000, 200]))
})

test('the key of the other mode is told which key it is, and neither ledger moves', async () => {
  const own = await payer(service, 100_000)
  const live = service.client(own.merchant.keys.live)
  for (const id of [await ended(own.api), await charged(own.api), await ended(own.api, { channel: 'card' })])
    await assertRefusedWithoutWrites(live, id, WRONG_MODE)
})

test('of several faults the first in the order of the contract is told, until none is left', async () => {
  const own = await payer(service)
  const live = service.client(own.merchant.keys.live)
  const [farm = ''] = await addSubaccounts(own.api, 'Farm')
  const split = { channel: 'card', split: [{ subaccount: farm, amount: 1 }] }
  const openSplit = await charged(own.api, split)
  await service.set(own.merchant, { active: false, kycStatus: 'pending' })
  await assertRefusedWithoutWrites(own.api, 'txn_nobody', INACTIVE)
  await assertRefusedWithoutWrites(live, openSplit, INACTIVE)
  await service.set(own.merchant, { active: true })
  await assertRefusedWithoutWrites(live, 'txn_nobody', NOT_FOUND)
  await assertRefusedWithoutWrites(live, openSplit, WRONG_MODE)
  await assertRefusedWithoutWrites(own.api, openSplit, same('cannot_refund_authorized_transaction'))
  service.pass(2000)
  await service.run('follow-charges')
  await assertRefusedWithoutWrites(own.api, openSplit, same('split_charge_refunds_not_yet_supported'))
  const { merchantId, tag } = own
  const broken = {
    merchantId,
    tag,
    mode: 'test',
    kind: 'mismatch',
    subject: 'pout_x',
    details: {},
  } as const
  await service.app.db.transaction(async (tx) => {
    await tx.send(...openException(broken, service.clock.now()))
    return { value: null }
  })
  const onCard = await ended(own.api, { channel: 'card' })
  const adapter = noAdapter('card')
  await assertRefusedWithoutWrites(own.api, onCard, adapter)
  await service.set(own.merchant, { testHold: 'realistic' })
  const good = await ended(own.api, { amount: 900_000 })
  await assertRefusedWithoutWrites(own.api, good, PAUSED)
  for (const { id } of await readOpenExceptions(service.app, merchantId))
    await resolveException(service.app, BY_HAND, {
      merchantId,
      id,
      note: 'looked into',
      resolution: 'no_difference',
    })
  assert.equal((await refund(own.api, good)).body.code, 'insufficient_balance')
  await fund(service, own, 905_000)
  assert.equal((await refund(own.api, good)).status, 202)
})
