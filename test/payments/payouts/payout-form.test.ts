import assert from 'node:assert/strict'
import test from 'node:test'
import { SPREADSHEET_HINT } from '../../../src/platform/text/phone.ts'
import { assertFree, caseOf, type Rule } from '../../api/http/kept-or-free.ts'
import { invalid, TOO_LARGE } from '../../api/http/refused.ts'
import { METADATA_REFUSALS } from '../../helpers/payments/metadata-refusals.ts'
import { PAYOUT, pay, payoutDigest } from '../../helpers/payments/payouts.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))
const shop = made(() => payer(service, 1_000_000))

const integer = invalid('amount must be an integer')
const recipient = (more: unknown) => ({ recipient: more })
const phone = (value: unknown) => recipient({ phone: value })
const badPhone = invalid('recipient.phone is not a valid phone number')
const FORM: Rule[] = [
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
  ...['256772123456.0', '77212345.0', '772123456.00'].map((text) => ({
    expected: invalid(`recipient.phone is not a valid phone number${SPREADSHEET_HINT}`),
    body: phone(text),
  })),
  ...['256256772123456', '25677212345'].map((text) => ({
    expected: invalid('recipient.phone is not a valid phone number: behind 256 come nine digits'),
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
  ...METADATA_REFUSALS,
  { expected: TOO_LARGE, body: ' '.repeat(1024 * 1024 + 1) },
]

for (const { expected, body } of FORM)
  test(`"${expected.error}" leaves the key of a payout free (${caseOf({ body })})`, () => {
    const sent = typeof body === 'string' ? body : { ...PAYOUT, ...body }
    return assertFree({ api: shop.api, path: '/v1/payouts', body: sent, expected, digest }, PAYOUT)
  })

test('texts of the longest length pass, and come back as they were', async () => {
  const { api } = shop
  const reference = 'é'.repeat(255)
  const { status, body } = await pay(api, {
    reference,
    recipient: { phone: '0700000000', name: 'ñ'.repeat(200) },
  })
  assert.deepEqual([status, body.reference, body.recipient_name], [201, reference, 'ñ'.repeat(200)])
})

const digest = async () => `${await service.digest()} ${await payoutDigest(service)}`
