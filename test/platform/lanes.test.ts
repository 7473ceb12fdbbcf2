import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import type { Endpoint } from '../../src/api/http/endpoint.ts'
import { movePayout } from '../../src/payments/payouts/move-payout.ts'
import type { Payout } from '../../src/payments/payouts/payout.ts'
import { listLanes } from '../../src/platform/batches/lane.ts'
import { ENDPOINTS } from '../../src/program/api.ts'
import type { App } from '../../src/program/app.ts'
import { testDatabase } from '../helpers/database/test-database.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { payer } from '../helpers/payments/schedules.ts'
import { startService } from '../helpers/service/test-service.ts'

const LANES = [
  'bulk payouts',
  'callbacks of own posts',
  'claim charges',
  'create charges',
  'create payouts',
  'move charges',
  'move payouts',
  'note callbacks',
  'pay links',
  'record deliveries',
  'record deliveries to further addresses',
  'record posts',
  'refund charges',
  'report problems',
  'reports',
]

test('S5: every lane of a cell is in the list that stopping and the metrics use', async () => {
  const service = await startService({ env: { METRICS_TOKEN: 'look' } })
  try {
    const listed = listLanes(service.app).map(({ name }) => name)
    assert.deepEqual(listed.sort(), LANES)
    const { api } = await payer(service, 1_000_000)
    assert.equal((await pay(api)).status, 201)
    const shown = await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer look' } })
    const text = await shown.text()
    for (const name of LANES) assert.ok(text.includes(`batch_waiting{lane="${name}"}`), name)
    assert.match(text, /batch_size_count\{lane="create payouts"\} 1/)
  } finally {
    await service.close()
  }
})

test('S5: a limit that does not exist does not compile', () => {
  const right: Pick<Endpoint<App>, 'rate'> = { rate: 'payment_links' }
  // @ts-expect-error A misspelt limit would be no limit at all.
  const wrong: Pick<Endpoint<App>, 'rate'> = { rate: 'payment_link' }
  assert.ok(ENDPOINTS.some(({ rate }) => rate === right.rate))
  assert.ok(ENDPOINTS.every(({ rate }) => rate !== wrong.rate))
})

test('S5: a stop waits for payouts that are being ended', async () => {
  const database = await testDatabase()
  const service = await startService({ database })
  const { api, merchantId } = await payer(service, 1_000_000)
  const ids = await Promise.all(Array.from({ length: 3 }, async () => (await pay(api)).body.id as string))
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const heads = `${service.app.cell}.ledger_heads`
  try {
    await client.query('begin')
    await client.query(`select 1 from ${heads} where merchant_id = $1 for update`, [merchantId])
    const moves = ids.map(async (id, nth) => {
      // A few turns apart, so that they are not in one batch.
      for (let turn = 0; turn < nth * 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      const payout = { merchantId, id, mode: 'test' } as Payout
      return movePayout(service.app, { payout, to: { status: 'failed', reason: 'recipient_not_found' } })
    })
    for (let nth = 0; nth < 30; nth += 1) await new Promise((resolve) => setImmediate(resolve))
    let isStopped = false
    const stopping = service.close().then(() => {
      isStopped = true
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.equal(isStopped, false, 'it waits')
    await client.query('rollback')
    assert.deepEqual(await Promise.all(moves), ['moved', 'moved', 'moved'])
    await stopping
  } finally {
    await client.end()
    await database.drop()
  }
})
