import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import type { Reply } from '../../../helpers/service/test-service.ts'
import { INACTIVE, KEY_REUSED } from '../known-refusals.ts'
import { assertRefused } from '../refused.ts'
import { CREATES, type Create } from './rows.ts'
import type { Side, World } from './world.ts'

type Headers = Record<string, string | undefined>
type Made = { key: Headers; body: object; first: Reply }

const MINUTE = 60_000
const RETENTION_MS = 30 * 86_400_000
export const keyed = (key: string | undefined): Headers => ({ 'idempotency-key': key })
export const replayed = ({ headers }: Reply) => headers.get('idempotent-replayed')
const keyStatus = ({ headers }: Reply) => headers.get('idempotency-status')
export const create = ({ client }: Side, { path }: Create, body: unknown, headers: Headers) =>
  client.post(path, body, headers)

/** Made once under a new key. */
export async function make(side: Side, row: Create, key: string = randomUUID()): Promise<Made> {
  const body = await row.body(side)
  const first = await create(side, row, body, keyed(key))
  assertNew(first, row)
  return { key: keyed(key), body, first }
}

export const assertNew = (reply: Reply, { answer }: Create, status: 'new' | null = 'new') =>
  assert.deepEqual([reply.status, replayed(reply), keyStatus(reply)], [answer, null, status], reply.text)

/** The stored bytes; only the items of a bulk call say by themselves that they are replayed. */
function assertReplay(again: Reply, first: Reply): void {
  const shown = first.body.results === undefined ? first.text : again.text
  assert.deepEqual(
    [again.status, again.text, replayed(again), keyStatus(again)],
    [first.status, shown, 'true', 'replayed'],
  )
  for (const item of again.body.results ?? []) assert.equal(item.replayed, true)
}

/** Other ways of writing the same JSON. */
function spellingsOf(body: object): string[] {
  const text = JSON.stringify(body)
  return [
    JSON.stringify(Object.fromEntries(Object.entries(body).reverse())),
    JSON.stringify(body, null, 4),
    text.replace(/":(\d+)/g, `":$1.0`),
    text.replace(/":(\d+)/g, `":$1e0`),
    text.replace(/"[a-z]/, (start) => `"\\u00${start.charCodeAt(1).toString(16)}`),
    text.replace('{', '{"__proto__":{"a":1},'),
  ]
}

/** What an Idempotency-Key promises at every POST that makes something. */
export function testReplays(world: World): void {
  for (const row of CREATES) {
    test(`${row.path}: the same request again has the stored bytes and a request id of its own, and writes nothing`, () =>
      repeat(world, row))
    test(`${row.path}: another request under its key is refused, here and at every other endpoint`, () =>
      reuse(world, row))
    test(`${row.path}: a key belongs to one merchant and one mode`, () => share(world, row))
    test(`${row.path}: a refusal by a rule is kept under its key, a fault of form leaves it free`, () =>
      refuse(world, row))
  }
  test('every key replays for 30 days less a minute, and is new when they are over and swept', () => outlive(world))
}

async function repeat({ service, ours }: World, row: Create): Promise<void> {
  const { key, body, first } = await make(ours, row)
  await row.since?.(ours, first.body)
  const before = await service.digest()
  const shared = row.full ? ours.client : ours.kiosk
  for (const [client, sent] of [
    [ours.client, body],
    [shared, body],
    ...spellingsOf(body).map((text) => [ours.client, text] as const),
  ] as const) {
    const again = await client.post(row.path, sent, { ...key, 'x-request-id': 'mine' })
    assertReplay(again, first)
    assert.equal(again.headers.get('x-request-id'), 'mine')
  }
  assert.equal(await service.digest(), before, 'zero writes')
}

async function reuse({ service, ours }: World, row: Create): Promise<void> {
  const { key, body, first } = await make(ours, row)
  const elsewhere: [Create, unknown][] = []
  for (const other of CREATES) if (other !== row) elsewhere.push([other, await other.body(ours)])
  const before = await service.digest()
  const differences = [{ note: 1 }, { amount: 5001 }, row.wrong[0], ...row.others]
  const others = differences.map((difference) => ({ ...body, ...difference }))
  for (const other of [...others, undefined, {}, [], '{', 'amount=5000'])
    assertRefused(await create(ours, row, other, key), KEY_REUSED, { because: JSON.stringify(other) })
  for (const [other, sent] of elsewhere)
    assertRefused(await create(ours, other, sent, key), KEY_REUSED, { because: other.path })
  assert.equal(await service.digest(), before, 'zero writes')
  assertReplay(await create(ours, row, body, key), first)
}

async function share({ ours, oursLive, theirs }: World, row: Create): Promise<void> {
  const { key, first } = await make(ours, row)
  const foreign = await make(theirs, row, key['idempotency-key'])
  assert.notEqual(foreign.first.text, first.text)
  // A live dispense would need a live charge, and is refused; what counts is that it does not hear the test answer.
  const live = await create(oursLive, row, await row.body(ours), key)
  assert.deepEqual([replayed(live), live.body.code === KEY_REUSED.code], [null, false], live.text)
  assert.notEqual(live.text, first.text)
}

async function refuse({ service, newSide }: World, row: Create): Promise<void> {
  const side = await newSide()
  const made = await make(side, row)
  const body = await row.body(side)
  await service.set(side.merchant, { active: false })
  const before = await service.digest()
  const refused = await create(side, row, body, keyed('refused'))
  assertRefused(refused, INACTIVE)
  assertReplay(await create(side, row, made.body, made.key), made.first)
  await service.set(side.merchant, { active: true })
  assertReplay(await create(side, row, body, keyed('refused')), refused)
  const [wrong, expected] = row.wrong
  for (const because of ['first', 'not a replay'])
    assertRefused(await create(side, row, { ...body, ...wrong }, keyed('free')), expected, { because })
  assert.equal(await service.digest(), before, 'zero writes')
  assertNew(await create(side, row, body, keyed('free')), row)
}

async function outlive({ service, ours }: World): Promise<void> {
  const kept: [Create, Made][] = []
  for (const row of CREATES) kept.push([row, await make(ours, row)])
  const [charges] = CREATES
  assert.ok(charges)
  const poor = { ...(await charges.body(ours)), amount: 1 }
  const refused = await create(ours, charges, poor, keyed('poor'))
  assert.equal(refused.status, 400)
  service.pass(RETENTION_MS - MINUTE)
  await service.run('prune')
  for (const [row, { key, body, first }] of kept) assertReplay(await create(ours, row, body, key), first)
  assertReplay(await create(ours, charges, poor, keyed('poor')), refused)
  // Keys are forgotten once an hour at most.
  service.pass(60 * MINUTE)
  assert.ok((await service.run('prune')) > kept.length)
  for (const [row, { key }] of kept) assertNew(await create(ours, row, await row.body(ours), key), row)
  assert.equal(replayed(await create(ours, charges, poor, keyed('poor'))), null)
}
