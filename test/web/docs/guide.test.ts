import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { settingsTable } from '../../../src/program/settings/config.ts'
import { readGuide } from '../../../src/web/docs/guide.ts'

const text = readGuide(ENDPOINTS, 'https://pay.example')
  .map(({ markdown }) => markdown)
  .join('\n')

// What the limits of an account are called in the guide.
const LIMITS: Record<string, RegExp> = {
  RATE_LIMIT_CHARGES: /\bcharges\b/,
  RATE_LIMIT_PAYMENT_LINKS: /payment links/,
  RATE_LIMIT_VENDING: /vending orders/,
  RATE_LIMIT_PAYOUTS: /\bpayouts, bulk calls/,
  RATE_LIMIT_SCHEDULES: /schedules/,
  RATE_LIMIT_SUBACCOUNTS: /subaccounts/,
  RATE_LIMIT_RESOLVE_ACCOUNT: /wallet look-ups/,
  RATE_LIMIT_WEBHOOK_RESEND: /webhook resends/,
  RATE_LIMIT_DISPENSE_RETRY: /repeated dispenses/,
  RATE_LIMIT_REFUNDS: /refunds/,
  RATE_LIMIT_STATEMENT_PDF: /statements as PDF/,
  RATE_LIMIT_DISPENSE_SECRET: /dispense secrets/,
  RATE_LIMIT_TESTING: /endpoints for tests/,
  RATE_LIMIT_GRADING: /tests of a webhook receiver/,
  RATE_LIMIT_READS: /reads/,
  RATE_LIMIT_ALL: /all kinds/,
}

test('the guide has every limit of an account, as it is by default', () => {
  const rows = [...text.matchAll(/^\| ([0-9,]+) \| (.+) \|$/gm)].map(([, figure = '', of = '']) => ({
    figure: figure.replaceAll(',', ''),
    of,
  }))
  const own = settingsTable.filter(
    ({ name, reason }) => name.startsWith('RATE_') && reason.includes('for each merchant'),
  )
  assert.deepEqual(own.map(({ name }) => name).sort(), Object.keys(LIMITS).sort())
  for (const { name, byDefault } of own)
    assert.ok(
      rows.some(({ figure, of }) => figure === byDefault && LIMITS[name]?.test(of)),
      `${name} ${byDefault}`,
    )
})

test('no two examples of the guide that are run have one Idempotency-Key', () => {
  const keys = [...text.matchAll(/^.*?\bpost "?\/\S+ ([a-z0-9-]+)/gm)].map(([, key = '']) => key)
  assert.ok(keys.length >= 8, `${keys}`)
  // A charge is refunded once whatever the key, so the second try after a refusal may carry the same.
  assert.deepEqual(
    keys.filter((key, nth) => keys.indexOf(key) !== nth),
    ['refund-1'],
  )
})
