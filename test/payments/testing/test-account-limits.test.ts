import assert from 'node:assert/strict'
import test from 'node:test'
import { FORBIDDEN, INACTIVE, TEST_KEY_REQUIRED } from '../../api/http/known-refusals.ts'
import { assertRefused, badRequest, invalid, notFound, type Refused } from '../../api/http/refused.ts'
import { ACCOUNTS, freshAccount, makeAccount, removeAccount } from '../../helpers/payments/test-accounts.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService())
const beside = opened(() => startService({ database: service.database, clock: service.clock }))
const api = made(async () => service.client((await service.merchant()).keys.test))
const DAY_MS = 86_400_000
// What was registered and not stored.
const FORGOTTEN =
  'select 1 from directory.merchants d left join merchants m using (id) where d.parent_id is not null and m.id is null'
const NO_MORE: Refused = {
  status: 403,
  code: 'forbidden',
  error: 'this business was made for tests: it makes no others',
}

test('what makes no sense is refused, and so are other keys and what was made for tests itself', async () => {
  const { merchant, parent, account, own } = await freshAccount(service)
  const before = await service.digest('deliveries')
  const cases: [object, Refused][] = [
    [{ name: 'x'.repeat(201) }, invalid('name must be at most 200 characters')],
    [{ name: 'a\u0007b' }, invalid('body contains control characters')],
    [{ name: 7 }, invalid('name must be a string')],
  ]
  for (const [body, refused] of cases)
    assertRefused(await makeAccount(parent, body), refused, { because: JSON.stringify(body) })
  for (const path of [ACCOUNTS, `${ACCOUNTS}/${account.id}/remove`]) {
    assertRefused(await service.client(merchant.keys.live).post(path, '{'), TEST_KEY_REQUIRED)
    assertRefused(await service.client(merchant.keys.test_collections).post(path, {}), FORBIDDEN)
  }
  for (const path of [ACCOUNTS, `${ACCOUNTS}/${account.id}`])
    assertRefused(await service.client(merchant.keys.live).get(path), TEST_KEY_REQUIRED)
  assertRefused(await makeAccount(own, {}), NO_MORE)
  for (const by of [api, own]) {
    assertRefused(await by.get(`${ACCOUNTS}/${account.id}`), notFound('test account not found'))
    assertRefused(await removeAccount(by, account.id), notFound('test account not found'))
  }
  assert.equal(await service.digest('deliveries'), before)
  await service.set(merchant, { active: false })
  assertRefused(await makeAccount(parent, {}), INACTIVE)
  assert.equal((await own.get('/v1/me')).status, 200, 'its own switch is its own')
})

test('thirty at once through two processes make twenty, and one that is removed leaves room for one', async () => {
  const merchant = await service.merchant()
  const parent = service.client(merchant.keys.test)
  const other = beside.client(merchant.keys.test)
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, nth) => makeAccount(nth % 2 === 0 ? parent : other, { name: `run ${nth}` })),
  )
  const accounts = replies.filter(({ status }) => status === 201).map(({ body }) => body)
  assert.equal(accounts.length, 20)
  const ends = accounts.map(({ expires_at: until }) => until).sort()
  const FULL = /^you have 20 test accounts: remove one, or wait until (.*Z), when the oldest ends$/
  for (const { status, body } of replies.filter(({ status }) => status !== 201)) {
    assert.deepEqual([status, body.code], [400, 'bad_request'], body.error)
    assert.ok(ends.includes(FULL.exec(body.error)?.[1] ?? ''), body.error)
  }
  const { body: page } = await parent.get(`${ACCOUNTS}?limit=15`)
  const { body: rest } = await parent.get(`${ACCOUNTS}?limit=15&starting_after=${page.next_cursor}`)
  assert.deepEqual([page.has_more, page.data.length, rest.has_more, rest.data.length], [true, 15, false, 5])
  const ids = [...page.data, ...rest.data].map(({ id }) => id)
  assert.deepEqual([...ids].sort(), accounts.map(({ id }) => id).sort())
  const times = [...page.data, ...rest.data].map(({ created_at: since }) => since)
  assert.deepEqual(times, [...times].sort().reverse(), 'newest first')
  const again = await Promise.all([removeAccount(parent, ids[3]), removeAccount(other, ids[3])])
  for (const reply of again) assert.deepEqual([reply.status, reply.body.status], [200, 'closed'], reply.text)
  assert.equal((await makeAccount(parent, {})).status, 201)
  assert.match((await makeAccount(parent, {})).body.error, FULL)
  assert.deepEqual(await service.rows(FORGOTTEN), [], 'nothing is left of those that were refused')
})

test('one key sent ten times at once through two processes makes one, and leaves nothing of the others', async () => {
  const { keys } = await service.merchant()
  const [parent, other] = [service.client(keys.test), beside.client(keys.test)]
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, nth) =>
      (nth % 2 === 0 ? parent : other).post(ACCOUNTS, { name: 'once' }, { 'idempotency-key': 'ten-at-once' }),
    ),
  )
  const ids = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.id))
  assert.equal(ids.size, 1)
  assert.ok(replies.every(({ status }) => status === 201 || status === 409))
  assert.equal((await parent.get(ACCOUNTS)).body.data.length, 1)
  assert.deepEqual(await service.rows(FORGOTTEN), [])
})

test('at most 200 are made in 24 hours, and the refusal says when there is room', async () => {
  const { parent, account } = await freshAccount(service)
  // Closed ones of the same day, as rows alone: verify runs without them.
  const copies = `insert into merchants (id, public_id, tag, handle, name, email, public_key_test, public_key_live, active, closed_at, created_at,
      parent_id, expires_at)
    select 900000 + n, 'mer_copy' || n, lpad(n::text, 5, '0'), 'copy-' || n, name, email, 'copy t ' || n, 'copy l ' || n, false, created_at, created_at,
      parent_id, expires_at from merchants cross join generate_series(1, 199) n where public_id = $1`
  await service.rows(copies, [account.id])
  const refused = await makeAccount(parent, {})
  const free = new Date(Date.parse(account.created_at) + DAY_MS).toISOString()
  assertRefused(refused, badRequest(`you have made 200 test accounts in 24 hours: the next one can be made at ${free}`))
  await service.rows('delete from merchants where id = 900001')
  assert.equal((await makeAccount(parent, {})).status, 201)
  await service.rows('delete from merchants where id > 900000')
})
