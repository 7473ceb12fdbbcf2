import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Mode } from '../../../../src/platform/mode.ts'
import type { Reply } from '../../../helpers/service/test-service.ts'
import { KEY_REQUIRED, KEY_REUSED, KEY_TOO_LONG } from '../known-refusals.ts'
import { assertRefused } from '../refused.ts'
import { assertNew, create, keyed, make, replayed } from './replays.ts'
import { ACTS, type Act, CREATES, type Create } from './rows.ts'
import { liveSideOf, type Side, type World } from './world.ts'

const IN_FLIGHT = 'a request with this Idempotency-Key is still in flight - retry shortly'
const AT_ONCE = 20
const TRIES_WHILE_BUSY = 20
const AGAIN_MS = 250

/** What is a key, what many requests with one key at once hear, and where a key is not looked at. */
export function testKeys(world: World): void {
  for (const row of CREATES) {
    const missing = row.key === 'required' ? 'one must be there' : 'it may be left out'
    test(`${row.path}: keys of 1 to 255 characters are keys, and ${missing}`, () => spell(world, row))
    for (const mode of row.testOnly ? (['test'] as const) : (['test', 'live'] as const))
      test(`${row.path}: of ${mode} requests with one key at once through two processes one is new, and all hear it later`, () =>
        race(world, row, mode))
  }
  for (const row of ACTS)
    test(`${row.path}: an Idempotency-Key, used or not, long or blank, is not looked at, nor a body that nobody asked for`, () =>
      ignore(world, row))
}

/** The merchant with the key that moves no money out, where that is enough. */
const unlessRefused = (side: Side, { full }: Create | Act): Side => (full ? side : { ...side, client: side.kiosk })

async function spell(world: World, row: Create): Promise<void> {
  const ours = unlessRefused(world.ours, row)
  const unique = randomUUID()
  const code = `${unique}  '; drop table charges; -- !"#$%&()*+,./:<=>?@[]^_{|}~`
  for (const [sent, stored] of [
    [String(CREATES.indexOf(row)), String(CREATES.indexOf(row))],
    [unique.padEnd(255, 'k'), unique.padEnd(255, 'k')],
    [`  ${unique}x  `, `${unique}x`],
    [`${unique}X`, `${unique}X`],
    [code, code],
  ] as const) {
    const { body } = await make(ours, row, sent)
    assert.equal(replayed(await create(ours, row, body, keyed(stored))), 'true', sent)
  }
  const body = await row.body(ours)
  assertRefused(await create(ours, row, body, keyed('k'.repeat(256))), KEY_TOO_LONG)
  for (const blank of [undefined, '', ' '])
    if (row.key === 'required') assertRefused(await create(ours, row, body, keyed(blank)), KEY_REQUIRED)
    else assertNew(await create(ours, row, await row.body(ours), keyed(blank)), row, null)
}

async function race({ service, beside, newSide }: World, row: Create, mode: Mode): Promise<void> {
  const own = await newSide()
  const side = mode === 'live' ? liveSideOf(own) : own
  const body = await row.body(own)
  const through = [service, beside].map((testService) => testService.client(side.merchant.keys[mode]))
  const sendAll = () =>
    Promise.all(
      Array.from({ length: AT_ONCE }).flatMap(() =>
        through.map((api) => unlessBusy(() => api.post(row.path, body, keyed('one')))),
      ),
    )
  const replies = await sendAll()
  const heard = replies.filter(({ body }) => body.error !== IN_FLIGHT)
  assert.equal(heard.filter((reply) => replayed(reply) === null).length, 1)
  for (const { status, body } of replies) if (body.error === IN_FLIGHT) assert.equal(status, 409)
  const first = heard[0]?.status
  for (const later of await sendAll()) assert.deepEqual([later.status, replayed(later)], [first, 'true'], later.text)
  assertRefused(await create(side, row, { ...body, note: 1 }, keyed('one')), KEY_REUSED)
}

/** Sends it again after a 503, as clients are told to: a crowded machine may refuse anything, and has written nothing then. */
async function unlessBusy(send: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 0; ; tries += 1) {
    const reply = await send()
    if (reply.body.code !== 'unavailable' || tries === TRIES_WHILE_BUSY) return reply
    await setTimeout(AGAIN_MS)
  }
}

async function ignore({ service, ours }: World, row: Act): Promise<void> {
  const { client } = unlessRefused(ours, row)
  const [charges] = CREATES
  assert.ok(charges)
  const used = await make(ours, charges)
  const path = row.path.replace(/:\w+/, (await row.target?.(ours)) ?? '')
  const unused = `unused at ${row.path}`
  const bodies = row.body ? [row.body] : [undefined, '', '{}', [], { status: 'cancelled', amount: 'x' }]
  const keys = [used.key['idempotency-key'], 'k'.repeat(300), '', undefined, unused, unused]
  for (const [nth, key] of keys.entries()) {
    const reply = await client.post(path, bodies[nth % bodies.length], keyed(key))
    const expected = nth === 0 ? row.answer : row.again
    assert.deepEqual([reply.status, replayed(reply)], [expected, null], `${key} ${reply.text}`)
  }
  assert.deepEqual(await service.rows('select 1 from idempotency_keys where key = $1', [unused]), [])
  assert.equal(replayed(await create(ours, charges, used.body, used.key)), 'true')
}
