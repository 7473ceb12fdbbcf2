import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { kampalaDay } from '../../../src/platform/time/kampala.ts'
import { TALLIED_AT_ONCE } from '../../../src/reports/tallies/tally-days.ts'
import { made, opened, openedAndVerified, prepare } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const service = openedAndVerified(() => startService())
const busy = made(() => service.merchant())
const idle = made(() => service.merchant())
// Some hours into a day, so that neither the night before nor the next one is near.
prepare(async () => {
  const sinceMidnight = (service.clock.nowMs() + 3 * 60 * MINUTE_MS) % DAY_MS
  service.pass(DAY_MS - sinceMidnight + 8 * 60 * MINUTE_MS)
  await service.run('tally-days')
})

/** When the days of this shop's test mode were counted last, in ms. */
async function countedAt({ id }: CreatedMerchant): Promise<number> {
  const [mark] = await service.rows<{ at: Date }>(
    `select t.counted_at as at from tally_marks t join merchants m on m.id = t.merchant_id
     where m.public_id = $1 and t.mode = 'test'`,
    [id],
  )
  return mark?.at.getTime() ?? 0
}

/** What the tallies of this shop's days say, the oldest first. */
const daysOf = ({ id }: CreatedMerchant) =>
  service.rows<{ day: string; succeeded: number; failed: number }>(
    `select t.day::text as day, t.succeeded, t.failed from day_tallies t join merchants m on m.id = t.merchant_id
     where m.public_id = $1 and t.mode = 'test' order by t.day`,
    [id],
  )

const pass = (minutes: number) => service.pass(minutes * MINUTE_MS)

test('a charge that ends minutes after its day was counted is counted within a minute', async () => {
  const client = service.client(busy.keys.test)
  for (const phone of ['0700000000', '0700000001']) await client.charge({ customer: { phone } })
  pass(2)
  assert.equal(await service.run('tally-days'), 0, 'nothing has ended')
  assert.deepEqual(await daysOf(busy), [])
  pass(9)
  await service.run('follow-charges')
  assert.equal(await service.run('tally-days'), 1)
  assert.deepEqual(await daysOf(busy), [{ day: kampalaDay(service.clock.now()), succeeded: 1, failed: 1 }])
})

test('a charge that fails is counted like one that succeeds', async () => {
  await service.client(busy.keys.test).charge({ customer: { phone: '0700000001' } })
  pass(11)
  await service.run('follow-charges')
  await service.run('tally-days')
  const [today] = await daysOf(busy)
  assert.deepEqual([today?.succeeded, today?.failed], [1, 2])
})

test('an account in which nothing happens is not counted again, neither the same day nor the next days', async () => {
  pass(2)
  await service.run('tally-days')
  const before = await Promise.all([countedAt(busy), countedAt(idle)])
  for (const minutes of [2, 2, 60, 300]) {
    pass(minutes)
    assert.equal(await service.run('tally-days'), 0)
  }
  pass(24 * 60)
  assert.equal(await service.run('tally-days'), 1, 'the last week of the account that had charges, once')
  pass(2)
  assert.equal(await service.run('tally-days'), 0)
  const [counted, never] = await Promise.all([countedAt(busy), countedAt(idle)])
  assert.ok(counted > Number(before[0]))
  assert.equal(never, before[1])
})

test('a charge that ends on a day after its own is on its own day by the next morning', async () => {
  const late = await service.merchant()
  await service.client(late.keys.test).charge({})
  const day = kampalaDay(service.clock.now())
  service.pass(3 * DAY_MS)
  await service.run('tally-days')
  pass(2)
  await service.run('follow-charges')
  await service.run('tally-days')
  service.pass(DAY_MS)
  await service.run('tally-days')
  assert.deepEqual(await daysOf(late), [{ day, succeeded: 1, failed: 0 }])
  const owner = await signedInAs(service, late)
  assert.match(mainOf(await owner.get('/dashboard/test')), /Last 30 days UGX 5,000 1 payment/)
})

const crowded = opened(() => startService())

test('more accounts than one run counts have their turn in the runs after it', async () => {
  for (let left = TALLIED_AT_ONCE / 2 + 5; left > 0; left -= 1) await crowded.merchant()
  assert.equal(await crowded.run('tally-days'), TALLIED_AT_ONCE)
  assert.equal(await crowded.run('tally-days'), 10)
  assert.equal(await crowded.run('tally-days'), 0)
})

test('an account that cannot be counted delays no other', async () => {
  const broken = await crowded.merchant()
  await crowded.merchant()
  await crowded.rows(`alter table tally_marks add constraint not_this_one check (merchant_id <> ${await idOf(broken)})`)
  await assert.rejects(crowded.run('tally-days'), /not_this_one/)
  await assert.rejects(crowded.run('tally-days'), /not_this_one/)
  assert.equal(await crowded.run('tally-days'), 2)
})

async function idOf({ id }: CreatedMerchant): Promise<number> {
  const [row] = await crowded.rows<{ id: number }>('select id from merchants where public_id = $1', [id])
  return Number(row?.id)
}
