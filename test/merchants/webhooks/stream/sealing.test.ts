import assert from 'node:assert/strict'
import test from 'node:test'
import type pg from 'pg'
import {
  EVENTS_SEALED_AT_ONCE,
  sealEvents,
  UNSEALED_EVENTS,
} from '../../../../src/merchants/webhooks/stream/seal-events.ts'
import { chanceFrom } from '../../../crash/chance.ts'
import { connectToCell } from '../../../helpers/database/cell-server.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { pullAll, streamShop, type Teller, tell, tellOn } from '../../../helpers/service/told-events.ts'

const service = openedAndVerified(() => startService())
const seal = async () => {
  let sealed = 0
  for (let run = -1; run !== 0; sealed += run) run = await service.run('seal-events')
  return sealed
}
const numbersOf = ({ merchantId, mode }: Teller) =>
  service.rows<{ id: string; sequence: number }>(
    'select event_id as id, sequence::int from event_seals where merchant_id = $1 and mode = $2 order by sequence',
    [merchantId, mode],
  )
const assertFrom1 = (rows: readonly { sequence: number }[], count: number) =>
  assert.deepEqual(
    rows.map(({ sequence }) => sequence),
    Array.from({ length: count }, (_, nth) => nth + 1),
  )

async function onConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectToCell(service)
  return work(client).finally(() => client.end())
}

test('an event that commits late gets a later number, and the reader who keeps the cursor sees it', async () => {
  const { api, of } = await streamShop(service)
  await onConnection(async (client) => {
    await client.query('begin')
    const late = await tellOn(client, of('test'), service.clock.now())
    await tell(service, of('test'), 2)
    assert.equal(await seal(), 2)
    const { rows, cursor } = await pullAll(api, null)
    assert.deepEqual([rows.length, cursor], [2, '2'])
    await tell(service, of('test'))
    assert.equal(await seal(), 1)
    await client.query('commit')
    assert.equal(await seal(), 1)
    const rest = (await pullAll(api, cursor)).rows
    assert.deepEqual([rest.length, rest.at(-1).sequence, rest.at(-1).envelope.id], [2, 4, late])
  })
})

test('an event that is taken back leaves no gap', async () => {
  const { of } = await streamShop(service)
  await onConnection(async (client) => {
    await client.query('begin')
    await tellOn(client, of('test'), service.clock.now())
    await tell(service, of('test'))
    await seal()
    await client.query('rollback')
    await tell(service, of('test'))
    await seal()
  })
  assertFrom1(await numbersOf(of('test')), 2)
})

test('more events than one batch holds get their numbers while a transaction is open, and it gets its own', async () => {
  const { of } = await streamShop(service)
  await onConnection(async (client) => {
    for (let part = 0; part < 3; part += 1) {
      if (part === 1) {
        await client.query('begin')
        await tellOn(client, of('test'), service.clock.now())
      }
      await tell(service, of('test'), EVENTS_SEALED_AT_ONCE - 100)
    }
    assert.equal(await seal(), 3 * (EVENTS_SEALED_AT_ONCE - 100))
    await client.query('commit')
    assert.equal(await seal(), 1)
  })
  assertFrom1(await numbersOf(of('test')), 3 * (EVENTS_SEALED_AT_ONCE - 100) + 1)
})

test('processes that seal at once give each event one number', async () => {
  const shops = [await streamShop(service), await streamShop(service)]
  for (let round = 0; round < 10; round += 1) {
    for (const { of } of shops) await tell(service, of(round % 2 === 0 ? 'test' : 'live'), 3)
    await Promise.all(Array.from({ length: 4 }, () => sealEvents(service.app)))
  }
  await seal()
  for (const { of } of shops) for (const mode of ['test', 'live'] as const) assertFrom1(await numbersOf(of(mode)), 15)
})

test('a cell that came from another server gives numbers to what had none, and to nothing twice', async () => {
  const { of } = await streamShop(service)
  await tell(service, of('test'), 3)
  await seal()
  await tell(service, of('test'), 2)
  // There transactions have other numbers, far ahead of those here or far behind.
  for (const snapshot of ['900000000000:900000000000:', '3:3:']) {
    await service.rows(`update event_seal_mark set server = 'another', snapshot = $1::pg_snapshot`, [snapshot])
    await tell(service, of('test'))
    await seal()
  }
  assertFrom1(await numbersOf(of('test')), 7)
  await tell(service, of('test'))
  assert.equal(await seal(), 1)
})

test('nothing is missed and nothing comes twice while many write, take back, commit late and seal', async () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
  const { whole } = chanceFrom(seed)
  const chance = (below: number) => whole(0, below - 1)
  const shops = await Promise.all([streamShop(service), streamShop(service), streamShop(service)])
  const lanes = shops.flatMap(({ api, live, of }) => [
    { api, teller: of('test'), told: new Set<string>(), seen: [] as any[], cursor: null as string | null },
    { api: live, teller: of('live'), told: new Set<string>(), seen: [] as any[], cursor: null as string | null },
  ])
  let writing = true
  const write = () =>
    onConnection(async (client) => {
      for (let nth = 0; nth < 40; nth += 1) {
        const lane = lanes[chance(lanes.length)] ?? assert.fail()
        await client.query('begin')
        const ids = []
        for (let more = 0; more <= chance(3); more += 1)
          ids.push(await tellOn(client, lane.teller, service.clock.now()))
        if (chance(3) === 0) await client.query('select pg_sleep($1)', [chance(60) / 1000])
        const kept = chance(5) > 0
        await client.query(kept ? 'commit' : 'rollback')
        if (kept) for (const id of ids) lane.told.add(id)
      }
    })
  const sealing = async () => {
    while (writing) await sealEvents(service.app)
  }
  const read = async (lane: (typeof lanes)[number]) => {
    const { rows, cursor } = await pullAll(lane.api, lane.cursor, 1 + chance(9))
    lane.seen.push(...rows)
    lane.cursor = cursor
  }
  const reading = lanes.map(async (lane) => {
    while (writing) await read(lane)
  })
  const sealers = [sealing(), sealing()]
  await Promise.all(Array.from({ length: 8 }, write)).finally(() => {
    writing = false
  })
  await Promise.all([...sealers, ...reading])
  await seal()
  for (const lane of lanes) {
    await read(lane)
    assertFrom1(lane.seen, lane.told.size)
    const seen = lane.seen.map(({ envelope }) => envelope.id)
    assert.deepEqual([...seen].sort(), [...lane.told].sort(), `SEED=${seed}`)
  }
})

test('to look for new events takes the same step into an index, however long the history is', async () => {
  const { of } = await streamShop(service)
  for (let told = 0; told < 5; told += 1) await tell(service, of('test'), 2000)
  while ((await service.run('seal-events')) > 0);
  await service.rows('analyze events')
  for (const source of UNSEALED_EVENTS) {
    const plan = await service.rows<{ 'QUERY PLAN': string }>(`explain select exists (select from ${source})`)
    const steps = plan.map((step) => step['QUERY PLAN']).join('\n')
    assert.doesNotMatch(steps, /Seq Scan on events/, steps)
  }
})
