import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, badRequest, invalid, type Refused } from '../refused.ts'
import { flip } from './isolation.ts'
import type { List } from './list-rows.ts'
import type { Side, World } from './world.ts'

type Asked = { world: World; side(): Promise<Side> }

const LIMIT = badRequest('limit must be an integer between 1 and 100')
const CURSOR = badRequest('invalid starting_after cursor')
const NEWER_CURSOR = badRequest('invalid ending_before cursor')
const BOTH_CURSORS = badRequest('starting_after and ending_before cannot be used together')
const time = (name: string) => badRequest(`${name} must be an ISO 8601 datetime`)
const BOUNDS = ['created_after', 'created_before']

const NO_LIMITS = ['0', '101', '-1', '1e1', '1.5', '+5', '0x5', 'ten', '10,', '９', '99999999999999999999']
const NO_TIMES = [
  ...['yesterday', '2026-02-30', '2026-13-01', '2026-1-1', '1790000000', '20260101', '0000-01-01'],
  ...['2026-01-01T24:00:00Z', '2026-01-01T10:61:00Z', '2026-01-01_10:00:00Z', '2026-01-01T10:00:00+25:00'],
  ...['275760-09-13', '+275760-09-13T00:00:00Z', "2026-01-01' or '1'='1", '２０２６-01-01'],
]
const ODD = [
  ...['limit=%31%30', 'limit=10&limit[]=5', 'a=%ff', 'a=%', 'a=%ed%a0%80', '&&&', '=', '__proto__=1'],
  ...['limit=&starting_after=%20', 'created_after=&created_before=%20', 'status=&event=&reference=%20'],
  'mode=live&merchant_id=1&kind=order&currency=USD&constructor=a',
]

/** What a list says to a query that is wrong, or odd. */
export function testQueries(list: List, asked: Asked): void {
  test(`${list.path} refuses a limit, a time and a filter that are none`, () => refuse(list, asked))
  test(`${list.path} refuses a cursor that is forged, foreign, of the other mode or of another list`, () =>
    refuseCursors(list, asked))
  test(`${list.path} reads a query as text, and refuses a parameter given twice or with a control character`, () =>
    readAsText(list, asked))
  test(`${list.path} reports of several faults the first in the order of the spec`, () => reportFirst(list, asked))
}

const ask = async ({ side }: Asked, { path }: List, query: string) => (await side()).client.get(`${path}?${query}`)

async function refuse(list: List, asked: Asked): Promise<void> {
  for (const limit of NO_LIMITS)
    assertRefused(await ask(asked, list, `limit=${encodeURIComponent(limit)}`), LIMIT, { because: limit })
  for (const name of BOUNDS)
    for (const no of NO_TIMES) {
      const reply = await ask(asked, list, `${name}=${encodeURIComponent(no)}`)
      if (list.timeless) assert.equal(reply.status, 200, 'an unknown parameter')
      else assertRefused(reply, time(name), { because: no })
    }
  for (const [query, expected] of list.wrong ?? [])
    assertRefused(await ask(asked, list, query), expected, { because: query })
}

async function refuseCursors(list: List, asked: Asked): Promise<void> {
  const { ours, oursLive, theirs, theirsLive } = asked.world
  const side = await asked.side()
  const [row] = (await side.client.get(`${list.path}?limit=1`)).body.data
  const own: string = row.id ?? row.machine
  const strangers = [ours, oursLive, theirs, theirsLive].flatMap(({ owned }) => Object.values(owned))
  const forged = [own.slice(0, -1), `${own}a`, own.toUpperCase(), flip(own), own.replace('_', '%')]
  const none = [`${own}' or '1'='1`, '%', '0', 'null', 'a'.repeat(5000)]
  for (const cursor of [...strangers, ...forged, ...none])
    if (cursor !== own) {
      const because = { because: cursor }
      assertRefused(await ask(asked, list, `starting_after=${encodeURIComponent(cursor)}`), CURSOR, because)
      assertRefused(await ask(asked, list, `ending_before=${encodeURIComponent(cursor)}`), NEWER_CURSOR, because)
    }
  assertRefused(await ask(asked, list, `starting_after=${own}&ending_before=${own}`), BOTH_CURSORS)
  const live = await side.live.get(`${list.path}?starting_after=${own}`)
  if (list.sharedByModes) assert.equal(live.status, 200)
  else assertRefused(live, CURSOR, { because: 'in the other mode' })
}

async function readAsText(list: List, asked: Asked): Promise<void> {
  const whole = await ask(asked, list, '')
  for (const query of ODD) {
    const { status, body } = await ask(asked, list, query)
    assert.equal(status, 200, query)
    assert.deepEqual(body.data[0], whole.body.data[0], query)
  }
  for (const name of ['limit', 'starting_after', 'created_after', 'status', 'unknown']) {
    const twice = await ask(asked, list, `${name}=1&${name}=1`)
    assertRefused(twice, invalid(`query parameter ${name} is given twice`))
    const nul = await ask(asked, list, `${name}=a%00b`)
    assertRefused(nul, invalid(`query parameter ${name} contains control characters`))
  }
}

async function reportFirst(list: List, asked: Asked): Promise<void> {
  const [wrong] = list.wrong ?? []
  const window: [string, Refused][] = [
    ...(list.timeless ? [] : BOUNDS.map((name): [string, Refused] => [`${name}=x`, time(name)])),
    ['limit=x', LIMIT],
  ]
  const own = wrong ? [wrong] : []
  const faults = list.wrongAfterWindow ? [...window, ...own] : [...own, ...window]
  faults.push(['starting_after=x', CURSOR])
  for (const [at, [, expected]] of faults.entries()) {
    const left = faults.slice(at).map(([query]) => query)
    for (const query of [left, left.toReversed()])
      assertRefused(await ask(asked, list, query.join('&')), expected, { because: query.join('&') })
  }
}
