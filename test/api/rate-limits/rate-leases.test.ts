import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type LeasedWindow, newLeasedWindow } from '../../../src/api/rate-limits/leased-window.ts'
import { type Database, openDatabase } from '../../../src/platform/db/database.ts'
import { CommitUnknown } from '../../../src/platform/db/errors.ts'
import { statement } from '../../../src/platform/db/statement.ts'
import { Refusal } from '../../../src/platform/refusal.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database/test-database.ts'
import { sized } from '../../helpers/service/parts.ts'
import { stillClock } from './still-clock.ts'

const LIMIT = 2000
const MINUTE = 60_000
const PLACE = { merchantId: 7, mode: 'test' } as const
const FORGET = statement('test forget windows', 'delete from rate_windows')
const READ = statement<{ accepted: string }>('test read windows', 'select accepted from rate_windows')

const clock = stillClock()
let database: TestDatabase
let dbs: Database[] = []

before(async () => {
  database = await testDatabase()
  dbs = Array.from({ length: 3 }, () =>
    openDatabase({
      ...{
        connectionString: database.url,
        schema: 'cell_0',
        role: null,
        connections: 4,
        singleConnections: 1,
      },
      ...{ statementTimeoutMs: 10_000, applicationName: 'lease test' },
    }),
  )
})
after(async () => {
  await Promise.all(dbs.map((db) => db.close()))
  await database.drop()
})

/** As many windows as processes, each with connections of its own. */
async function processes(): Promise<{ db: Database; window: LeasedWindow }[]> {
  await dbs[0]?.query(FORGET)
  clock.advance(10 * MINUTE)
  return dbs.map((db) => ({ db, window: newLeasedWindow({ what: 'charges', limit: LIMIT, db, clock }) }))
}

type Ending = 'commit' | 'fail' | 'unknown'
type Asked = { accepted: number; sent: number; atMs: number }

/** One batch of so many requests. */
async function ask(
  { db, window }: { db: Database; window: LeasedWindow },
  count: number,
  ending: Ending = 'commit',
): Promise<Asked> {
  const asked: Asked = { accepted: 0, sent: 0, atMs: clock.nowMs() }
  const wanted = Array(count).fill(PLACE)
  await window
    .runCounted(wanted, asked.atMs, async (counting) => {
      const value = await db.transaction(async (tx) => {
        const calls = counting.lock()
        const open = counting.open(calls.length === 0 ? [] : await tx.send(...calls))
        asked.accepted = 0
        for (const place of wanted) asked.accepted += takes(open, place)
        if (ending === 'fail') throw new Error('on purpose')
        const last = open.writes()
        asked.sent = calls.length + last.length
        return { value: null, last }
      })
      if (ending === 'unknown') throw new CommitUnknown(new Error('on purpose'))
      return value
    })
    .catch((error: Error) => assert.match(String(error.cause ?? error), /on purpose/))
  if (ending === 'fail') asked.accepted = 0
  return asked
}

function takes(open: { check(place: typeof PLACE): void; take(place: typeof PLACE): void }, place: typeof PLACE) {
  try {
    open.check(place)
    open.take(place)
    return 1
  } catch (error) {
    assert.ok(error instanceof Refusal && error.status === 429)
    return 0
  }
}

/** The most that were accepted in any 60 s. */
function mostInAMinute(all: readonly Asked[]): number {
  const sums = all.map(({ atMs }) =>
    all.filter((one) => one.atMs >= atMs && one.atMs < atMs + MINUTE).reduce((sum, one) => sum + one.accepted, 0),
  )
  return Math.max(...sums)
}

const rounds = fc.array(
  fc.record({
    ms: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 40_000 })),
    batches: fc.array(
      fc.record({
        nth: fc.nat(2),
        count: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 400 })),
        ending: fc.constantFrom<Ending>('commit', 'commit', 'commit', 'fail', 'unknown'),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    stops: fc.boolean(),
  }),
  { minLength: 10, maxLength: 30 },
)

