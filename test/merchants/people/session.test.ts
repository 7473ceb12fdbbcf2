import assert from 'node:assert/strict'
import test from 'node:test'
import {
  findSession,
  hashToken,
  makePersonCaller,
  type SignedInSession,
} from '../../../src/merchants/people/session.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const MINUTE = 60_000
const service = opened(() => startService())

/** An owner with a session of twelve hours under this cookie. */
async function signIn(token: string): Promise<void> {
  const { id } = await service.merchant()
  const [account] = token
  await service.rows(
    `with someone as (insert into people (public_id, realm, name, email, email_key, created_at)
       values ('per_' || repeat($1, 21), 'merchant', 'A', $1 || '@a.invalid', $1 || '@a.invalid', $4) returning id),
     shop as (select id from directory.merchants where public_id = $2),
     works as (insert into memberships (person_id, merchant_id, role, created_at)
       select someone.id, shop.id, 'owner', $4 from someone, shop)
     insert into sessions (id, hash, person_id, merchant_id, stage, agent, address, created_at, seen_at, ends_at)
     select 'ses_' || repeat($1, 21), $3, someone.id, shop.id, 'in', '', '', $4, $4, $5 from someone, shop`,
    [account, id, hashToken(token), service.clock.now(), new Date(service.clock.nowMs() + 720 * MINUTE)],
  )
}

const find = (token: string | null, isPoll = false) => findSession(service.gateway, 'merchant', token, { isPoll })

test('a cookie finds its session with the merchants of its person, and no other text finds one', async () => {
  await signIn('a-token')
  const found = (await find('a-token')) as SignedInSession
  assert.equal(found.person.email, 'a@a.invalid')
  assert.equal(found.at?.role, 'owner')
  assert.equal(found.memberships.length, 1)
  assert.equal(found.hasFactor, false)
  for (const other of [null, '', 'b-token', 'a-token ', 'x'.repeat(5000)]) assert.equal(await find(other), null)
  const caller = makePersonCaller(found as SignedInSession & { at: NonNullable<SignedInSession['at']> }, {
    ...{ mode: 'live', origin: '::1', requestId: 'r', nowMs: service.clock.nowMs() },
  })
  assert.deepEqual(
    [caller.merchantId, caller.role, caller.confirmed, caller.factorAgeMs],
    [found.at?.merchantId, 'owner', false, null],
  )
})

test('A68: a session ends after thirty idle minutes, and after twelve hours of use', async () => {
  await signIn('c-token')
  service.pass(29 * MINUTE)
  assert.ok(await find('c-token'))
  for (let used = 29; used < 719; used += 29) {
    assert.ok(await find('c-token'), `after ${used} minutes`)
    service.pass(29 * MINUTE)
  }
  assert.equal(await find('c-token'), null, 'after twelve hours')
  await signIn('d-token')
  service.pass(31 * MINUTE)
  assert.equal(await find('d-token'), null, 'after thirty-one idle minutes')
})

test('A68: what a page asks by itself does not keep a person signed in, and keeps a till', async () => {
  await signIn('p-token')
  await signIn('t-token')
  await service.rows(
    `update people set kind = 'till', email = null, email_key = null where public_id = 'per_' || repeat('t', 21)`,
  )
  for (let minutes = 0; minutes < 29; minutes += 1) {
    service.pass(MINUTE + 1)
    assert.ok(await find('p-token', true), `after ${minutes} minutes`)
    assert.ok(await find('t-token', true))
  }
  service.pass(2 * MINUTE)
  assert.equal(await find('p-token', true), null)
  assert.ok(await find('t-token', true))
  const [seen] = await service.rows<{ at: Date }>(
    `select seen_at as at from sessions where id = 'ses_' || repeat('t', 21)`,
  )
  assert.ok(
    seen && service.clock.nowMs() - seen.at.getTime() < MINUTE,
    'the people page shows when a till was last there',
  )
})

test('a till is as far as its owners: with an address that none of them has proven it is not confirmed', async () => {
  await signIn('u-token')
  const { at } = (await find('u-token')) as SignedInSession
  await service.rows(
    `with till as (insert into people (public_id, realm, kind, name, created_at)
       values ('per_' || repeat('v', 21), 'merchant', 'till', 'Front', $1) returning id),
     works as (insert into memberships (person_id, merchant_id, role, created_at) select id, $2, 'cashier', $1 from till)
     insert into sessions (id, hash, person_id, merchant_id, stage, agent, address, created_at, seen_at, ends_at)
     select 'ses_' || repeat('v', 21), $3, id, $2, 'in', '', '', $1, $1, $1::timestamptz + interval '1 hour' from till`,
    [service.clock.now(), at?.merchantId, hashToken('v-token')],
  )
  const confirmed = async () => {
    const found = (await find('v-token')) as SignedInSession & { at: NonNullable<SignedInSession['at']> }
    return makePersonCaller(found, {
      mode: 'live',
      origin: '::1',
      requestId: 'r',
      nowMs: service.clock.nowMs(),
    }).confirmed
  }
  assert.equal(await confirmed(), false)
  await service.rows(`update people set confirmed_at = $1 where public_id = 'per_' || repeat('u', 21)`, [
    service.clock.now(),
  ])
  assert.equal(await confirmed(), true)
})

test('the use of a session is noted once a minute, whoever is fast', async () => {
  await signIn('e-token')
  const seen = async () =>
    (await service.rows(`select seen_at, xmin from sessions where id = 'ses_' || repeat('e', 21)`))[0]
  const before = await seen()
  await find('e-token')
  assert.deepEqual(await seen(), before)
  service.pass(MINUTE + 1)
  await find('e-token')
  assert.notDeepEqual(await seen(), before)
})

test('what has ended is dropped by the hourly sweep, and what counts stays', async () => {
  const rows = async () =>
    (
      await service.rows<{ sessions: number; misses: number }>(
        `select (select count(*)::int from sessions) as sessions, (select count(*)::int from sign_in_misses) as misses`,
      )
    )[0]
  service.pass(13 * 60 * MINUTE)
  await signIn('f-token')
  for (const [realm, hours] of [
    ['merchant', -1],
    ['operator', 1],
  ] as const)
    await service.rows(`insert into sign_in_misses (realm, account, misses, counts_until) values ($1, $2, 1, $3)`, [
      realm,
      hashToken(realm),
      new Date(service.clock.nowMs() + hours * 60 * MINUTE),
    ])
  await service.run('prune')
  assert.deepEqual(await rows(), { sessions: 1, misses: 1 })
  assert.ok(await find('f-token'))
})
