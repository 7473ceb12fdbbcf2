import assert from 'node:assert/strict'
import test from 'node:test'
import type { Client } from '../../../helpers/service/test-service.ts'
import { STEP_MS } from '../listed-rows.ts'
import { addCharge, LISTS, type List } from './list-rows.ts'
import { testQueries } from './queries.ts'
import { decideAll, type Side, type World } from './world.ts'

type Query = Record<string, string>
type Row = { id: string; created_at: string }
/** A merchant with so many rows in each of its lists, two at each moment, and the ids that were said of them. */
type Lister = { side: Side; ids: Map<List, string[]> }

const ROWS = 30
const EMPTY = { object: 'list', data: [], has_more: false, next_cursor: null }

/** What holds for every list. Every test reads the same rows. */
export function testLists(world: World): void {
  let filled: Promise<Lister> | undefined
  const lister = () => (filled ??= fill(world))
  for (const list of LISTS) {
    test(`${list.path} shows each row once as it is by id, newest first, those of one moment by id, and 20 unless told otherwise`, async () =>
      show(await lister(), list, world))
    test(`${list.path} is the whole list page by page, whatever the size of a page`, async () =>
      turnPages(await lister(), list))
    test(`${list.path} is the list from any row on towards newer ones, page by page, and no other row`, async () =>
      turnPagesBack(await lister(), list))
    test(`${list.path} is found by its window, its filters and a cursor, alone and together`, async () =>
      find(await lister(), list))
    test(`${list.path} is walked by sevens while rows come in: each that was there comes once`, async () =>
      walkMeanwhile(await lister(), list))
    testQueries(list, { world, side: async () => (await lister()).side })
  }
}

async function fill({ newSide, service }: World): Promise<Lister> {
  const side = await newSide()
  const ids = new Map<List, string[]>(LISTS.map((list) => [list, []]))
  for (let nth = 0; nth < ROWS; nth += 1) {
    for (const list of LISTS) if (list.add) ids.get(list)?.push(await list.add(side, nth))
    if (nth % 2 === 1) service.pass(STEP_MS)
    if (nth % 4 === 3) await decideAll({ service })
  }
  return { side, ids }
}

