import assert from 'node:assert/strict'
import { findTerms } from '../../../src/merchants/account/merchant.ts'
import { behindWire } from '../../helpers/database/cut-wire.ts'
import { gate } from '../../helpers/database/gate.ts'
import { BULK, leftAlone } from '../../helpers/database/left-batch.ts'
import { pay, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { availableOf, payer } from '../../helpers/payments/schedules.ts'
import { eventually, newPayer } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test, testFor } from '../../helpers/service/parts.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'

// Keys of requests whose process is gone are answered or freed within a minute, whatever else goes wrong.
const HOUR = 3_600_000
const LEASE_MS = 8000

const service = openedAndVerified(() => startPayingService())
const wire = opened(async () => {
  const behind = await behindWire(service.database)
  return { behind, close: () => behind.proxy.close() }
})
const unlucky = opened(() => startService({ clock: service.clock, database: wire.behind }))

const STARTS: readonly [string, (client: Client, phone: string, key: string) => Promise<Reply>][] = [
  ['charge', (client, phone, key) => client.charge({ customer: { phone } }, { 'idempotency-key': key })],
  ['payout', (client, phone, key) => pay(client, { recipient: { phone } }, { 'idempotency-key': key })],
]
/** Those without an answer that counts: the one of a live charge counts once the charge is shown. */
const runningKeys = (key: string) =>
  service.rows(
    `select 1 from idempotency_keys k left join charges c on c.id = k.object_id
     where k.key = $1 and (k.status is null or not c.published)`,
    [key],
  )
const keysNamed = (key: string) => service.rows('select 1 from idempotency_keys where key = $1', [key])

for (const [what, start] of STARTS)
  testFor(what === 'payout')(
    `M12: the key of a ${what} that hangs is answered by the next run when the clock steps back an hour`,
    async () => {
      const { live } = await richShop(service)
      const phone = newPayer()
      const key = `clock back ${what}`
      const held = gate()
      const submits = service.operator.submits()
      service.operator.onSubmit(() => ({ answer: 'silence', until: held.opened }), phone)
      const hanging = start(live, phone, key)
      await eventually('the operator was asked', () => service.operator.submits() === submits + 1)
      await unlucky.run('finish-keys')
      assert.equal((await runningKeys(key)).length, 1, 'its own request still has it')
      service.pass(-HOUR)
      await unlucky.run('finish-keys')
      assert.equal((await runningKeys(key)).length, 0)
      service.pass(HOUR)
      held.open()
      await hanging
    },
  )

for (const [what, start] of STARTS)
  test(`a ${what} whose key was freed and taken again since the sweep listed it is made once`, async () => {
    const { merchant, live } = await richShop(service)
    const beside = unlucky.client(merchant.keys.live)
    const phone = newPayer()
    const key = `listed ${what}`
    const [refused, taken] = [gate(), gate()]
    const heard = () => service.rail.submitted.filter((attempt) => attempt.phone === phone).length
    service.operator.onSubmit(
      () =>
        heard() === 1
          ? { answer: 'refuse to serve', until: refused.opened }
          : { answer: 'accept', until: taken.opened },
      phone,
    )
    await unlucky.run('finish-keys') // Its connections are open, so that what follows is no matter of seconds.
    const first = start(live, phone, key)
    await eventually('the operator was asked', () => heard() === 1)
    service.pass(31_000)
    const list = wire.behind.proxy.holdNextAnswer(what === 'charge' ? /hidden charges/ : /pout_/)
    const sweeping = unlucky.run('finish-keys')
    await eventually('the sweep has its list', () => list.held())
    refused.open()
    assert.deepEqual([(await first).status, (await keysNamed(key)).length], [what === 'charge' ? 502 : 503, 0])
    const second = start(live, phone, key)
    await eventually('the operator was asked again', () => heard() === 2)
    list.letThrough()
    await sweeping
    assert.equal((await keysNamed(key)).length, 1, 'it is the key of the second request now')
    taken.open()
    const answered = await second
    const replayed = await start(beside, phone, key)
    assert.deepEqual(
      [answered.status, replayed.headers.get('idempotent-replayed'), replayed.text],
      [201, 'true', answered.text],
    )
    assert.equal(heard(), 2)
  })

test('M12: a bulk call whose lease lies an hour ahead, because the clock stepped back, is finished by the next run', async () => {
  const shop = await payer(service, 10_000)
  const payouts = bulkOf(4)
  await leftAlone(service, shop, { payouts, key: 'back', done: 2 })
  service.pass(-HOUR)
  await service.run('finish-bulks')
  service.pass(HOUR)
  const { status, headers, body } = await shop.api.post(BULK, { payouts }, { 'idempotency-key': 'back' })
  assert.deepEqual([status, headers.get('idempotent-replayed'), body.accepted], [200, 'true', 4])
  assert.equal(await availableOf(shop.api), 10_000 - 4 * 1200)
})

test('M12: a worker that loses its connection over one left bulk call finishes all of them in the same run', async () => {
  const shops = await Promise.all(Array.from({ length: 4 }, () => payer(service, 10_000)))
  for (const shop of shops) await leftAlone(service, shop, { payouts: bulkOf(4), key: 'lost', done: 2 })
  service.pass(LEASE_MS + 1000)
  wire.behind.proxy.cutNextTransaction()
  await unlucky.run('finish-bulks')
  assert.equal((await runningKeys('lost')).length, 0)
  for (const shop of shops) assert.equal(await availableOf(shop.api), 10_000 - 4 * 1200)
})

longTest('M12: a run that finds no connection free waits for one, and finishes every key', async () => {
  const { live } = await richShop(service)
  const held = gate()
  const phones = [newPayer(), newPayer(), newPayer()]
  const submits = service.operator.submits()
  for (const phone of phones) service.operator.onSubmit(() => ({ answer: 'silence', until: held.opened }), phone)
  const hanging = phones.map((phone) => pay(live, { recipient: { phone } }, { 'idempotency-key': phone }))
  await eventually('all were asked for', () => service.operator.submits() === submits + phones.length)
  service.pass(31_000)
  const { db } = unlucky.app
  const busy = gate()
  const most = db.pool.options.max
  // As many of each kind as could hold every connection: together they hold what each kind keeps free, the others queue first.
  const holders = (['outcome', 'in', 'out'] as const).flatMap((kind) =>
    Array.from({ length: most }, () =>
      db.transactionFor({ kind, begun: true }, async (tx) => {
        await tx.send(findTerms([0]))
        await busy.opened
        return { value: null }
      }),
    ),
  )
  await eventually('no connection is free', () => db.waiting() === holders.length - most)
  const finishing = unlucky.run('finish-keys')
  await eventually('it waits for a connection', () => db.waiting() > holders.length - most)
  busy.open()
  await Promise.all(holders)
  assert.equal(await finishing, phones.length)
  for (const phone of phones) assert.equal((await runningKeys(phone)).length, 0)
  held.open()
  await Promise.all(hanging)
})

const bulkOf = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ amount: 1000, phone: '256700000000', reference: `r${nth}` }))
