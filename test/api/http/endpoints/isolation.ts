import assert from 'node:assert/strict'
import test from 'node:test'
import { chargeFee } from '../../../../src/ledger/fees.ts'
import { parseTagOfAnyPrefix } from '../../../../src/platform/text/ids.ts'
import { COST } from '../../../helpers/payments/payout-money.ts'
import type { Client, Reply } from '../../../helpers/service/test-service.ts'
import { dispenseBody } from '../../../helpers/vending/direct-dispenses.ts'
import { orderBody } from '../../../helpers/vending/vending.ts'
import { NO_MACHINE } from '../known-refusals.ts'
import { assertRefused, domain, notFound, type Refused } from '../refused.ts'
import { LISTS } from './list-rows.ts'
import { ACTS, type Act, ONES, type One, OWNS } from './rows.ts'
import { FUNDS, type Kind, SOLD, type Trader, type World } from './world.ts'

type Named = (One | Act) & { of: Kind; unknown: Refused }

const SAME_ID = { 'x-request-id': 'the-same' }
const NAMED = [...ONES, ...ACTS].filter((row): row is Named => row.of !== undefined)
const isPost = (row: Named): row is Named & Act => 'again' in row
export const flip = (id: string) => id.slice(0, -1) + (id.endsWith('a') ? 'b' : 'a')
/** Everything by which one answer could be told from another. */
const told = ({ status, text, headers }: Reply) => [status, text, [...headers].filter(([name]) => name !== 'date')]

/** Nobody hears of what belongs to another merchant or to the other mode. */
export function testIsolation(world: World): void {
  for (const { path } of [...LISTS, ...OWNS])
    test(`GET ${path} shows what is its own and nothing that is not`, () => showOwn(world, path))
  test('balances and accounts are those of the key', () => showBalances(world))
  test('no GET changes anything', () => readOnly(world))
  test('what a body names is foreign or unknown in the same words', () => hideInBodies(world))
  // At its end each asks for the right object, and some of them change it.
  for (const row of NAMED) {
    const what = isPost(row) ? 'POST' : 'GET'
    test(`${what} ${row.path} tells what is foreign, of the other mode or malformed by no byte from what is unknown`, () =>
      hide(world, row))
  }
}

async function hide(world: World, row: Named): Promise<void> {
  const { service, ours } = world
  const own = ours.owned[row.of]
  const ask = (id: string) => {
    const path = row.path.replace(/:\w+/, id)
    return isPost(row) ? ours.client.post(path, row.body, SAME_ID) : ours.client.get(path, SAME_ID)
  }
  const before = await service.digest()
  const unknown = await ask(flip(own))
  assertRefused(unknown, row.unknown)
  for (const [because, id] of strangersOf(world, row))
    assert.deepEqual(told(await ask(id)), told(unknown), `${because}: ${id}`)
  const malformed = row.malformed ?? row.unknown
  for (const id of malformedOf(ours, row.of)) assertRefused(await ask(id), malformed, { because: id })
  assert.equal(await service.digest(), before, 'zero writes')
  const known = await ask(own)
  assert.notEqual(known.status, unknown.status, 'its owner is known')
  if (isPost(row) || row.full) return
  assert.equal((await ours.kiosk.get(row.path.replace(/:\w+/, own))).text, known.text, 'whatever the scope')
}

/** What is not ours in this mode: every kind of id that must not be told from an absent one. */
function strangersOf({ ours, oursLive, theirs, theirsLive }: World, row: Named): [string, string][] {
  const [own, foreign] = [ours.owned[row.of], theirs.owned[row.of]]
  const strangers: [string, string][] = [
    ['foreign', foreign],
    ['foreign and of the other mode', theirsLive.owned[row.of]],
  ]
  if (!row.sharedByModes) strangers.push(['of the other mode', oursLive.owned[row.of]])
  // The tag says whose it is.
  const [ourTag, foreignTag] = [parseTagOfAnyPrefix(own), parseTagOfAnyPrefix(foreign)]
  if (row.of !== 'machine' && ourTag !== null && foreignTag !== null)
    strangers.push(
      ['with our tag and a foreign rest', foreign.replace(foreignTag, ourTag)],
      ['with a foreign tag and our rest', own.replace(ourTag, foreignTag)],
    )
  return [
    ...strangers,
    ['too short', own.slice(0, -3)],
    ['too long', own + 'a'.repeat(20)],
    ['very long', own + 'a'.repeat(200)],
  ]
}

