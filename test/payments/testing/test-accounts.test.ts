import assert from 'node:assert/strict'
import test from 'node:test'
import { KEY_REUSED } from '../../api/http/known-refusals.ts'
import { assertRefused, notFound, unauthorized } from '../../api/http/refused.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { ACCOUNTS, freshAccount, makeAccount, removeAccount } from '../../helpers/payments/test-accounts.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { addAddress, at, happening } from '../../helpers/web/addresses.ts'
import { answering, deliverAll } from '../../helpers/web/webhooks.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

const receiver = opened(() => startReceiver())
const env = () => ({ WEBHOOK_ALLOW_PRIVATE: receiver.place })
const service = openedAndVerified(() => startService({ env: env() }))
const beside = opened(() => startService({ database: service.database, clock: service.clock, env: env() }))
const { run, json } = commandsOn(service)
const shop = made(() => service.merchant())
const api = made(async () => service.client(shop.keys.test))
const DAY_MS = 86_400_000
const DEAD = unauthorized('invalid api key')

const auditOf = (publicId: string) =>
  service.rows<{ action: string; actor: string; after: Record<string, unknown> }>(
    `select a.action, a.actor, a.after from audit a join merchants m on m.id = a.merchant_id
     where m.public_id = $1 and a.action in ('sandbox.account', 'merchant.close') order by a.id`,
    [publicId],
  )

test('a fresh business has keys and books of its own, and pays and is paid beside its parent', async () => {
  const { merchant, parent, account, own } = await freshAccount(service, { name: 'CI run 4711' })
  const { id, keys, created_at: since, expires_at: until, ...said } = account
  assert.deepEqual(said, { object: 'test_account', name: 'CI run 4711', status: 'open' })
  assert.match(id, /^mer_[a-z0-9]{21}$/)
  assert.match(keys.full, /^sk_test_[0-9A-Za-z]{33}$/)
  assert.match(keys.collections, /^sk_test_col_[0-9A-Za-z]{33}$/)
  assert.equal(Date.parse(until) - Date.parse(since), DAY_MS)
  const { body: me } = await own.get('/v1/me')
  assert.deepEqual([me.name, me.mode, me.scope, me.active], ['CI run 4711', 'test', 'full', true])
  assert.equal((await service.client(keys.collections).get('/v1/me')).body.scope, 'collections')
  assert.deepEqual(await balanceOf(own), { available: 0, pending: 0 })
  await own.post('/v1/test/funds', { amount: 100_000 })
  assert.equal((await own.post('/v1/payouts', { amount: 1000, recipient: { phone: '0700000000' } })).status, 201)
  const { body: charge } = await own.charge()
  service.pass(2000)
  await service.run('follow-charges')
  assert.equal((await own.get(`/v1/charges/${charge.id}`)).body.status, 'succeeded')
  assertRefused(await parent.get(`/v1/charges/${charge.id}`), notFound('charge not found'))
  assert.deepEqual(await balanceOf(parent), { available: 0, pending: 0 })
  assert.deepEqual((await parent.get('/v1/charges')).body.data, [])
  const [act] = await auditOf(merchant.id)
  assert.deepEqual([act?.action, act?.after], ['sandbox.account', { name: 'CI run 4711', expires_at: until }])
  assert.match(act?.actor ?? '', /^test full key \.\.\./)
})

test('it has no live mode, no people and no page, and no list of ours shows it', async () => {
  const { account, own } = await freshAccount(service)
  const { body: me } = await own.get('/v1/me')
  assert.equal((await fetch(`${service.url}/pay/@${me.handle}`)).status, 404)
  const listed = await json('merchants', 'list')
  assert.ok(listed.length > 0 && listed.every(({ id }: { id: string }) => id !== account.id))
  for (const [args, says] of [
    [['keys', 'create', account.id, '--kind', 'live'], 'this business was made for tests: it has no live keys'],
    [['keys', 'rotate', account.id, '--kind', 'live'], 'this business was made for tests: it has no live keys'],
    [
      ['people', 'add', account.id, '--email', 'a@b.example', '--role', 'owner'],
      'this business was made for tests: nobody signs in to it',
    ],
  ] as const) {
    const { code, stderr, stdout } = await run(...args)
    assert.ok(code !== 0 && `${stderr}${stdout}`.includes(says), `${args.join(' ')}: ${stderr}${stdout}`)
  }
})