async function read(client: Client, { path }: List, query: Query = {}) {
  const { status, body } = await client.get(`${path}?${new URLSearchParams(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  // Machines go by their number.
  const data: Row[] = body.data.map((row: any) => ({ id: row.machine, ...row }))
  assert.equal(body.next_cursor, body.has_more ? data.at(-1)?.id : null)
  return { ...body, data, ids: data.map(({ id }) => id) }
}
const readAll = async (client: Client, list: List): Promise<Row[]> => (await read(client, list, { limit: '100' })).data

async function show({ side: { client }, ids }: Lister, list: List, { newSide }: World): Promise<void> {
  const all = await readAll(client, list)
  const order = all.map((row) => `${row.created_at} ${row.id}`)
  assert.ok(all.length > 20 && all.length < 100, `${all.length} rows`)
  assert.deepEqual(order, [...order].sort().reverse())
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  assert.ok(new Set(all.map((row) => row.created_at)).size < all.length, 'some of one moment')
  for (const id of ids.get(list) ?? [])
    assert.ok(
      all.some((row) => row.id === id),
      `${id} is missing`,
    )
  const { ids: first, data: _, ...envelope } = await read(client, list)
  assert.deepEqual(envelope, { object: 'list', has_more: true, next_cursor: first.at(-1) })
  assert.deepEqual(
    first,
    all.slice(0, 20).map(({ id }) => id),
  )
  assert.deepEqual((await read(client, list, { limit: '1' })).ids, first.slice(0, 1))
  const raw = await client.get(list.path)
  assert.deepEqual(Object.keys(raw.body), ['object', 'data', 'has_more', 'next_cursor'])
  const [newest] = raw.body.data
  if (list.one) assert.deepEqual((await client.get(`${list.path}/${newest.id}`)).body, newest)
  if (list.of !== 'machine') assert.deepEqual((await (await newSide()).client.get(list.path)).body, EMPTY)
}

async function turnPages({ side: { client } }: Lister, list: List): Promise<void> {
  const all = (await readAll(client, list)).map(({ id }) => id)
  for (const size of [4, 7, all.length - 1, all.length]) {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const limit = String(size)
      const page: Awaited<ReturnType<typeof read>> = await read(client, list, {
        limit,
        ...(cursor && { starting_after: cursor }),
      })
      assert.equal(page.ids.length, Math.min(size, all.length - seen.length))
      seen.push(...page.ids)
      cursor = page.next_cursor
    }
    assert.deepEqual(seen, all, `pages of ${size}`)
  }
  assert.deepEqual((await read(client, list, { starting_after: all.at(-1) as string })).ids, [])
}

/** From the oldest row towards the newest, by the same loop. */
async function turnPagesBack({ side: { client } }: Lister, list: List): Promise<void> {
  const all = (await readAll(client, list)).map(({ id }) => id)
  for (const size of [4, all.length - 2, all.length - 1, all.length]) {
    const seen: string[] = []
    for (let cursor: string | null = all.at(-1) as string; cursor !== null; ) {
      const query = { limit: String(size), ending_before: cursor }
      const { body, headers } = await client.get(`${list.path}?${new URLSearchParams(query)}`)
      assert.equal(headers.get('ignored-parameters'), null)
      const ids = body.data.map((row: any) => row.id ?? row.machine)
      assert.equal(ids.length, Math.min(size, all.length - 1 - seen.length))
      assert.equal(body.next_cursor, body.has_more ? ids[0] : null)
      seen.unshift(...ids)
      cursor = body.next_cursor
    }
    assert.deepEqual(seen, all.slice(0, -1), `pages of ${size}`)
  }
  const newest = await client.get(`${list.path}?ending_before=${all[0]}`)
  assert.deepEqual(newest.body, EMPTY, 'nothing is newer than the newest')
}

async function find({ side: { client } }: Lister, list: List): Promise<void> {
  const all = await readAll(client, list)
  const [near, middle, far] = [3, 11, 17].map((at) => all[at] as Row) as [Row, Row, Row]
  const past = (ms: number) => new Date(Date.parse(middle.created_at) + ms).toISOString()
  const windows: Query[] = list.timeless
    ? [{}]
    : [
        {},
        { created_after: past(0) },
        { created_before: past(0) },
        { created_after: past(0), created_before: past(0) },
        { created_after: past(1) },
        { created_before: past(-1) },
        { created_after: far.created_at, created_before: near.created_at },
        { created_after: near.created_at, created_before: far.created_at },
      ]
  for (const window of windows)
    for (const [filter, keep] of [['', () => true], ...(list.filters ?? [])] as const)
      for (const cursor of [null, near, middle, far]) {
        const { created_after = '', created_before = '9' } = window
        const rest = cursor === null ? all : all.slice(all.indexOf(cursor) + 1)
        const expected = rest.filter(
          (row) => row.created_at >= created_after && row.created_at <= created_before && keep(row),
        )
        const after: Query = cursor === null ? {} : { starting_after: cursor.id }
        const query = {
          limit: '100',
          ...window,
          ...after,
          ...Object.fromEntries(new URLSearchParams(filter)),
        }
        assert.deepEqual(
          (await read(client, list, query)).ids,
          expected.map(({ id }) => id),
          JSON.stringify(query),
        )
      }
  for (const [filter, keep] of list.filters ?? []) {
    const kept = all.filter(keep).length
    assert.ok(kept > 0 && kept < all.length, `${filter} keeps some`)
  }
}

async function walkMeanwhile({ side }: Lister, list: List): Promise<void> {
  const { client, service } = side
  const all = (await readAll(client, list)).map(({ id }) => id)
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof read>> = await read(client, list, {
      limit: '7',
      ...(cursor && { starting_after: cursor }),
    })
    seen.push(...page.ids)
    cursor = page.next_cursor
    service.pass(1)
    await (list.add ?? addCharge)(side, 0)
    if (!list.add) await decideAll(side)
  }
  assert.deepEqual(seen, all, 'each once, in order')
  assert.ok((await readAll(client, list)).length > all.length, 'rows came in')
}
