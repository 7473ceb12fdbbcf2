import assert from 'node:assert/strict'
import test from 'node:test'
import { startEmulator } from '../../emulator/emulator.ts'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { opened } from '../helpers/service/opened.ts'
import { outcomeOf, partnerOf, partyOf, withOperator } from './partner.ts'

// What a caller hears of each fault of rails.md 6.5 that is about one payment, and whether the operator took it:
// by its name, and by the phone 2567700001NN.
const operator = opened(async () => {
  const emulator = await startEmulator({ clock: 'virtual', statusCap: null })
  return { emulator, partner: partnerOf(emulator), close: () => emulator.close() }
})

type Row = [nn: string | null, fault: FaultName, params: FaultParams, hears: unknown[], isTaken: boolean]
const CLOSED = ['UND_ERR_SOCKET']
const REFUSED_500 = [
  ...['NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'INVALID_CURRENCY', 'INVALID_CALLBACK_URL_HOST'],
  ...['PAYER_NOT_FOUND', 'PAYEE_NOT_FOUND', 'NOT_ENOUGH_FUNDS', 'PAYER_LIMIT_REACHED', 'PAYEE_LIMIT_REACHED'],
  ...['PAYEE_NOT_ALLOWED_TO_RECEIVE', 'SENDER_ACCOUNT_NOT_ACTIVE', 'INTERNAL_PROCESSING_ERROR'],
]
const ROWS: Row[] = [
  ['04', 'dropBeforeRead', {}, CLOSED, false],
  ['05', 'dropAfterRead', {}, CLOSED, false],
  ['06', 'dropAfterAccept', {}, CLOSED, true],
  ['07', 'http', {}, [503, ''], false],
  ...[500, 502, 504].flatMap((status): Row[] => [
    [null, 'http', { status }, [status, ''], false],
    [null, 'http', { status, record: true }, [status, ''], true],
  ]),
  ['08', 'http500', {}, [500, 'NOT_ALLOWED'], false],
  ...REFUSED_500.map((code): Row => [null, 'http500', { code, record: true }, [500, code], true]),
  ['09', 'htmlWith200', {}, [200, '<html><body>Request Rejected</body></html>'], false],
  [null, 'htmlWith200', { record: true }, [200, '<html><body>Request Rejected</body></html>'], true],
  ['10', 'garbage', {}, ['HTTPParserError'], false],
  [null, 'garbage', { record: true }, ['HTTPParserError'], true],
  ['11', 'truncate', {}, CLOSED, false],
  [null, 'truncate', { where: 'body', record: true }, CLOSED, true],
  ['12', 'http400', {}, [400, ''], false],
  [null, 'http400', { code: 'PAYER_NOT_FOUND' }, [400, 'PAYER_NOT_FOUND'], false],
  ['15', 'forbiddenIp', {}, [403, 'FORBIDDEN IP'], false],
  ['16', 'quota', {}, [403, 'Out of call volume quota. Quota will be replenished in 0.00:01:30.'], false],
  [
    null,
    'quota',
    { seconds: 183_845 },
    [403, 'Out of call volume quota. Quota will be replenished in 2.03:04:05.'],
    false,
  ],
  ['17', 'tooMany', {}, [429, ''], false],
  ['18', 'conflictOnFirst', {}, [409, 'RESOURCE_ALREADY_EXIST'], true],
  ['46', 'hugeBody', {}, ['UND_ERR_RES_EXCEEDED_MAX_SIZE'], true],
  ['47', 'redirect', {}, [307, ''], false],
  ['48', 'slowBody', {}, ['UND_ERR_BODY_TIMEOUT'], true],
  [null, 'silence', {}, ['UND_ERR_HEADERS_TIMEOUT'], true],
  [null, 'resetAfterRead', {}, ['ECONNRESET'], true],
  [null, 'hugeHeaders', {}, ['UND_ERR_HEADERS_OVERFLOW'], true],
]

for (const [nn, fault, params, hears, isTaken] of ROWS)
  test(`${fault} ${JSON.stringify(params)} is heard as ${hears.join(' ')} and ${isTaken ? 'is' : 'is not'} taken`, async () => {
    const { emulator, partner } = operator
    await emulator.fault(fault, { params })
    const first = await outcomeOf(partner)
    assert.deepEqual(first.hears, hears)
    assert.equal(emulator.transactions({ reference: first.reference }).length, isTaken ? 1 : 0)
    assert.equal((await partner.pay()).status, 202, 'once, when nothing else is said')
    if (nn === null) return
    const byPhone = await outcomeOf(partner, partyOf('collection', `2567700001${nn}`))
    assert.deepEqual(byPhone.hears, hears)
  })

test('429 says when to come again, where a rule says so', async () => {
  await operator.emulator.fault('tooMany', { params: { retryAfter: 7 } })
  assert.equal((await operator.partner.pay()).headers['retry-after'], '7')
})

test('a redirect has an address, and a repeat of what was taken is a duplicate', async () => {
  await operator.emulator.fault('redirect', { params: { record: true } })
  const { headers, reference } = await operator.partner.pay()
  assert.equal(headers.location, 'http://127.0.0.1:9/elsewhere')
  assert.equal((await operator.partner.pay({}, { reference })).status, 409)
})

test('http500 with a failure: the first question says FAILED with that word', async () => {
  await operator.emulator.fault('http500', { params: { code: 'NOT_ENOUGH_FUNDS', fails: true } })
  const { reference } = await operator.partner.pay()
  const { body } = await operator.partner.ask(reference)
  assert.deepEqual([body.status, body.reason], ['FAILED', 'NOT_ENOUGH_FUNDS'])
})

test('slow: payments, questions, tokens, look-ups and balances, each alone', () =>
  withOperator({}, async (emulator, partner) => {
    const { reference } = await partner.pay()
    const headers = { authorization: `Bearer ${await partner.token()}` }
    const get = (path: string) => partner.call('GET', `/collection/v1_0/${path}`, { headers })
    const calls = {
      submit: () => partner.pay(),
      status: () => partner.ask(reference),
      token: () => partner.token(),
      lookup: () => get('accountholder/msisdn/256772000001/active'),
      balance: () => get('account/balance'),
    }
    for (const endpoint of ['submit', 'status', 'token', 'lookup', 'balance'] as const) {
      await emulator.fault('slow', { params: { endpoint, ms: 20_000 } })
      let isAnswered = false
      const slow = calls[endpoint]().then(() => {
        isAnswered = true
      })
      for (const [other, call] of Object.entries(calls)) if (other !== endpoint) await call()
      assert.equal(isAnswered, false, `${endpoint} waits`)
      await emulator.advance(20_000)
      await slow
      await calls[endpoint]()
    }
  }))

test('faults of one payment on other calls: a token in HTML, a question without an answer', () =>
  withOperator({}, async (emulator, partner) => {
    const { reference } = await partner.pay()
    await emulator.fault('htmlWith200', { params: { endpoint: 'token' } })
    await emulator.fault('dropAfterRead', { params: { endpoint: 'status' }, match: { reference } })
    const answer = await partner.call('POST', '/collection/token/', { headers: { authorization: 'Basic x' } })
    assert.match(answer.text, /Request Rejected/)
    await assert.rejects(partner.ask(reference), { code: 'UND_ERR_SOCKET' })
    assert.equal((await partner.ask(reference)).status, 200)
  }))