test('a key sent again makes one and shows the same keys, which are stored nowhere in clear', async () => {
  const keyed = { 'idempotency-key': 'account once' }
  const through = [api, beside.client(shop.keys.test)]
  const first = await api.post(ACCOUNTS, { name: 'once' }, keyed)
  const more = await Promise.all(through.map((client) => client.post(ACCOUNTS, { name: 'once' }, keyed)))
  for (const again of more)
    assert.deepEqual([again.text, again.headers.get('idempotency-status')], [first.text, 'replayed'])
  assertRefused(await api.post(ACCOUNTS, { name: 'twice' }, keyed), KEY_REUSED)
  const [stored] = await service.rows<{ body: string }>('select body from idempotency_keys where object_id = $1', [
    first.body.id,
  ])
  assert.ok(stored?.body.includes(first.body.id) && !stored.body.includes('sk_test'), stored?.body)
  const { data } = (await api.get(ACCOUNTS)).body
  assert.deepEqual(data.filter(({ name }: { name: string }) => name === 'once').length, 1)
  assert.ok(!JSON.stringify(data).includes('sk_test'))
})

test('of the same request at once through two processes one business comes', async () => {
  const merchant = await service.merchant()
  const keyed = { 'idempotency-key': 'at once' }
  const through = [service.client(merchant.keys.test), beside.client(merchant.keys.test)]
  const replies = await Promise.all(Array.from({ length: 10 }, (_, nth) => through[nth % 2]?.post(ACCOUNTS, {}, keyed)))
  const texts = new Set(replies.flatMap((reply) => (reply?.status === 201 ? [reply.text] : [])))
  assert.equal(texts.size, 1)
  for (const reply of replies) assert.ok(reply?.status === 201 || reply?.status === 409, reply?.text)
  const [first] = texts
  assert.equal((await service.client(JSON.parse(first ?? '').keys.full).get('/v1/me')).status, 200)
  assert.equal((await through[0]?.get(ACCOUNTS))?.body.data.length, 1)
})

test('a call that was cut before its keys were let in is finished by the same request again', async () => {
  const keyed = { 'idempotency-key': 'cut' }
  const { body, text } = await api.post(ACCOUNTS, {}, keyed)
  await service.rows(
    'delete from directory.api_keys k using merchants m where m.id = k.merchant_id and m.public_id = $1',
    [body.id],
  )
  const own = beside.client(body.keys.full)
  assertRefused(await own.get('/v1/balance'), DEAD)
  assert.equal((await api.post(ACCOUNTS, {}, keyed)).text, text)
  assert.equal((await own.get('/v1/balance')).status, 200)
})

test('one that is removed is refused at once in every process, and its parent is not touched', async () => {
  const { merchant, parent, account, own } = await freshAccount(service)
  const other = beside.client(account.keys.full)
  assert.equal((await other.get('/v1/balance')).status, 200)
  const { status, body } = await removeAccount(parent, account.id)
  const { keys: _, ...shown } = account
  assert.deepEqual([status, body], [200, { ...shown, status: 'closed' }])
  for (const key of [account.keys.full, account.keys.collections])
    assertRefused(await service.client(key).get('/v1/balance'), DEAD)
  await eventually('the other process refuses it', async () => (await other.get('/v1/balance')).status === 401)
  assertRefused(await own.charge(), DEAD)
  for (const key of Object.values(merchant.keys)) assert.equal((await service.client(key).get('/v1/me')).status, 200)
  assert.deepEqual(
    (await auditOf(merchant.id)).map(({ after }) => after.removed ?? false),
    [false, true],
  )
  assert.deepEqual((await auditOf(account.id)).at(-1)?.after, { active: false, account: 'closed', webhookUrl: null })
  assert.equal(await service.run('close-accounts'), 0)
})

