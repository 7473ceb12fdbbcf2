import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import test from 'node:test'
import type { Switch } from '../../emulator/checks.ts'
import { startEmulator } from '../../emulator/emulator.ts'
import { opened } from '../helpers/service/opened.ts'
import { codeOf, type Heard, type Partner, partnerOf } from './partner.ts'

// What the operator refuses (rails.md 6.1), each row with its exact answer, and again with the check left out.
const operator = opened(async () => {
  const emulator = await startEmulator({ clock: 'virtual', platform: 'new' })
  return { emulator, partner: partnerOf(emulator), close: () => emulator.close() }
})

const basicOf = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
const own = () => operator.emulator.credentials.collection
const good = () => basicOf(own().user, own().secret)
const token =
  (headers: Record<string, string | undefined> = {}, body?: string) =>
  () =>
    operator.partner.call('POST', '/collection/token/', {
      headers: { authorization: good(), ...headers },
      body,
    })
const pay =
  (changes: Record<string, unknown>, headers: Record<string, string> = {}, reference: string = randomUUID()) =>
  (partner: Partner) =>
    partner.pay(changes, { headers, reference })
const KEY_DENIED = /^Access denied due to invalid subscription key/
const VALIDATION = [400, 'VALIDATION_ERROR']

type Row = [
  name: string,
  call: (partner: Partner) => Promise<Heard>,
  refused: [number, string | RegExp],
  check: Switch | null,
  instead: number,
]
const ROWS: Row[] = [
  [
    'a subscription key that is missing',
    token({ 'ocp-apim-subscription-key': undefined }),
    [401, KEY_DENIED],
    'without subscriptionKey',
    200,
  ],
  [
    'a subscription key of the other product',
    () => token({ 'ocp-apim-subscription-key': operator.emulator.credentials.disbursement.subscriptionKey })(),
    [401, KEY_DENIED],
    'without subscriptionKey',
    200,
  ],
  [
    'a client that calls itself python-requests',
    token({ 'user-agent': 'python-requests/2.31' }),
    [403, /Forbidden/],
    'without userAgent',
    200,
  ],
  [
    'a token call with a form body',
    token({ 'content-type': 'application/x-www-form-urlencoded' }, 'grant_type=client_credentials'),
    [200, /Request Rejected/],
    'without form',
    200,
  ],
  [
    'a wrong secret',
    () => token({ authorization: basicOf(own().user, 'wrong') })(),
    [401, 'login_failed'],
    'without user',
    200,
  ],
  [
    'a user in URL coding',
    () => token({ authorization: basicOf(encodeURIComponent(own().user), own().secret) })(),
    [401, 'login_failed'],
    'without user',
    200,
  ],
  [
    'a token call without the environment',
    token({ 'x-target-environment': undefined }),
    [400, 'Invalid or missing X-Target-Environment header'],
    'without tokenTarget',
    200,
  ],
  ['a call without a bearer token', pay({}, { authorization: '' }), [401, 'login_failed'], 'without bearer', 202],
  [
    'a call with an unknown token',
    pay({}, { authorization: 'Bearer nobody' }),
    [401, 'login_failed'],
    'without bearer',
    202,
  ],
  [
    'a wrong environment',
    pay({}, { 'x-target-environment': 'mtnghana' }),
    [500, 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
    'without target',
    202,
  ],
  ['no reference', pay({}, {}, ''), VALIDATION as [number, string], 'without reference', 202],
  [
    'a reference of version 1',
    pay({}, {}, 'e1b0a0c0-1111-1111-8111-111111111111'),
    VALIDATION as [number, string],
    'without reference',
    202,
  ],
  [
    'a body that is no JSON',
    (partner) => partner.call('POST', '/collection/v1_0/requesttopay', { body: 'amount=5', headers: bearerAnd() }),
    VALIDATION as [number, string],
    null,
    0,
  ],
  ...['0', '5.5', '-5', '', 'many', undefined].map(
    (amount): Row => [`the amount ${amount}`, pay({ amount }), VALIDATION as [number, string], 'without body', 202],
  ),
  ...['0772', '+256772000001', '1234567890123456', undefined].map(
    (partyId): Row => [
      `the phone ${partyId}`,
      pay({ payer: { partyIdType: 'MSISDN', partyId } }),
      VALIDATION as [number, string],
      'without body',
      202,
    ],
  ),
  ['no external id', pay({ externalId: undefined }), VALIDATION as [number, string], 'without body', 202],
  [
    'the wrong side',
    pay({ payer: undefined, payee: { partyIdType: 'MSISDN', partyId: '256772000001' } }),
    VALIDATION as [number, string],
    'without body',
    202,
  ],
  ...["O'Shop", 'a # b', 'a & b', 'x'.repeat(161)].map(
    (payeeNote): Row => [
      `the note ${payeeNote.slice(0, 9)}`,
      pay({ payeeNote }),
      VALIDATION as [number, string],
      'without note',
      202,
    ],
  ),
  ...['', null].map(
    (payerMessage): Row => [
      `the note ${JSON.stringify(payerMessage)}`,
      pay({ payerMessage }),
      [500, 'INTERNAL_PROCESSING_ERROR'],
      'without note',
      202,
    ],
  ),
  ['another currency', pay({ currency: 'EUR' }), [500, 'INVALID_CURRENCY'], 'without currency', 202],
  [
    'an empty callback address',
    pay({}, { 'x-callback-url': '' }),
    VALIDATION as [number, string],
    'without callback',
    202,
  ],
  [
    'a callback address without a scheme',
    pay({}, { 'x-callback-url': 'pay.example/x' }),
    VALIDATION as [number, string],
    'without callback',
    202,
  ],
  [
    'a callback host that is not registered',
    pay({}, { 'x-callback-url': 'https://elsewhere.example/x' }),
    [500, 'INVALID_CALLBACK_URL_HOST'],
    'without callback',
    202,
  ],
]

let bearer = ''
const bearerAnd = () => ({ authorization: `Bearer ${bearer}`, 'x-reference-id': randomUUID() })

for (const [name, call, [status, says], check, instead] of ROWS)
  test(`it refuses ${name}`, async () => {
    bearer = await operator.partner.token()
    const heard = await call(operator.partner)
    const [heardStatus, heardSays] = codeOf(heard)
    assert.equal(heardStatus, status, heard.text)
    if (typeof says === 'string') assert.equal(heardSays, says)
    else assert.match(heardSays, says)
    if (check === null) return
    operator.emulator.switch(check, true)
    try {
      operator.emulator.reset()
      assert.equal((await call(operator.partner)).status, instead, `with "${check}"`)
    } finally {
      operator.emulator.switch(check, false)
    }
  })

test('a POST without a body and without a length gets 411', async () => {
  const { port } = new URL(operator.emulator.url)
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write('POST /collection/token/ HTTP/1.1\r\nhost: x\r\n\r\n')
    socket.once('data', (bytes) => resolve(bytes.toString('latin1')))
    socket.once('data', () => socket.destroy())
  })
  assert.match(answer, /^HTTP\/1\.1 411 /)
  assert.match(answer, /text\/html/)
})
