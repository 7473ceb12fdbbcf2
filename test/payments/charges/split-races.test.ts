import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import pg from 'pg'
import type { SubaccountStatus } from '../../../src/payments/subaccounts/subaccount.ts'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { testDatabase } from '../../helpers/database/test-database.ts'
import { addSubaccounts, balanceOfSubaccount, setStatus } from '../../helpers/payments/splits.ts'
import { assertVerified, DAY, eventually } from '../../helpers/service/live-service.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'

const ROUNDS = 4
const CHARGES = 20
const NET = 4800

test('two processes that make, pay and release split charges at once keep every shilling and never deadlock', async () => {
  const database = await testDatabase()
  const one = await startService({ database })
  const two = await startService({ database, clock: one.clock })
  const shops = await Promise.all((['none', 'realistic', 'realistic'] as const).map((hold) => shop(one, two, hold)))
  for (let round = 0; round < ROUNDS; round += 1) {
    const setAll = (status: SubaccountStatus) =>
      shops.map(({ merchant, ids }) => setStatus(one, merchant, { id: ids[round] as string, status }))
    const made = shops.flatMap(({ ids, through }) =>
      Array.from({ length: CHARGES }, (_, index) =>
        (index % 2 === 0 ? through.one : through.two).charge({ split: splitOver(ids) }),
      ),
    )
    for (const { status } of await Promise.all(made)) assert.equal(status, 201)
    one.pass(2000)
    const sweeps = ['follow-charges', 'settle-charges'].flatMap((name) => [one.run(name), two.run(name)])
    await Promise.all([...sweeps, ...setAll('inactive')])
    one.pass(DAY)
    // The money of this round is released while more is made and the subaccounts are activated again.
    const more = shops.map(({ through }) => through.two.charge())
    await Promise.all([one.run('settle-charges'), two.run('settle-charges'), ...setAll('active'), ...more])
  }
  one.pass(2000)
  await one.run('follow-charges')
  one.pass(DAY)
  await one.run('settle-charges')
  for (const { ids, through } of shops) {
    const shares = await Promise.all(ids.map((id) => balanceOfSubaccount(through.one, id)))
    const { available, pending } = await balanceOf(through.one)
    const released = shares.reduce((sum, [share]) => sum + share, available)
    assert.equal(released, ROUNDS * (CHARGES + 1) * NET)
    assert.deepEqual([pending, ...shares.map(([, held]) => held)], new Array(ids.length + 1).fill(0))
  }
  await assertVerified(one)
  await Promise.all([one.close(), two.close()])
  assert.equal(await deadlocksIn(database.url), 0)
  await database.drop()
})

async function shop(one: TestService, two: TestService, testHold: 'none' | 'realistic') {
  const merchant = await one.merchant()
  await one.set(merchant, { testHold })
  const key = merchant.keys.test
  const through = { one: one.client(key), two: two.client(key) }
  return { merchant, through, ids: await addSubaccounts(through.one, 'A', 'B', 'C', 'D') }
}

/** Each request in an order of its own: together they name the same rows in every possible order. */
function splitOver(ids: readonly string[]): object[] {
  const left = [...ids]
  return ids.map(() => ({
    subaccount: left.splice(randomInt(left.length), 1)[0],
    amount: 1 + randomInt(1000),
  }))
}

/** The server's count of deadlocks, read after every connection that could still report one has closed. */
async function deadlocksIn(url: string): Promise<number> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const ask = async (count: string) => Number((await admin.query(count)).rows[0]?.count)
  // A cluster has processes of its own in each database.
  const others = `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend' and application_name not ilike 'citus%'`
  await eventually('everybody has left', async () => (await ask(others)) === 0)
  const deadlocks = await ask('select deadlocks as count from pg_stat_database where datname = current_database()')
  await admin.end()
  return deadlocks
}
