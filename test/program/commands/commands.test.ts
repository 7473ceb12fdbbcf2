import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, oneJson, type Ran, runProgram } from '../../helpers/service/command-line.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'

const service = openedAndVerified(() => startService())
const { settings, run, json } = commandsOn(service)
let shops = 0
async function shop(): Promise<{ handle: string; made: any }> {
  shops += 1
  const handle = `command-shop-${shops}`
  const made = await service.merchant({ name: 'Shop', email: 'shop@shops.invalid', handle })
  return { handle, made }
}

test('merchants create prints keys and secret once, and the keys work in the running service', async () => {
  const facts = ['--name', 'Café Ñandú', '--email', 'cafe@shops.invalid', '--verified']
  const made = await json('merchants', 'create', ...facts)
  assert.deepEqual(Object.keys(made).sort(), ['handle', 'id', 'keys', 'public_key', 'webhook_secret'])
  assert.deepEqual(Object.keys(made.keys).sort(), ['live', 'live_collections', 'test', 'test_collections'])
  assert.match(made.id, /^mer_[a-z0-9]{21}$/)
  assert.match(made.handle, /^[a-z0-9-]{3,30}$/)
  assert.match(made.webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(new Set(Object.values(made.keys)).size, 4)
  assert.equal((await service.client(made.keys.test).charge()).status, 201)
  const shown = await json('merchants', 'show', made.id)
  assert.equal(shown.kyc_status, 'verified')
  assert.equal(shown.name, 'Café Ñandú')
  const [text, list] = await Promise.all([run('merchants', 'show', made.handle), run('merchants', 'list', '--json')])
  const listed = oneJson(list)
  assert.ok(listed.some((one: any) => one.id === made.id))
  for (const secret of [...Object.values(made.keys as Record<string, string>), made.webhook_secret])
    for (const output of [text.stdout, list.stdout, JSON.stringify(shown)])
      assert.ok(!output.includes(secret), 'a secret is shown once')
  assert.equal(text.code, 0)
})

test('merchants create with a key: five at once and one later make one merchant and print the same', async () => {
  const create = (name: string, ...more: string[]) =>
    run('merchants', 'create', '--name', name, '--email', 'o@shops.invalid', '--key', 'once', ...more)
  const once = () => create('Once', '--json')
  const together = await Promise.all(Array.from({ length: 5 }, once))
  const [first, ...others] = together.map((ran) => oneJson(ran))
  for (const other of [...others, oneJson(await once())]) assert.deepEqual(other, first)
  assert.equal((await service.rows('select 1 from cell_0.merchants where name = $1', ['Once'])).length, 1)
  assert.equal((await service.client(first.keys.test).get('/v1/balance')).status, 200)
  assertRefused(await create('Other'), { code: 1, says: /idempotency key reused/ })
})

test('what a merchant cannot be called is refused with exit code 1', async () => {
  const { handle } = await shop()
  const create = (...more: string[]) => run('merchants', 'create', '--email', 'a@b.invalid', ...more)
  const [taken, reserved, email, unknown] = await Promise.all([
    create('--name', 'N', '--handle', handle),
    create('--name', 'N', '--handle', 'admin'),
    run('merchants', 'create', '--name', 'N', '--email', 'nothing'),
    run('merchants', 'show', 'nobody-is-called-so'),
  ])
  assertRefused(taken as Ran, { code: 1, says: /is taken/ })
  assertRefused(reserved as Ran, { code: 1, says: /no reserved word/ })
  assertRefused(email as Ran, { code: 1, says: /email is not a valid/ })
  assertRefused(unknown as Ran, { code: 1, says: /there is no merchant called/ })
})

test('the program itself ends with the exit code, its answer on one stream and the sentence on the other', async () => {
  const { handle } = await shop()
  const [shown, unknown, wrong] = await Promise.all([
    runProgram(['merchants', 'show', handle, '--json'], settings),
    runProgram(['merchants', 'show', 'nobody-is-called-so'], settings),
    runProgram(['serve', '--role', 'king'], settings),
  ])
  assert.equal(oneJson(shown).handle, handle)
  assertRefused(unknown, { code: 1, says: /^there is no merchant called/ })
  assertRefused(wrong, { code: 2, says: /^--role must be one of all, web, worker\n$/ })
})

test('wrong usage is exit code 2 with the usage on standard error', async () => {
  const { handle } = await shop()
  const wrong: string[][] = [
    ['make', 'money'],
    ['merchants', 'create', '--email', 'a@b.invalid'],
    ['merchants', 'list', '--colour'],
    ['merchants', 'set', handle],
    ['merchants', 'set', handle, '--kyc', 'perhaps'],
    ['merchants', 'set', handle, '--charge-limit', '0'],
    ['merchants', 'set', handle, '--rate-limits', 'charges=0'],
    ['merchants', 'set', handle, '--rate-limits', 'coffee=5'],
    ['merchants', 'set', handle, '--rate-limits', 'charges'],
    ['keys', 'rotate', handle, '--kind', 'gold'],
    ['payouts', 'freeze'],
    ['sandbox', 'set', handle, '--fail-next-payouts', '3'],
    ['sandbox', 'clock', handle, '--advance', 'tomorrow'],
    ['sweep', 'the-floor'],
  ]
  for (const ran of await pairwise(wrong.map((args) => () => run(...args)))) assertRefused(ran, { code: 2, says: /./ })
})

test('merchants set changes each fact, and none empties it', async () => {
  const { handle } = await shop()
  const set = (...args: string[]) => json('merchants', 'set', handle, ...args)
  const all = await set(
    ...['--kyc', 'verified', '--active', 'false', '--vending', 'true', '--auto-refund-on-jam', 'both'],
    ...['--instant-settlement', 'true', '--charge-limit', '5000', '--payout-limit', '7000'],
    ...['--webhook-url', 'https://93.184.216.34/hook'],
  )
  const wanted = {
    kyc_status: 'verified',
    active: false,
    vending_enabled: true,
    auto_refund_on_jam: 'both',
    instant_settlement: true,
    charge_limit: 5000,
    payout_limit: 7000,
    webhook_url: 'https://93.184.216.34/hook',
  }
  assert.deepEqual(pick(all, wanted), wanted)
  assert.deepEqual(pick(await json('merchants', 'show', handle), wanted), wanted)
  const emptied = await set('--charge-limit', 'none', '--payout-limit', 'none', '--webhook-url', 'none')
  assert.deepEqual(pick(emptied, wanted), {
    ...wanted,
    charge_limit: null,
    payout_limit: null,
    webhook_url: null,
  })
  const refused = await run('merchants', 'set', handle, '--webhook-url', 'http://10.0.0.1/hook')
  assertRefused(refused, {
    code: 1,
    says: /^this address is not reachable from the public internet\nfor a trial .* set WEBHOOK_ALLOW_PRIVATE=10\.0\.0\.1:80 for the service and for commands\n$/,
  })
})

test('two changes of one merchant at once both stay', async () => {
  const { handle } = await shop()
  await Promise.all([
    json('merchants', 'set', handle, '--charge-limit', '1000'),
    json('merchants', 'set', handle, '--kyc', 'rejected'),
  ])
  const shown = await json('merchants', 'show', handle)
  assert.deepEqual([shown.charge_limit, shown.kyc_status], [1000, 'rejected'])
})

test('keys rotate kills the old key in the running service within a second, and leaves the others', async () => {
  const { handle, made } = await shop()
  const old = service.client(made.keys.test)
  assert.equal((await old.get('/v1/balance')).status, 200)
  const { kind, key } = await json('keys', 'rotate', handle, '--kind', 'test')
  const rotated = performance.now()
  await eventually('the old key is refused', async () => (await old.get('/v1/balance')).status === 401)
  assert.ok(performance.now() - rotated < 1000)
  assert.equal(kind, 'test')
  assert.equal((await service.client(key).get('/v1/balance')).status, 200)
  for (const other of ['live', 'test_collections', 'live_collections'])
    assert.notEqual((await service.client(made.keys[other]).get('/v1/charges')).status, 401, other)
})

test('funds add puts test money into test available, once for each key, 1 to 100000000', async () => {
  const { handle, made } = await shop()
  const add = (...args: string[]) => run('funds', 'add', handle, ...args, '--json')
  const first = oneJson(await add('--amount', '70000', '--key', 'one'))
  assert.deepEqual(pick(first, { mode: 0, amount: 0, added: 0, available: 0 }), {
    mode: 'test',
    amount: 70_000,
    added: true,
    available: 70_000,
  })
  const repeated = oneJson(await add('--amount', '70000', '--key', 'one'))
  assert.deepEqual([repeated.added, repeated.available, repeated.id], [false, 70_000, first.id])
  const together = await Promise.all(Array.from({ length: 5 }, () => add('--amount', '5', '--key', 'two')))
  assert.equal(together.map((ran) => oneJson(ran)).filter(({ added }) => added).length, 1)
  assert.equal(oneJson(await add('--amount', '100000000')).available, 100_070_005)
  assertRefused(await add('--amount', '100000001'), { code: 2, says: /from 1 to 100000000/ })
  const balance = async (key: string) => (await service.client(key).get('/v1/balance')).body.balances[0].available
  assert.deepEqual([await balance(made.keys.test), await balance(made.keys.live)], [100_070_005, 0])
})

test('payouts freeze and unfreeze, of the platform and of one account, each on its own', async () => {
  const { handle, made } = await shop()
  const frozen = async () => {
    const [platform] = await service.rows<any>('select frozen, reason from payout_freeze')
    const heads = await service.rows<any>(
      `select mode, payouts_frozen_for as why from ledger_heads h join cell_0.merchants m on m.id = h.merchant_id
       where m.public_id = $1 order by mode`,
      [made.id],
    )
    return { platform: platform.frozen ? platform.reason : null, live: heads[1].why, test: heads[0].why }
  }
  assert.deepEqual(await json('payouts', 'freeze', '--reason', 'storm'), {
    scope: 'platform',
    merchant: null,
    frozen: true,
    reason: 'storm',
  })
  assert.deepEqual(await frozen(), { platform: 'storm', live: null, test: null })
  await json('payouts', 'freeze', '--merchant', handle, '--reason', 'doubt')
  assert.deepEqual(await frozen(), { platform: 'storm', live: 'doubt', test: null })
  await json('payouts', 'unfreeze')
  assert.deepEqual(await frozen(), { platform: null, live: 'doubt', test: null })
  const ended = await json('payouts', 'unfreeze', '--merchant', handle)
  assert.deepEqual([ended.scope, ended.frozen], ['account', false])
  assert.deepEqual(await frozen(), { platform: null, live: null, test: null })
  const actsIn = async (place: string) =>
    (await service.rows<any>(`select action, after from ${place}.audit where action like 'payouts.%' order by id`)).map(
      ({ action, after }) => [action, after.reason],
    )
  assert.deepEqual(await actsIn('directory'), [
    ['payouts.freeze', 'storm'],
    ['payouts.unfreeze', null],
  ])
  assert.deepEqual(await actsIn('cell_0'), [
    ['payouts.freeze', 'doubt'],
    ['payouts.unfreeze', null],
  ])
})

const pick = (from: any, wanted: object) => Object.fromEntries(Object.keys(wanted).map((name) => [name, from[name]]))

/** Runs two at a time: a process takes a third of a second of processor time. */
async function pairwise<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  for (let at = 0; at < work.length; at += 2)
    results.push(...(await Promise.all(work.slice(at, at + 2).map((one) => one()))))
  return results
}
