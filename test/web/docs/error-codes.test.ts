import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_CODES } from '../../../src/api/http/openapi/error-codes.ts'
import { sourcesOf } from '../../tidy/sources.ts'

// The folders whose refusals the API answers with.
const FOLDERS = [
  ...['payments/charges', 'payments/payouts', 'payments/refunds', 'payments/scheduled-payouts', 'payments/subaccounts'],
  ...['selling/payment-links', 'selling/vending', 'merchants/webhooks', 'reports'],
  ...['api/http', 'api/idempotency', 'api/rate-limits', 'rails'],
]
// Said on pages and by commands alone.
const ELSEWHERE = [
  ...[
    'no_payout_phone',
    'nothing_to_pay',
    'same_person',
    'fresh_person',
    'too_many_drafts',
    'too_many_prepared',
    'second_person_required',
  ],
  ...[
    'columns_unknown',
    'draft_sent',
    'live_mode',
    'nothing_to_report',
    'one_product',
    'no_webhook_url',
    'not_provisioned',
    'rail_not_configured',
    'refund_limit',
    'second_owner_needed',
    'start_has_passed',
  ],
]
const KEPT = /(?:domainRefusal|refuse)\(\s*'([a-z_]+)'/g
const CODE =
  /(?:domainRefusal|refuse)\(\s*'([a-z_]+)'|new Refusal\(\s*\d+,\s*'([a-z_]+)'|code: '([a-z_]+)'|super\(\d+, '([a-z_]+)'/g

/** Each code that the sources of the API name in this way, with a file. */
function codesOfSources(pattern = CODE): Map<string, string> {
  const found = new Map<string, string>()
  const shared = [
    ...sourcesOf('src/platform', '/refusal.ts'),
    ...sourcesOf('src/merchants/account', '/amount-limits.ts', '/merchant.ts'),
  ]
  for (const { path, text } of [...shared, ...FOLDERS.flatMap((folder) => sourcesOf(`src/${folder}`, '.ts'))])
    if (!path.endsWith('.test.ts') && !path.startsWith('src/reports/notices/') && !path.startsWith('src/reports/push/'))
      for (const [, ...codes] of text.matchAll(pattern)) for (const code of codes) if (code) found.set(code, path)
  return found
}

test('every code with which the API refuses stands in its table with cause and remedy', () => {
  const found = codesOfSources()
  assert.ok(found.size > 30)
  for (const [code, path] of found)
    assert.ok(
      code in ERROR_CODES || ELSEWHERE.includes(code),
      `${code} of ${path} is not in api/http/openapi/error-codes.ts`,
    )
  for (const code of Object.keys(ERROR_CODES)) {
    const written = /^cannot_refund_(pending|authorized|failed)_transaction$/.test(code)
    assert.ok(written || found.has(code), `nothing refuses with ${code}`)
  }
})

test('a cause and a remedy are sentences', () => {
  for (const [code, { statuses, cause, remedy }] of Object.entries(ERROR_CODES)) {
    assert.match(statuses, /^\d{3}/, code)
    for (const text of [cause, remedy]) assert.match(text, /^[A-Z0-9`].*\.$/, code)
  }
})

test('a code says to use a new key where its refusal is kept under the old one, and only there', () => {
  const kept = codesOfSources(KEPT)
  // A rule of refunds that only a page of the dashboard meets.
  kept.delete('bad_request')
  assert.ok(kept.size > 25, `${kept.size}`)
  for (const [code, { retry }] of Object.entries(ERROR_CODES)) {
    const built = code.startsWith('cannot_refund_')
    if (retry === 'new_key') assert.ok(built || kept.has(code), `${code} is not kept`)
    if (retry === 'after_change' || retry === 'same_key')
      assert.ok(!kept.has(code), `${code} of ${kept.get(code)} is kept`)
  }
})
