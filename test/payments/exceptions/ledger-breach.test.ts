import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { reconcileNow } from '../../../src/operations/reconciliation/reconcile.ts'
import { resolveAnyException } from '../../../src/payments/exceptions/any-exception.ts'
import { payNew, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { fund } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'

// Whom a breach of the books stops: the account that the row belongs to, in its mode, and nobody else (G69).
const service = opened(() => startPayingService())

type Open = { merchant: string; mode: string; kind: string; severity: string; subject: string }
const openOf = ({ merchant }: Shop) =>
  service.rows<Open>(
    `select e.mode, e.kind, e.severity, e.subject from exceptions e join merchants m on m.id = e.merchant_id
     where m.public_id = $1 and e.closed_at is null order by e.subject`,
    [merchant.id],
  )
const numberOf = async ({ merchant }: Shop) =>
  (await service.rows<{ id: number }>('select id from merchants where public_id = $1', [merchant.id]))[0]?.id
const ofNobody = () => service.rows('select subject from directory.platform_exceptions where closed_at is null')
const reconcile = async () => {
  const [internal] = await reconcileNow(service.gateway, BY_HAND)
  assert.equal(internal?.leg, 'internal')
  return internal
}
const setHead = ({ merchant }: Shop, mode: string, change: string) =>
  service.rows(
    `update ledger_heads set ${change} where mode = $2 and merchant_id = (select id from merchants where public_id = $1)`,
    [merchant.id, mode],
  )
const paysOut = async ({ live }: Shop, amount = 1000) => (await payNew(live, { amount })).status
const paysInTest = async ({ test }: Shop) => (await payNew(test, { amount: 1000 })).status
async function fundTest({ merchant, test: api }: Shop): Promise<void> {
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  await fund(service, { merchant, merchantId: row.id, tag: row.tag, api }, 100_000)
}

test('a head raised by 300,000 pauses the payouts of that account in that mode before more than it owns has left', async () => {
  const shop = await richShop(service)
  const beside = await richShop(service)
  await fundTest(shop)
  await setHead(shop, 'live', 'available = available + 300000')
  const leg = await reconcile()
  const subject = `L2 merchant ${await numberOf(shop)} live: available 300000, pending 0, in_flight 0`
  assert.deepEqual(await openOf(shop), [{ mode: 'live', kind: 'ledger_breach', severity: 'critical', subject }])
  assert.deepEqual([leg.lookedAt - leg.agreed, leg.opened, leg.left], [1, 1, 0])
  assert.deepEqual(await ofNobody(), [])
  const refused = await payNew(shop.live, { amount: 700_000 })
  assert.equal(refused.status, 400, refused.text)
  assert.match(refused.text, /paused on this account/)
  assert.equal(await paysInTest(shop), 201)
  assert.equal(await paysOut(beside), 201)
  const again = await reconcile()
  assert.deepEqual([again.opened, (await openOf(shop)).length], [0, 1], 'a repeat opens nothing')
  await setHead(shop, 'live', 'available = available - 300000')
})

test('a resolved breach that is still there pauses again, as it has not gone', async () => {
  const shop = await richShop(service)
  await setHead(shop, 'live', 'available = available + 7')
  await reconcile()
  const [breach] = await service.rows<{ id: string }>(
    `select e.id from exceptions e join merchants m on m.id = e.merchant_id where m.public_id = $1 and e.closed_at is null`,
    [shop.merchant.id],
  )
  const note = { id: breach?.id ?? '', note: 'looked at', resolution: 'no_difference' } as const
  await resolveAnyException(service.gateway, BY_HAND, note)
  assert.equal(await paysOut(shop), 201)
  await setHead(shop, 'live', 'available = available + 0')
  await reconcile()
  assert.equal(await paysOut(shop), 400)
  await setHead(shop, 'live', 'available = available - 7')
})

test('a breach of test money pauses the payouts of test mode and lets live money go on', async () => {
  const shop = await richShop(service)
  await fundTest(shop)
  const { body } = await shop.test.charge()
  service.pass(3000)
  await service.run('follow-charges')
  const moved = await service.rows(
    `update charges set completed_at = (completed_at at time zone 'UTC' - interval '1 minute') at time zone 'UTC' where id = $1 returning id`,
    [body.id],
  )
  assert.equal(moved.length, 1)
  await reconcile()
  const open = await openOf(shop)
  assert.deepEqual([...new Set(open.map(({ mode }) => mode))], ['test'])
  assert.ok(open.some(({ subject }) => subject === `C1 ${body.id}`))
  assert.equal(await paysInTest(shop), 400)
  assert.equal(await paysOut(shop), 201)
})

test("a key of one merchant that reads like another's charge hurts neither, however long it runs", async () => {
  const shop = await richShop(service)
  const victim = await richShop(service)
  const { body } = await victim.live.charge({ amount: 5000, customer: { phone: newPayer() } })
  const begun = { 'idempotency-key': body.id }
  assert.equal((await payNew(shop.live, { amount: 1000 }, begun)).status, 201)
  await service.rows(
    `update idempotency_keys set status = null, body = null, created_at = (created_at at time zone 'UTC' - interval '2 minutes') at time zone 'UTC' where key = $1`,
    [body.id],
  )
  await reconcile()
  assert.deepEqual([await openOf(victim), await openOf(shop)], [[], []])
  assert.deepEqual([await paysOut(victim), await paysOut(shop)], [201, 201])
})