test('processes that hold leases never accept more than the limit in any 60 s, whatever fails and stops', async (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`SEED=${seed}`)
  let most = 0
  await fc.assert(
    fc.asyncProperty(rounds, async (steps) => {
      const all = await processes()
      const asked: Asked[] = []
      for (const { ms, batches, stops } of steps) {
        clock.advance(ms)
        const sent = batches.map(({ nth, count, ending }) => ask(all[nth] as (typeof all)[number], count, ending))
        asked.push(...(await Promise.all(sent)))
        if (stops) await all[0]?.window.idle()
      }
      most = Math.max(most, mostInAMinute(asked))
      assert.ok(mostInAMinute(asked) <= LIMIT, `${mostInAMinute(asked)} in a minute`)
    }),
    { seed, numRuns: sized(4, 25), endOnFailure: true },
  )
  assert.ok(most > LIMIT * 0.9, `the limit was reached: ${most}`)
})

test('a batch whose places are leased sends nothing about windows, and a lease that is too small is renewed within it', async () => {
  const [one] = await processes()
  assert.ok(one)
  assert.ok((await ask(one, 1)).sent > 0)
  assert.deepEqual([(await ask(one, 12)).sent, (await ask(one, 8)).sent], [0, 0])
  const more = await ask(one, 30)
  assert.ok(more.sent > 0)
  assert.equal(more.accepted, 30)
  clock.advance(29_999)
  assert.equal((await ask(one, 1)).sent, 0)
  clock.advance(1)
  assert.ok((await ask(one, 1)).sent > 0, 'the lease is over')
})

test('near the limit a lease is over after five seconds', async () => {
  const [one] = await processes()
  assert.ok(one)
  await ask(one, LIMIT - 200)
  assert.equal((await ask(one, 1)).sent, 0)
  clock.advance(5000)
  assert.ok((await ask(one, 1)).sent > 0)
})

test('what a failed transaction took goes back into the lease, and what an unknown one took does not', async () => {
  const [one] = await processes()
  assert.ok(one)
  await ask(one, 1)
  for (let nth = 0; nth < 10; nth += 1) await ask(one, 20, 'fail')
  assert.equal((await ask(one, 20, 'unknown')).sent, 0)
  assert.ok((await ask(one, 1)).sent > 0)
})

test('a transaction that fails after it has settled a lease leaves the places of others counted', async () => {
  const [one, two] = await processes()
  assert.ok(one && two)
  const asked = [await ask(one, 1), await ask(two, 1), await ask(two, 20)]
  assert.equal(asked[2]?.sent, 0, 'these places were leased before')
  // Its lease is over, so each of these settles it, and nothing of that is kept.
  clock.advance(30_000)
  for (let nth = 0; nth < 3; nth += 1) await ask(one, 1, 'fail')
  asked.push(await ask(one, LIMIT))
  assert.equal(asked[3]?.accepted, LIMIT - 22)
})

test('unused places are given back at a stop, and all that fits is accepted in the end', async () => {
  const [one, two, three] = await processes()
  assert.ok(one && two && three)
  await Promise.all([ask(one, 3), ask(two, 1)])
  await Promise.all([one.window.idle(), two.window.idle()])
  const [row] = (await dbs[0]?.query(READ)) ?? []
  const counted = (row?.accepted.split(',') ?? []).filter((_, at) => at % 2 === 1)
  assert.equal(
    counted.reduce((sum, count) => sum + Number(count), 0),
    4,
  )
  assert.equal((await ask(three, LIMIT)).accepted, LIMIT - 4)
  assert.equal((await ask(one, 1)).accepted, 0)
})

test('a place that is used late in its lease counts for a minute from then on', async () => {
  const [one, two] = await processes()
  assert.ok(one && two)
  const asked = [await ask(one, 1)]
  clock.advance(4500)
  asked.push(await ask(one, 20), await ask(two, LIMIT))
  clock.advance(MINUTE - 3000)
  asked.push(await ask(two, LIMIT))
  assert.equal(asked[1]?.sent, 0)
  assert.ok(mostInAMinute(asked) <= LIMIT, String(mostInAMinute(asked)))
})
