import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, badRequest, invalid, type Refused } from '../../api/http/refused.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService())
const beside = opened(() => startService({ database: service.database, clock: service.clock }))
const shop = made(() => service.merchant())
const api = made(async () => service.client(shop.keys.test))
const DAY = 86_400_000
const REASONS = 'insufficient_funds, user_cancelled, timeout, rail_rejected'

const next = (body: object, by: Client = api) =>
  by.post('/v1/test/next', { kind: 'charge', outcome: 'failed', ...body })
const waiting = async () =>
  (await service.rows<{ n: number }>('select coalesce(sum(remaining), 0)::int as n from next_ends'))[0]?.n
const charge = async (phone: string, by: Client = api): Promise<string> => {
  const { status, body } = await by.charge({ customer: { phone } })
  assert.deepEqual([status, body.status], [201, 'authorized'], 'a 201 is never final')
  return body.id
}
const payout = async (phone: string): Promise<string> => {
  const { status, body } = await api.post('/v1/payouts', { amount: 1000, recipient: { phone } })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

/** Lets the sandbox decide what is due after so long. */
async function decide(afterMs = 5000): Promise<void> {
  service.pass(afterMs)
  for (const sweep of ['follow-charges', 'send-payouts']) while ((await service.run(sweep)) > 0);
}
async function endOf(kind: 'charges' | 'payouts', id: string, by: Client = api): Promise<[string, string | null]> {
  const { body } = await by.get(`/v1/${kind}/${id}`)
  return [body.status, body.failure_reason]
}

test('the next charges of a phone fail as asked, in any way of writing it, and the one after them ends as its number says', async () => {
  const { status, body } = await next({ phone: '0711 000 001', reason: 'timeout', count: 2 })
  const { id, expires_at: until, ...said } = body
  assert.equal(status, 201)
  assert.deepEqual(said, {
    ...{ object: 'test_next', kind: 'charge', phone: '256711000001', outcome: 'failed', reason: 'timeout' },
    ...{ after_seconds: null, count: 2 },
  })
  assert.match(id, /^next_/)
  assert.ok(Math.abs(Date.parse(until) - service.clock.nowMs() - DAY) < 60_000)
  const ids = [await charge('+256711000001'), await charge('0711000001'), await charge('0711000001')]
  const other = await charge('0711000002')
  await decide()
  const ends = await Promise.all([...ids, other].map((id) => endOf('charges', id)))
  const failed = ['failed', 'timeout']
  assert.deepEqual(ends, [failed, failed, ['succeeded', null], ['succeeded', null]])
  assert.equal(await waiting(), 0)
  const [act] = await service.rows<{ actor: string }>(`select actor from audit where action = 'sandbox.next'`)
  assert.match(act?.actor ?? '', /^test full key \.\.\./)
})

test('what was asked for goes before the special numbers, and a payout takes none of a charge', async () => {
  await api.post('/v1/test/funds', { amount: 100_000 })
  await next({ phone: '0700000001', outcome: 'succeeded' })
  await next({ kind: 'payout', phone: '0722000001', reason: 'wallet_locked' })
  await next({ kind: 'payout', phone: '0700000003', outcome: 'succeeded' })
  const charges = [await charge('0700000001'), await charge('0722000001')]
  const payouts = [await payout('0722000001'), await payout('0700000003'), await payout('0722000001')]
  await decide()
  assert.deepEqual(await Promise.all(charges.map((id) => endOf('charges', id))), [
    ['succeeded', null],
    ['succeeded', null],
  ])
  assert.deepEqual(await Promise.all(payouts.map((id) => endOf('payouts', id))), [
    ['failed', 'wallet_locked'],
    ['succeeded', null],
    ['succeeded', null],
  ])
})

test('payments stay open for as long as was asked, and end then', async () => {
  await next({ phone: '0733000001', outcome: 'pending', after_seconds: 60 })
  await next({ phone: '0733000002', reason: 'user_cancelled', after_seconds: 60 })
  await next({ phone: '0733000003', reason: 'user_cancelled', after_seconds: 0 })
  await next({ kind: 'payout', phone: '0733000004', outcome: 'pending', after_seconds: 60 })
  const ids = [await charge('0733000001'), await charge('0733000002')]
  const sent = await payout('0733000004')
  const atOnce = await charge('0733000003')
  // While many charges are made such an end is found a little later (docs/limits.md).
  await decide(3500)
  assert.deepEqual(await endOf('charges', atOnce), ['failed', 'user_cancelled'])
  await decide(50_000)
  for (const id of ids) assert.equal((await endOf('charges', id))[0], 'authorized')
  assert.equal((await endOf('payouts', sent))[0], 'authorized')
  // Between two questions there is up to half as long again.
  await decide(60_000)
  const ends = await Promise.all(ids.map((id) => endOf('charges', id)))
  assert.deepEqual(ends, [
    ['succeeded', null],
    ['failed', 'user_cancelled'],
  ])
  assert.equal((await endOf('payouts', sent))[0], 'succeeded')
})

test('a payment on a page of a link is one of the next', async () => {
  await next({ phone: '0744000001', reason: 'insufficient_funds' })
  const { body: link } = await api.post('/v1/payment-links', { amount: 5000 })
  const form = new URLSearchParams({ channel: 'op1_momo', phone: '0744000001' })
  await fetch(`${service.url}/pay/${link.id}/submit`, { method: 'POST', body: form, redirect: 'manual' })
  await decide()
  const { body } = await api.get(`/v1/charges?payment_link=${link.id}`)
  assert.deepEqual(
    body.data.map((one: { status: string; failure_reason: string }) => [one.status, one.failure_reason]),
    [['failed', 'insufficient_funds']],
  )
})

test('of many charges at once through two processes exactly one is hit, and another merchant is not touched', async () => {
  const phone = newPayer()
  const other = service.client((await service.merchant()).keys.test)
  const through = [api, beside.client(shop.keys.test)]
  // Both processes know the terms of the merchant from before.
  for (const client of through) await charge(phone, client)
  await decide()
  assert.equal((await next({ phone, reason: 'timeout' })).status, 201)
  const theirs = await charge(phone, other)
  const ids = await Promise.all(Array.from({ length: 40 }, (_, nth) => charge(phone, through[nth % 2])))
  await decide()
  const ends = await Promise.all(ids.map((id) => endOf('charges', id)))
  assert.equal(ends.filter(([status]) => status === 'failed').length, 1)
  assert.equal(ends.filter(([status]) => status === 'succeeded').length, 39)
  assert.deepEqual(await endOf('charges', theirs, other), ['succeeded', null])
})

test('of many payouts at once exactly one is hit', async () => {
  await api.post('/v1/test/funds', { amount: 1_000_000 })
  const phone = newPayer()
  await next({ kind: 'payout', phone, reason: 'timeout' })
  const ids = await Promise.all(Array.from({ length: 20 }, () => payout(phone)))
  await decide()
  const ends = await Promise.all(ids.map((id) => endOf('payouts', id)))
  assert.equal(ends.filter(([status]) => status === 'failed').length, 1)
})

test('what makes no sense is refused in one sentence, and nothing waits', async () => {
  const phone = '0755000001'
  const before = await waiting()
  const wrong = (text: string) => badRequest(text)
  const cases: [object, Refused][] = [
    [{ phone }, wrong(`a failed charge needs a reason: one of ${REASONS}`)],
    [{ phone, reason: 'wallet_locked' }, wrong(`a failed charge needs a reason: one of ${REASONS}`)],
    [{ phone, outcome: 'succeeded', reason: 'timeout' }, wrong('reason is for outcome failed alone')],
    [{ phone, outcome: 'pending' }, wrong('pending needs after_seconds')],
    [{ phone, outcome: 'pending', after_seconds: 0 }, wrong('after_seconds must be a whole number from 1 to 86400')],
    [
      { phone, outcome: 'succeeded', after_seconds: 86_401 },
      wrong('after_seconds must be a whole number from 0 to 86400'),
    ],
    [{ phone, reason: 'timeout', count: 0 }, wrong('count must be a whole number from 1 to 100')],
    [{ phone, reason: 'timeout', count: 101 }, wrong('count must be a whole number from 1 to 100')],
    [{ phone, reason: 'timeout', count: 1.5 }, invalid('count must be an integer')],
    [{ phone: '07', reason: 'timeout' }, invalid('phone is not a valid phone number')],
    [{ phone, kind: 'top_up' }, invalid('kind must be one of charge, payout (got top_up)')],
  ]
  for (const [body, refused] of cases) {
    const reply = await next(body)
    const { status, code, error } = { status: reply.status, ...reply.body }
    if (refused.error.includes('phone')) assert.deepEqual([status, code], [400, 'bad_request'], error)
    else assertRefused(reply, refused, { because: JSON.stringify(body) })
  }
  assert.equal(await waiting(), before)
})

test('a merchant has at most 100 of them, a key sent again adds none, and after a day they are forgotten', async () => {
  const own = service.client((await service.merchant()).keys.test)
  const body = { phone: '0766000001', reason: 'timeout' }
  const keyed = { 'idempotency-key': 'next once' }
  const ask = () => own.post('/v1/test/next', { kind: 'charge', outcome: 'failed', ...body }, keyed)
  const first = await ask()
  const again = await ask()
  assert.deepEqual([again.text, again.headers.get('idempotency-status')], [first.text, 'replayed'])
  for (let nth = 1; nth < 100; nth += 1) assert.equal((await next(body, own)).status, 201)
  assertRefused(
    await next(body, own),
    badRequest('at most 100 wait at a time: let payments use some up, or wait a day'),
  )
  service.pass(DAY + 1000)
  const id = await charge('0766000001', own)
  await decide()
  assert.deepEqual(await endOf('charges', id, own), ['succeeded', null])
  assert.equal((await next(body, own)).status, 201)
  service.pass(4 * DAY)
  await service.run('prune')
  assert.deepEqual(await service.rows('select 1 from chosen_ends'), [])
})
