import assert from 'node:assert/strict'
import test from 'node:test'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed, setMerchant } from '../../../src/merchants/account/set-merchant.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

// Many events that wait for an address, and their release and parking when it is set and removed.
const A_STEP = 1000
const MANY = 3 * A_STEP + 500
const SETTLED_AFTER_MS = 301_000

const receiver = opened(() => startReceiver())
const service = opened(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))

type Shop = { merchant: CreatedMerchant; merchantId: number }

/** A merchant with this many waiting events, each a second younger than the one before, stored in any order. */
async function shopWithParked(count: number): Promise<Shop> {
  const merchant = await service.merchant()
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  await service.rows(
    `insert into deliveries (merchant_id, event_id, mode, event, created_at)
     select $1, 'evt_' || md5(n::text), 'test', 'charge.succeeded', $3::timestamptz - n * interval '1 second' from generate_series(1, $2::int) n`,
    [row.id, count, service.clock.now().toISOString()],
  )
  return { merchant, merchantId: row.id }
}

/** As the command line does it: the address is stored, and the background task finds it by looking. */
async function address({ merchant }: Shop, webhookUrl: string | null): Promise<void> {
  const found = await getMerchantNamed(service.gateway, merchant.id)
  await setMerchant(found.app, BY_HAND, { merchant: found.merchant, change: { webhookUrl } })
}

async function parkedOf({ merchantId }: Shop): Promise<number> {
  const [row] = await service.rows<{ count: number }>(
    `select count(*)::int as count from deliveries where merchant_id = $1 and status = 'pending' and next_attempt_at is null`,
    [merchantId],
  )
  return row?.count ?? -1
}

async function isMarked({ merchantId }: Shop): Promise<boolean> {
  const [row] = await service.rows<{ marked: boolean }>(
    'select webhook_changed_at is not null as marked from merchants where id = $1',
    [merchantId],
  )
  return row?.marked === true
}

test('S2: many parked events are released in steps, the oldest first, and other merchants do not wait behind them', async () => {
  const [large, small] = [await shopWithParked(MANY), await shopWithParked(7)]
  await address(large, receiver.url)
  await address(small, receiver.url)
  service.pass(SETTLED_AFTER_MS)
  for (let left = MANY - A_STEP; left > 0; left -= A_STEP) {
    assert.ok((await service.run('tend-addresses')) >= A_STEP)
    assert.deepEqual([await parkedOf(large), await parkedOf(small)], [left, 0])
    assert.ok(await isMarked(large), 'it is looked at again')
    const [order] = await service.rows<{ right: boolean }>(
      `select max(created_at) filter (where next_attempt_at is not null) < min(created_at) filter (where next_attempt_at is null) as right
       from deliveries where merchant_id = $1`,
      [large.merchantId],
    )
    assert.equal(order?.right, true, 'what still waits came to be later')
  }
  await service.run('tend-addresses')
  assert.equal(await parkedOf(large), 0)
  assert.deepEqual([await isMarked(large), await isMarked(small)], [false, false])
})

test('S2: an address that is removed parks its events in steps too', async () => {
  const shop = await shopWithParked(A_STEP + 200)
  await address(shop, receiver.url)
  while ((await service.run('tend-addresses')) > 0);
  await address(shop, null)
  assert.equal(await service.run('tend-addresses'), A_STEP)
  assert.equal(await parkedOf(shop), A_STEP)
  assert.equal(await service.run('tend-addresses'), 200)
  assert.equal(await parkedOf(shop), A_STEP + 200)
})

test('S2: a delivery whose sender died is parked too, once its claim is over', async () => {
  const shop = await shopWithParked(2)
  await address(shop, receiver.url)
  assert.equal(await service.run('tend-addresses'), 2)
  await service.rows(
    `update deliveries set lease_until = $2, lease_token = 'gone'
     where merchant_id = $1 and event_id = (select min(event_id) from deliveries where merchant_id = $1)`,
    [shop.merchantId, new Date(service.clock.nowMs() + 15_000).toISOString()],
  )
  await address(shop, null)
  await service.run('tend-addresses')
  assert.equal(await parkedOf(shop), 1, 'one may be under way')
  service.pass(15_000)
  await service.run('tend-addresses')
  assert.equal(await parkedOf(shop), 2)
  assert.deepEqual(
    await service.rows('select 1 from deliveries where merchant_id = $1 and lease_until is not null', [
      shop.merchantId,
    ]),
    [],
  )
})

test('S2: a merchant whose deliveries cannot be written delays nobody else, and is tried again', async () => {
  const [broken, well] = [await shopWithParked(3), await shopWithParked(3)]
  await service.rows(
    `create function refuse_deliveries() returns trigger language plpgsql as $$ begin raise exception 'planted'; end $$`,
  )
  await service.rows(
    `create trigger planted before update on deliveries for each row when (new.merchant_id = ${broken.merchantId}) execute function refuse_deliveries()`,
  )
  await address(broken, receiver.url)
  await address(well, receiver.url)
  assert.equal(await service.run('tend-addresses'), 3)
  assert.deepEqual([await parkedOf(broken), await parkedOf(well)], [3, 0])
  await service.rows('drop trigger planted on deliveries')
  assert.equal(await service.run('tend-addresses'), 3)
  assert.equal(await parkedOf(broken), 0)
})
