import assert from 'node:assert/strict'
import test from 'node:test'
import { openedAndVerified } from '../helpers/opened.ts'
import { PAYOUT, pay, payoutDigest } from '../helpers/payouts.ts'
import { payer } from '../helpers/schedules.ts'
import { startService } from '../helpers/test-service.ts'
import { assertRefused, invalid, type Refused, TOO_LARGE } from './refused.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))

/** `body`: part of the body; a text is the whole body. */
type Case = { expected: Refused; body: Record<string, unknown> | string }

const integer = invalid('amount must be an integer')
const recipient = (more: unknown) => ({ recipient: more })
const phone = (value: unknown) => recipient({ phone: value })
const badPhone = invalid('recipient.phone is not a valid phone number')
const FORM: Case[] = [
  { expected: invalid('body is not valid JSON'), body: '{"amount":5000,' },
  { expected: invalid('body must be a JSON object'), body: '[]' },
  ...['5000', true, null, 5000.5, [5000], { value: 5000 }].map((amount) => ({
    expected: integer,
    body: { amount },
  })),
  { expected: integer, body: '{"recipient":{"phone":"0700000000"}}' },
  { expected: invalid('currency must be a string'), body: { currency: 1 } },
  { expected: invalid('channel must be a string'), body: { channel: 1 } },
  { expected: invalid('channel must be a string'), body: { channel: ['op1_momo'] } },
  { expected: invalid('recipient is required'), body: recipient(null) },
  { expected: invalid('recipient is required'), body: '{"amount":5000}' },
  { expected: invalid('recipient must be an object'), body: recipient('0700000000') },
  { expected: invalid('recipient must be an object'), body: recipient([{ phone: '0700000000' }]) },
  { expected: invalid('recipient.phone is required'), body: recipient({}) },
  { expected: invalid('recipient.phone is required'), body: phone(null) },
  { expected: invalid('recipient.phone is required'), body: phone('  ') },
  { expected: invalid('recipient.phone must be a string'), body: phone(700000000) },
  ...['07', '0700', 'zero', '+256 700 000 00a', '٠٧٠٠٠٠٠٠٠٠', '1'.repeat(16)].map((text) => ({
    expected: badPhone,
    body: phone(text),
  })),
  {
    expected: invalid('recipient.name must be a string'),
    body: recipient({ phone: '0700000000', name: 1 }),
  },
  {
    expected: invalid('recipient.name must be at most 200 characters'),
    body: recipient({ phone: '0700000000', name: 'n'.repeat(201) }),
  },
  { expected: invalid('reference must be a string'), body: { reference: 7 } },
  { expected: invalid('reference must be at most 255 characters'), body: { reference: 'r'.repeat(256) } },
  { expected: invalid('body contains control characters'), body: { reference: 'a\u0000b' } },
  { expected: TOO_LARGE, body: ' '.repeat(1024 * 1024 + 1) },
]

for (const { expected, body } of FORM)
  test(`"${expected.error}" for ${nameOf(body)} writes nothing and leaves its key free`, async () => {
    const { api } = await payer(service, 10_000)
    const key = { 'idempotency-key': 'one order' }
    const before = await digest()
    const sent = typeof body === 'string' ? body : { ...PAYOUT, ...body }
    assertRefused(await api.post('/v1/payouts', sent, key), expected)
    assert.equal(await digest(), before, 'zero writes')
    const good = await pay(api, {}, key)
    assert.deepEqual([good.status, good.headers.get('idempotent-replayed')], [201, null])
  })

test('texts of the longest length pass, and come back as they were', async () => {
  const { api } = await payer(service, 10_000)
  const reference = 'é'.repeat(255)
  const { status, body } = await pay(api, {
    reference,
    recipient: { phone: '0700000000', name: 'ñ'.repeat(200) },
  })
  assert.deepEqual([status, body.reference, body.recipient_name], [201, reference, 'ñ'.repeat(200)])
})

const digest = async () => `${await service.digest()} ${await payoutDigest(service)}`

function nameOf(body: Case['body']): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return text.slice(0, 60).trim() || 'a body of 1 MiB and a byte'
}
