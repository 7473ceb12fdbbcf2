import assert from 'node:assert/strict'
import test from 'node:test'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import type { SubmitAnswer } from '../../src/rails/rail.ts'
import { NEVER_OPENS, type Wired, wireUp } from '../helpers/payments/op1.ts'
import { opened } from '../helpers/service/opened.ts'
import { attemptAt, EACH_SIDE, movementOf, type Side, soon } from './rail-attempts.ts'

// One case for each row of rails.md 3.6: what the operator answers to a payment, and what it counts for.
const wired = opened(() => wireUp({ contract: { breaker: NEVER_OPENS } }))

const attempt = ({ clock }: Wired) => attemptAt(clock, { installation: 'ug-1' })

type Seen = Partial<{
  kind: SubmitAnswer<string>['kind']
  repeated: boolean
  reason: string
  operatorCode: string
  ourFault: boolean
  cure: string
  why: string
  retryAfterSeconds: number
  refused: string
}>

/** What matters of an answer, without its evidence. */
function seen(submitted: SubmitAnswer<string>): Seen {
  const { evidence: _, ...rest } = submitted
  if (rest.kind !== 'ambiguous') return rest as Seen
  return { kind: 'ambiguous', ...(rest.refused ? { refused: rest.refused.operatorCode } : {}) }
}

type Case = { name: string; fault: FaultName; params?: FaultParams; sides?: Side[]; seen: Seen }
const person = (why: string): Seen => ({ kind: 'unavailable', cure: 'person', why })
const rejected = (reason: string, operatorCode: string, ourFault: boolean): Seen => ({
  ...{ kind: 'rejected', reason, operatorCode, ourFault },
})
const http = (status: number, code?: string): FaultParams => ({
  status,
  ...(code === undefined ? {} : { code }),
})