/** No id of this kind: those of every other kind too, also of links and orders, which begin alike. */
function malformedOf({ owned }: Trader, of: Kind): string[] {
  const own = owned[of]
  const others = Object.entries(owned).filter(([kind]) => kind !== of && kind !== 'machine')
  return [
    ...others.map(([, id]) => id),
    ...[own.toUpperCase(), own.slice(4), own.replace('_', '-'), `${own.slice(0, -1)}!`],
    ...[`${own}%27`, `${own}%20`, `${own}%00`, `${own.slice(0, -1)}%25`],
    ...['%25', '_', '0', 'null', own.slice(0, own.indexOf('_') + 1), '%D9%A0', '..%2f..'],
    ...["'%20or%20'1'='1", "';%20drop%20table%20charges"],
  ].filter((id) => id !== '' && id !== own)
}

async function hideInBodies({ service, ours, theirs, oursLive, theirsLive }: World): Promise<void> {
  const charges = [theirs, oursLive, theirsLive].map(({ owned }) => owned.charge)
  const before = await service.digest()
  for (const id of [...charges, flip(ours.owned.charge), ours.owned.payout, "' or 1=1"])
    assertRefused(await ours.client.post('/v1/vending/dispense', dispenseBody(id)), notFound('charge not found'))
  for (const machine of ['theirs', 'absent', 'OURS', "ours' or '1'='1"])
    assertRefused(await ours.client.post('/v1/vending/orders', orderBody({ machine })), NO_MACHINE, {
      because: machine,
    })
  for (const subaccount of [theirs.owned.subaccount, flip(ours.owned.subaccount)])
    assertRefused(
      await ours.client.charge({ split: [{ subaccount, amount: 100 }] }),
      domain('invalid_split', `invalid split: unknown subaccount ${subaccount}`),
    )
  assert.equal(await service.digest(), before, 'zero writes')
}

const queriesOf = (path: string) => {
  const list = LISTS.find((row) => row.path === path)
  if (list) return ['limit=100', ...(list.twins ?? [])].map((query) => `?${query}`)
  return [OWNS.find((row) => row.path === path)?.query ?? '']
}

async function showOwn(world: World, path: string): Promise<void> {
  const sides = [world.ours, world.oursLive, world.theirs, world.theirsLive]
  const list = LISTS.find((row) => row.path === path)
  for (const side of sides)
    for (const query of queriesOf(path)) {
      const reply = await side.client.get(path.replace(':period', side.owned.period) + query)
      assert.equal(reply.status, 200, reply.text)
      if (list) assert.ok(reply.text.includes(side.owned[list.of]), `${side.mode} ${path}${query} has its own`)
      if (list && !list.full) assert.equal((await side.kiosk.get(path + query)).text, reply.text)
      for (const told of [reply.body, ...(reply.body?.data ?? [])]) if (told?.mode) assert.equal(told.mode, side.mode)
      for (const other of sides) if (other !== side) assertNothingOf(other, side, reply)
    }
}

function assertNothingOf(other: Trader, side: Trader, { text }: Reply): void {
  // A merchant has its subaccounts and machines in both modes.
  const shared = other.merchant === side.merchant ? ['subaccount', 'machine', 'period'] : ['period']
  for (const [kind, id] of Object.entries(other.owned))
    if (!shared.includes(kind)) assert.ok(!text.includes(id), `${kind} ${id} in ${text}`)
}

/** Each side has sold once and paid once. */
async function showBalances({ ours, oursLive, theirs, theirsLive }: World): Promise<void> {
  const names = new Set<string>()
  for (const { client, mode, merchant } of [ours, oursLive, theirs, theirsLive]) {
    const available = (mode === 'test' ? FUNDS : 0) + SOLD - chargeFee(SOLD) - COST
    const { body: balance } = await client.get('/v1/balance')
    const figures = { available, pending: 0, total: available, cached: available }
    assert.deepEqual([balance.mode, balance.consistent], [mode, true])
    assert.deepEqual(balance.balances, [{ currency: 'UGX', ...figures }])
    const { body: account } = await client.get('/v1/me')
    assert.match(account.public_key, new RegExp(`^pk_${mode}_`))
    names.add(`${merchant.id} ${account.name}`)
  }
  assert.equal(names.size, 2)
}

async function readOnly({ service, ours }: World): Promise<void> {
  const before = await service.digest()
  const get = async (client: Client, path: string) => assert.equal((await client.get(path)).status, 200, path)
  for (const { path, of } of ONES) await get(ours.client, path.replace(/:\w+/, ours.owned[of]))
  for (const { path } of [...LISTS, ...OWNS])
    for (const query of queriesOf(path)) await get(ours.client, path.replace(':period', ours.owned.period) + query)
  assert.equal(await service.digest(), before)
}
