// Runs tests on a cluster of Citus: each database of a test has its directory and its cell as distributed schemas.
//   TEST_CITUS_URL=postgres://... cluster-tests.mjs          a choice that takes a few minutes
//   TEST_CITUS_URL=postgres://... cluster-tests.mjs --all    every test of contract, money, vending and verify
//   --again                                                  as in run-tests.mjs
// The address is that of a coordinator with its workers: a superuser, and a database in which `create extension citus` was run. Without it the
// script says so and does nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ALL = [
  ...[
    'src/ledger/',
    'src/payments/',
    'src/operations/verify/',
    'test/api/idempotency/',
    'test/platform/cluster-routes',
    'test/platform/cells-killed',
  ],
  ...['test/merchants/', 'test/operations/', 'test/payments/', 'test/rails/', 'test/reports/', 'test/selling/'],
]
const CHOICE = [
  ...[
    'test/platform/cluster-routes',
    'test/platform/cells-on-nodes',
    'src/operations/verify/verify',
    'src/ledger/book',
    'test/operations/audit/audit.',
  ],
  ...['charge.', 'charge-lost.', 'live-charge.', 'split-charge.'].map((name) => `test/payments/charges/${name}`),
  ...[
    'refunds/refund.',
    'refunds/refund-live',
    'payouts/payout.',
    'payouts/payout-freeze',
    'exceptions/exception-evidence',
  ].map((name) => `test/payments/${name}`),
  ...[
    'dispensing/vending-dispense.',
    'dispensing/vending-core',
    'dispensing/vending-jam-refund',
    'callbacks/vending-callback.',
  ].map((name) => `test/selling/vending/${name}`),
]

// Files that are left out, and why. A single test is left out by `notOnCluster` (test/helpers/service/parts.ts).
const LEFT_OUT = {
  'test/operations/verify/breaches':
    'it switches off constraints and writes rows in ways that a cluster refuses; that breaches are found there, verify.test shows',
  'test/operations/verify/upgrade-records':
    'it applies migrations that are older than any cell of a cluster, as they are applied to one server',
}
// One that waits for what never comes costs so much, and no more.
const SECONDS_A_FILE = 300

if (!process.env.TEST_CITUS_URL) {
  console.log('tests on a cluster: skipped, TEST_CITUS_URL names no coordinator of Citus')
  process.exit(0)
}
const words = process.argv.includes('--all') ? ALL : CHOICE
const again = process.argv.includes('--again') ? ['--again'] : []
const runTests = fileURLToPath(new URL('run-tests.mjs', import.meta.url))
const without = Object.keys(LEFT_OUT).flatMap((file) => ['--without', file])
const options = ['--apart', `${SECONDS_A_FILE}`, ...without, ...again]
const [code] = await once(spawn(process.execPath, [runTests, ...options, ...words], { stdio: 'inherit' }), 'exit')
for (const [file, why] of Object.entries(LEFT_OUT)) console.log(`# left out: ${file}: ${why}`)
process.exit(code ?? 1)
