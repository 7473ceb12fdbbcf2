import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import pg from 'pg'
import { findKeys } from '../../../src/api/idempotency/keys.ts'
import { finishOrphans } from '../../../src/api/idempotency/orphans.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { holdTable } from '../../helpers/database/cell-server.ts'
import { pay, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { eventually, type LiveService, newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { longTest, test } from '../../helpers/service/parts.ts'

// Keys whose process died between storing and answering; another transaction holds the row of the oldest one.
let service: LiveService
let shop: Shop
let holder: pg.Client
before(async () => {
  service = await startPayingService()
  shop = await richShop(service)
  holder = new pg.Client({ connectionString: service.database.url, options: '-c search_path=cell_0' })
  await holder.connect()
})
after(async () => {
  await holder.end()
  await service.verify()
  await service.close()
})

/** As if its process had died before it answered. */
const orphan = (key: string) =>
  service.rows('update idempotency_keys set status = null, body = null where key = $1', [key])
const answered = async (key: string) =>
  (await service.rows<{ status: number | null }>('select status from idempotency_keys where key = $1', [key]))[0]
    ?.status ?? null

longTest('S4: a key that cannot be finished stops neither others of its kind nor those of other kinds', async () => {
  const charge = async (key: string) =>
    (await shop.live.charge({ customer: { phone: newPayer() } }, { 'idempotency-key': key })).body
  const first = await charge('held')
  await charge('behind it')
  const payout = await pay(shop.live, { recipient: { phone: newPayer() } }, { 'idempotency-key': 'of a payout' })
  assert.equal(payout.status, 201)
  for (const key of ['held', 'behind it', 'of a payout']) await orphan(key)
  service.pass(31_000)
  await holder.query('begin')
  await holder.query('select 1 from charges where id = $1 for update', [first.id])
  const ran = await service.run('finish-keys').catch((error) => error)
  await holder.query('rollback')
  assert.deepEqual([await answered('behind it'), await answered('of a payout')], [201, 201])
  assert.equal(ran, 2)
  assert.equal(await answered('held'), null)
  assert.equal(await service.run('finish-keys'), 1)
  assert.equal(await answered('held'), 201)
})

longTest('S4: hundreds of keys that cannot be finished do not stop younger ones from being finished', async () => {
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await service.rows(
    `insert into idempotency_keys (merchant_id, mode, key, fingerprint, object_id, created_at)
     select $1, 'test', 'many ' || n, sha256('x'), 'odd_' || case when n <= 450 then 'bad' else 'good' end,
       $2::timestamptz + n * interval '1 millisecond' from generate_series(1, 460) n`,
    [merchant.id, service.clock.now()],
  )
  service.pass(60_000)
  const finished = await finishOrphans(service.app, {
    prefix: 'odd_',
    afterMs: 30_000,
    async decide(tx, one) {
      await tx.send(findKeys([one]))
      if (one.objectId === 'odd_bad') throw new Error('this one cannot be finished')
      return { answer: { status: 400, body: '{}' } }
    },
  })
  assert.equal(finished, 10)
  const open = await service.rows(`select 1 from idempotency_keys where status is null and object_id = 'odd_good'`)
  assert.equal(open.length, 0)
  await service.rows(`delete from idempotency_keys where object_id like 'odd%'`)
})

test('S4: when one kind fails completely the others are finished', async () => {
  const body = (await shop.live.charge({ customer: { phone: newPayer() } }, { 'idempotency-key': 'a charge' })).body
  const payout = await pay(shop.live, { recipient: { phone: newPayer() } }, { 'idempotency-key': 'a payout' })
  assert.equal(payout.status, 201)
  await orphan('a charge')
  await orphan('a payout')
  service.pass(31_000)
  const charges = await holdTable(service, 'charges')
  const failing = service.run('finish-keys').catch(() => 'told')
  await eventually('the payout is answered', async () => (await answered('a payout')) === 201)
  await charges.letGo()
  await failing
  await service.run('finish-keys')
  assert.equal(await answered('a charge'), 201, body.id)
})