test('a merchant that is switched off has none: they end with the next run of the task', async () => {
  const { merchant, parent, account, own } = await freshAccount(service)
  await service.set(merchant, { active: false })
  assert.equal(await service.run('close-accounts'), 1)
  assertRefused(await own.get('/v1/balance'), DEAD)
  await service.set(merchant, { active: true })
  assert.equal((await parent.get(`${ACCOUNTS}/${account.id}`)).body.status, 'closed')
  assert.equal((await makeAccount(parent)).status, 201)
})

test('its keys take over no address, signature or limit of the key that asked', async () => {
  const merchant = await service.merchant()
  const listed = await json('keys', 'list', merchant.id)
  const full = listed.find(({ kind }: { kind: string }) => kind === 'test')
  assert.equal((await run('keys', 'limit', merchant.id, '--id', full.id, '--day', '1000')).code, 0)
  assert.equal((await run('keys', 'addresses', merchant.id, '--id', full.id, '--only', '127.0.0.0/8')).code, 0)
  await service.gateway.keyRing.refresh()
  const { status, body } = await makeAccount(service.client(merchant.keys.test))
  assert.equal(status, 201)
  const rules = await service.rows(
    `select k.allowed_from, k.signed_by, k.daily_limit from directory.api_keys k join merchants m on m.id = k.merchant_id
     where m.public_id = $1`,
    [body.id],
  )
  assert.deepEqual(rules, Array(2).fill({ allowed_from: null, signed_by: null, daily_limit: null }))
})

test('after 24 hours its keys are refused and its webhooks stop, and what it holds stays in order', async () => {
  receiver.behave(answering(200))
  const keyed = { 'idempotency-key': 'a day' }
  const merchant = await service.merchant()
  const parent = service.client(merchant.keys.test)
  const { body: account, text } = await parent.post(ACCOUNTS, {}, keyed)
  const own = service.client(account.keys.full)
  const address = await addAddress(own, receiver.url)
  const eventId = await happening(service, own)
  await deliverAll(service)
  assert.equal(at(receiver, eventId).length, 1)
  await own.post('/v1/test/clock', { advance_seconds: 3 * 86_400 })
  service.pass(Date.parse(account.expires_at) - service.clock.nowMs() - 60_000)
  await service.run('close-accounts')
  assert.equal((await own.get('/v1/me')).status, 200, 'the test clock ends nothing')
  const late = await happening(service, own)
  service.pass(60_000)
  assertRefused(await own.get('/v1/me'), DEAD)
  assertRefused(await beside.client(account.keys.collections).get('/v1/me'), DEAD)
  assert.equal((await parent.get(`${ACCOUNTS}/${account.id}`)).body.status, 'closed')
  assert.ok((await service.run('close-accounts')) > 0)
  assert.equal(await service.run('close-accounts'), 0)
  await deliverAll(service)
  assert.deepEqual([at(receiver, late).length, at(receiver, eventId).length], [0, 1])
  const [row] = await service.rows(
    `select m.active, m.closed_at is not null as closed, (select count(*)::int from webhook_addresses a
       where a.merchant_id = m.id and a.id = $2 and a.removed_at is null) as addresses,
       (select count(*)::int from api_keys k where k.merchant_id = m.id and k.revoked_at is null) as keys
     from merchants m where m.public_id = $1`,
    [account.id, address.id],
  )
  assert.deepEqual(row, { active: false, closed: true, addresses: 0, keys: 0 })
  assert.equal((await parent.post(ACCOUNTS, {}, keyed)).text, text, 'a repeat shows what it showed')
  assertRefused(await own.get('/v1/me'), DEAD)
  assert.equal((await removeAccount(parent, account.id)).body.status, 'closed')
  assert.equal((await makeAccount(parent, {})).status, 201)
})
