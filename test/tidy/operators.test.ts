import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourcesOf } from './sources.ts'

const PRODUCT = sourcesOf('src', '.ts', '.tsx').filter(({ path }) => !path.endsWith('.test.ts'))

// What may name the first operator. Everything else asks for all live rails (rails/live-rails.ts), so that a second operator needs a
// folder in rails/, its settings, a line in open-rails.ts and its texts.
const NAMES_IT = [
  /^src\/rails\/op1-momo\//,
  /^src\/program\/(?:settings\/|open-rails\.ts$)/,
  // The type of all channels, and the one of money for which nothing names a channel.
  'src/rails/rail.ts',
  // The account of the ledger that corrections are posted against; the ledger does not import rails.
  'src/ledger/corrections.ts',
  // The command that makes a user on that operator's own sandbox.
  'src/program/commands/rails.ts',
  // Tables of texts and prefixes by channel.
  /^src\/web\/checkout\/texts\/\w+\.ts$/,
  'src/rails/number-ranges.ts',
  'src/web/checkout/pages/pay.tsx',
  'src/reports/words/channels.ts',
  'src/web/dashboard/texts/operators.ts',
  // What the API describes, and examples of requests.
  'src/api/http/openapi/error-codes.ts',
  'src/payments/charges/charge-request.ts',
  'src/payments/payouts/payout-request.ts',
  'src/payments/scheduled-payouts/schedule-request.ts',
  'src/program/commands/demo.ts',
  'src/web/parts/snippets.ts',
  'src/web/parts/sign-snippets.ts',
  'src/web/dashboard/request-example.ts',
  'src/web/docs/event-samples.ts',
  'src/web/docs/front-page.tsx',
]
const names = (path: string) => NAMES_IT.filter((rule) => (typeof rule === 'string' ? rule === path : rule.test(path)))

test('only its own folder, the settings and tables by channel name an operator', () => {
  const naming = PRODUCT.filter(({ text }) => /op1[_-]momo/.test(text)).map(({ path }) => path)
  assert.deepEqual(
    naming.filter((path) => names(path).length === 0),
    [],
  )
  const unused = NAMES_IT.filter((rule) => !naming.some((path) => names(path).includes(rule)))
  assert.deepEqual(unused, [], 'the list has nothing that no longer names it')
})