const CASES: Case[] = [
  { name: '409 at once', fault: 'conflictOnFirst', seen: { kind: 'accepted', repeated: true } },
  {
    name: '400 with a word',
    fault: 'http400',
    params: { code: 'VALIDATION_ERROR' },
    seen: rejected('rail_rejected', 'VALIDATION_ERROR', true),
  },
  { name: '400 without a body', fault: 'http400', seen: rejected('rail_rejected', 'BAD_REQUEST', true) },
  {
    name: '400 with a party that is not there',
    fault: 'http400',
    params: { code: 'PAYER_NOT_FOUND' },
    sides: ['collect'],
    seen: rejected('rail_rejected', 'PAYER_NOT_FOUND', false),
  },
  {
    name: '404 with a recipient that is not there',
    fault: 'http',
    params: http(404, 'PAYEE_NOT_FOUND'),
    sides: ['disburse'],
    seen: rejected('recipient_not_found', 'PAYEE_NOT_FOUND', false),
  },
  {
    name: 'a word about our own account',
    fault: 'http400',
    params: { code: 'PAYER_NOT_FOUND' },
    sides: ['disburse'],
    seen: person('account barred'),
  },
  { name: 'FORBIDDEN IP', fault: 'forbiddenIp', seen: person('address not allow-listed') },
  {
    name: 'a quota with its time',
    fault: 'quota',
    params: { seconds: 95 },
    seen: { kind: 'unavailable', cure: 'wait', retryAfterSeconds: 95 },
  },
  { name: '403 of a firewall', fault: 'http', params: http(403), seen: person('product not enabled') },
  { name: '404 without a word', fault: 'http', params: http(404), seen: person('product not enabled') },
  { name: '405', fault: 'http', params: http(405), seen: person('product not enabled') },
  { name: '411', fault: 'http', params: http(411), seen: person('product not enabled') },
  {
    name: '429 with its time',
    fault: 'tooMany',
    params: { retryAfter: 17 },
    seen: { kind: 'unavailable', cure: 'wait', retryAfterSeconds: 17 },
  },
  {
    name: '429 without one',
    fault: 'tooMany',
    seen: { kind: 'unavailable', cure: 'wait', retryAfterSeconds: 5 },
  },
  ...['NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'INVALID_CURRENCY', 'PAYER_NOT_FOUND', 'PAYEE_NOT_FOUND']
    .concat('NOT_ENOUGH_FUNDS', 'PAYER_LIMIT_REACHED', 'PAYEE_LIMIT_REACHED', 'PAYEE_NOT_ALLOWED_TO_RECEIVE')
    .concat('SENDER_ACCOUNT_NOT_ACTIVE')
    .map(
      (code): Case => ({
        name: `500 ${code}, which a question does not confirm`,
        fault: 'http500',
        params: { code },
        seen: { kind: 'ambiguous', refused: code },
      }),
    ),
  { name: '500 without a word', fault: 'http', params: http(500), seen: { kind: 'ambiguous' } },
  {
    name: '500 INTERNAL_PROCESSING_ERROR',
    fault: 'http',
    params: http(500, 'INTERNAL_PROCESSING_ERROR'),
    seen: { kind: 'ambiguous' },
  },
  ...[502, 503, 504, 418, 204, 307].map(
    (status): Case => ({
      name: String(status),
      fault: 'http',
      params: http(status),
      seen: { kind: 'ambiguous' },
    }),
  ),
  {
    name: 'another 4xx with a word of the table',
    fault: 'http',
    params: http(422, 'PAYEE_NOT_ALLOWED_TO_RECEIVE'),
    sides: ['disburse'],
    seen: rejected('wallet_locked', 'PAYEE_NOT_ALLOWED_TO_RECEIVE', false),
  },
  { name: 'a page with 200', fault: 'htmlWith200', seen: { kind: 'ambiguous' } },
  { name: 'a redirect', fault: 'redirect', seen: { kind: 'ambiguous' } },
]

for (const { name, fault, params = {}, sides = EACH_SIDE, seen: expected } of CASES)
  for (const side of sides)
    test(`${side}: ${name} is ${expected.kind}${expected.cure ? `, ${expected.cure}` : ''}`, async () => {
      await wired.emulator.fault(fault, { params })
      const submitted = await movementOf(wired.rail, side).submit(attempt(wired), soon())
      const found = seen(submitted)
      for (const [field, value] of Object.entries(expected))
        assert.deepEqual(found[field as keyof Seen], value, `${field} of ${JSON.stringify(found)}`)
      assert.equal(submitted.evidence.stage, 'answered')
    })

for (const side of EACH_SIDE) {
  test(`${side}: 202 is accepted, and the same post again is a 409, accepted and repeated`, async () => {
    const one = attempt(wired)
    const movement = movementOf(wired.rail, side)
    const kinds = [await movement.submit(one, soon()), await movement.submit(one, soon())]
    assert.deepEqual(kinds.map(seen), [
      { kind: 'accepted', repeated: false },
      { kind: 'accepted', repeated: true },
    ])
    const posts = wired.emulator.journal(one.reference).filter(({ method }) => method === 'POST')
    assert.deepEqual(
      posts.map(({ answer }) => answer),
      [202, 409],
    )
  })

  test(`${side}: a refusal as a 500 that the operator has recorded as FAILED is a definite no`, async () => {
    const one = attempt(wired)
    const rule = {
      match: { reference: one.reference },
      resolve: { status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' },
    } as const
    wired.emulator.setRules([{ ...rule, onSubmit: { http: { status: 500, code: 'NOT_ENOUGH_FUNDS' }, record: true } }])
    const submitted = await movementOf(wired.rail, side).submit(one, soon())
    wired.emulator.setRules([])
    assert.deepEqual(seen(submitted), rejected('insufficient_funds', 'NOT_ENOUGH_FUNDS', false))
    assert.ok(
      wired.emulator.journal(one.reference).some(({ method }) => method === 'GET'),
      'it was asked about',
    )
  })

  test(`${side}: the first 401 costs one new token and the same post again, a second one is the fault of a person`, async () => {
    const one = attempt(wired)
    await wired.emulator.fault('unauthorizedOnce')
    const once = await movementOf(wired.rail, side).submit(one, soon())
    assert.equal(once.kind, 'accepted')
    await wired.emulator.fault('unauthorizedOnce', { params: { times: 2 } })
    const twice = await movementOf(wired.rail, side).submit(attempt(wired), soon())
    assert.deepEqual(
      [twice.kind, twice.kind === 'unavailable' && twice.cure, twice.kind === 'unavailable' && twice.why],
      ['unavailable', 'person', 'credentials refused'],
    )
  })
}

test('a callback address whose host the operator refuses is not sent again', async () => {
  const own = await wireUp({
    contract: { callback: { base: 'https://pay.example/inbound/op1', send: true } },
  })
  const one = attemptAt(own.clock, { installation: 'ug-1', callbackPath: 'abcde/token' })
  const first = await movementOf(own.rail, 'collect').submit(one, soon())
  assert.deepEqual(seen(first), { kind: 'ambiguous', refused: 'INVALID_CALLBACK_URL_HOST' })
  const again = await movementOf(own.rail, 'collect').submit(one, soon())
  await own.close()
  assert.equal(again.kind, 'accepted')
  assert.ok(own.alarms.some(({ says }) => says.includes('INVALID_CALLBACK_URL_HOST')))
})

test('a foreign number is refused without a call, unless the contract allows it', async () => {
  const one = attemptAt(wired.clock, { installation: 'ug-1', phone: '254712345678' })
  const refused = await movementOf(wired.rail, 'disburse').submit(one, soon())
  assert.deepEqual(seen(refused), rejected('rail_rejected', 'PHONE_NOT_LOCAL', false))
  assert.deepEqual(wired.emulator.journal(one.reference), [])
})
