import assert from 'node:assert/strict'
import test from 'node:test'
import { serviceActor } from '../../../src/api/access/actor.ts'
import { recordFloat } from '../../../src/operations/reconciliation/float-records.ts'
import type { Leg } from '../../../src/operations/reconciliation/leg.ts'
import { reconcileNow } from '../../../src/operations/reconciliation/reconcile.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../../helpers/payments/following-payouts.ts'
import { pay } from '../../helpers/payments/payouts.ts'
import {
  openOf as openExceptionsOf,
  platformOpen as openOfPlatform,
  paidBy,
} from '../../helpers/payments/reconciling.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'

// Our books against the operator's, both ways (rails.md 5).
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const service = openedAndVerified(() =>
  startOp1Service({ entry: { breaker: ONLY_BY_TEST }, env: { LIVE_HOLD_HOURS: '0' } }),
)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const openOf = (subject: string) => openExceptionsOf(service, subject)
const platformOpen = () => openOfPlatform(service)
const paid = () => paidBy(service)
const legOf = (legs: readonly Leg[], name: Leg['leg']) => legs.find(({ leg }) => leg === name) as Leg
/** Later than what was just made is too young for another look. */
const reconcile = async () => {
  service.pass(16 * MINUTE)
  return reconcileNow(service.gateway, BY_HAND)
}

const isPaused = async ({ live }: Shop) =>
  /paused on this account/.test((await pay(live, { recipient: { phone: newPayer() } })).text)

test('what agrees is looked at once; wallets agree with what moved', async () => {
  await reconcile()
  const { shop } = await paid()
  const out = (await pay(shop.live, { amount: 10_000, recipient: { phone: newPayer() } })).body
  await service.emulator.resolve(out.rail_reference, { status: 'SUCCESSFUL' })
  await sendUntilEnded(service, out.id)
  const legs = await reconcile()
  assert.deepEqual(
    [legOf(legs, 'references').lookedAt, legOf(legs, 'references').agreed, legOf(legs, 'references').opened],
    [2, 2, 0],
  )
  assert.deepEqual([legOf(legs, 'float').lookedAt, legOf(legs, 'float').agreed], [2, 2])
  assert.equal(legOf(legs, 'internal').agreed, legOf(legs, 'internal').lookedAt)
  assert.equal(legOf(await reconcile(), 'references').lookedAt, 0, 'not asked again')
})

test('a payment that the operator reverses after the end: state and ledger stay, payouts of that account pause', async () => {
  const { shop, id, reference } = await paid()
  const [transaction] = service.emulator.transactions({ reference })
  assert.ok(transaction)
  transaction.status = 'FAILED'
  transaction.reason = 'EXPIRED'
  const leg = legOf(await reconcile(), 'references')
  assert.equal(leg.opened, 1)
  assert.deepEqual(
    (await openOf(id)).map(({ kind, severity }) => [kind, severity]),
    [['late_contradiction', 'critical']],
  )
  assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'succeeded')
  assert.ok(await isPaused(shop))
  transaction.status = 'SUCCESSFUL'
})

test('a payment that the operator reverses days after the first look is found by the sample', async () => {
  const { id, reference } = await paid()
  await reconcile()
  const [transaction] = service.emulator.transactions({ reference })
  assert.ok(transaction)
  transaction.status = 'FAILED'
  transaction.reason = 'EXPIRED'
  await reconcile()
  assert.deepEqual(await openOf(id), [], 'it has been looked at today')
  service.pass(DAY)
  await reconcile()
  assert.deepEqual(
    (await openOf(id)).map(({ kind }) => kind),
    ['late_contradiction'],
  )
  transaction.status = 'SUCCESSFUL'
})

test('a payment that the operator answered ten days late is looked at again as well, and its reversal is found', async () => {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  service.pass(10 * DAY)
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  const before = legOf(await reconcile(), 'references')
  assert.deepEqual([before.lookedAt, before.left], [1, 0])
  const [transaction] = service.emulator.transactions({ reference: body.rail_reference })
  assert.ok(transaction)
  transaction.status = 'FAILED'
  transaction.reason = 'EXPIRED'
  service.pass(DAY + HOUR)
  assert.equal(legOf(await reconcile(), 'references').opened, 1)
  assert.deepEqual(
    (await openOf(body.id)).map(({ kind }) => kind),
    ['late_contradiction'],
  )
  transaction.status = 'SUCCESSFUL'
})

test('a success that the operator does not know: three looks over a day, then it is ours only', async () => {
  const { shop, id, reference } = await paid()
  const [kept] = service.emulator.transactions({ reference })
  assert.ok(kept)
  kept.rule = { ...kept.rule, statusLagMs: 100 * DAY }
  for (let look = 0; look < 3; look += 1) {
    await reconcile()
    assert.deepEqual(await openOf(id), [], `look ${look + 1}`)
    service.pass(look < 2 ? 9 * HOUR : 9 * HOUR)
  }
  await reconcile()
  assert.deepEqual(
    (await openOf(id)).map(({ kind }) => kind),
    ['ours_only'],
  )
  assert.ok(await isPaused(shop))
  kept.rule = null
})

test('a movement without an answer for a day is a case for a person, without a pause, and its answer closes it', async () => {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  service.pass(DAY + HOUR)
  await service.run('follow-charges')
  await reconcile()
  assert.deepEqual(
    (await openOf(body.id)).map(({ kind, severity }) => [kind, severity]),
    [['unresolved', 'major']],
  )
  await reconcile()
  assert.equal((await openOf(body.id)).length, 1, 'once')
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  await reconcile()
  assert.deepEqual(await openOf(body.id), [])
})

test('a wallet that lost money: two looks open float_drift, and a recorded sweep explains it', async () => {
  await reconcile()
  service.emulator.setWallet('collection', (service.emulator.wallets().collection ?? 0) - 70_000)
  await reconcile()
  assert.equal((await platformOpen()).filter(({ kind }) => kind === 'float_drift').length, 0, 'once is not enough')
  await reconcile()
  assert.deepEqual(
    (await platformOpen()).filter(({ kind }) => kind === 'float_drift').map(({ subject }) => subject),
    ['ug-1 collect'],
  )
  const sweep = {
    installation: 'ug-1',
    side: 'collect',
    kind: 'sweep',
    amount: 70_000,
    note: 'to the bank',
  } as const
  await recordFloat(service.gateway, serviceActor('test'), sweep)
  await reconcile()
  service.pass(2 * HOUR)
  await reconcile()
  assert.deepEqual(
    (await platformOpen()).filter(({ kind }) => kind === 'float_drift'),
    [],
  )
})
