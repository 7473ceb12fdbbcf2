// What `npm run test:long` runs, and why it is long. Everything else is `npm test`, and so is a new test unless it must be long:
// a kind of test that stands here leaves at least one case behind in the short run.

/** Files whose tests are all long. */
const LONG = {
  'test/crash/charge-reposted': 'a kill, and real seconds until the lease of the dead process is over',
  'test/crash/payouts-starved': 'a machine without processor time, for half a minute',
  'test/crash/bulk-resumes': 'a kill at each moment of a bulk call',
  'test/pages/once': 'double clicks and returns in a browser',
  'test/pages/keyboard': 'pages of the checkout by keyboard, in a browser',
  'test/pages/hostile': 'hostile words on every page in a browser',
  'test/pages/first-page': 'first pages in a browser',
  'test/pages/people': 'sign-ins in a browser',
  'test/pages/photos': 'pictures in a browser',
  'test/pages/storefront': 'the storefront in a browser',
  'test/pages/verification': 'the verification in a browser',
  // One race each stays in contracts/idempotency-races, journeys/live-payout-queue, journeys/refund-races and journeys/vending-races.
  'test/races/races': 'every race, over a fleet of processes',
  'test/journeys/bulk-races': 'races of bulk calls over two services',
  'test/journeys/checkout-card-races': 'races of gift cards over two services',
  'test/journeys/payout-races': 'races of payouts over two services',
  'test/journeys/payout-fairness': 'long queues of merchants side by side',
  'test/journeys/payout-slept': 'workers that sleep',
  'test/journeys/scheduled-payouts-workers': 'workers beside each other',
  'test/journeys/webhook-workers': 'workers beside each other',
  'test/moneyout/prepared-races': 'races of approvals',
  'test/operation/faults-of-processes': 'processes that sleep, and servers that are killed',
  'test/soak/short-soak': 'hundreds of payments against an operator that misbehaves',
  'test/clients/generated-clients': 'generators of clients and their compilers',
  'test/docs/readme-walk':
    'the walk of the README with a service of its own, on a database server of its own',
  'test/dashboard/accessible': 'axe over every page, in both themes and widths',
  'test/dashboard/money-in-accessible': 'axe over pages in the states of payments',
  'test/dashboard/selling-accessible': 'axe over the pages of selling',
  'test/moneyout/accessible': 'axe over the pages of money out',
  'test/moneyout/in-browser': 'journeys in a browser',
  'test/developers/accessible': 'axe over the pages for developers',
  'test/notices/accessible': 'axe over the notices',
  'test/console/accessible': 'axe over every page of the console',
  'test/console/journeys-of-two': 'journeys of two operators in a browser',
  'test/console/journeys-with-merchants': 'journeys of operators with merchants in a browser',
  'test/pages/accessible-desktop': 'axe over every page of the checkout on a desktop',
}

/** Files with long tests beside short ones, marked by `test/helpers/parts.ts`. */
const PARTLY_LONG = {
  'src/http/multipart': 'thousands of random bodies',
  'src/payouts/bulk/bulk-body': 'a thousand random bodies',
  'src/platform/api-key-format': 'thousands of changed keys',
  'src/scheduled-payouts/next-run': 'thousands of dates',
  'test/emulator/time-and-memory': 'a hundred thousand operations',
  'test/operation/clock-twin': 'a clock that is wrong by eight steps',
  'test/operation/embedded-privacy': 'binaries of a server that are copied twice',
  'test/operation/rate-leases': 'random histories, many runs',
  'test/journeys/refund-races': 'races of a hundred rounds',
  'test/journeys/statement-lines': 'thousands of random lines',
  'test/journeys/vending-tallies': 'a long random history',
  'src/platform/embedded-postgres': 'servers that are killed and started again',
  'src/platform/outbound/attempt': 'receivers that are slow for real seconds',
  'test/console/every-page': 'every page and form x every role and every fault',
  'test/console/journeys': 'journeys in a browser',
  'test/contracts/nasty-bodies': 'every body to every endpoint that reads one',
  'test/contracts/closed-connections': 'clients that leave the service waiting for real seconds',
  'test/contracts/resolve-account': 'an operator that is silent for nine real seconds',
  'test/crash/crash-points': 'a kill -9 at every named point',
  'test/dashboard/every-page': 'every page and form x every role',
  'test/dashboard/journeys': 'journeys in a browser',
  'test/dashboard/reading': 'every page x every role',
  'test/dashboard/refused-forms': 'every form x every role and every fault',
  'test/developers/journeys': 'journeys in a browser',
  'test/journeys/fairness': 'load of one merchant beside others, for real seconds',
  'test/journeys/left-keys': 'an operator that hangs for real seconds',
  'test/journeys/live-charge-kept': 'locked heads and lost commits, for real seconds each',
  'test/journeys/live-charge-slow': 'an operator that answers after five real seconds',
  'test/journeys/live-payout-left': 'processes that hang for real seconds',
  'test/journeys/live-payout-races': 'long races over two services',
  'test/journeys/live-payout-slow': 'an operator that answers after five real seconds',
  'test/journeys/orphaned-keys': 'locks that are held for real seconds',
  'test/journeys/payout-freeze': 'races of many rounds',
  'test/journeys/statement-covered': 'thousands of lines',
  'test/journeys/statement-long': 'tens of thousands of lines',
  'test/journeys/bulk-and-refund-histories': 'random histories, many runs',
  'test/journeys/statement-history': 'random histories, many runs',
  'test/journeys/statement-sums': 'random histories, many runs',
  'test/journeys/status-budget-following': 'hundreds of questions for real seconds',
  'test/journeys/sandbox': 'thousands of charges',
  'test/people/guessing': 'a thousand guesses',
  'test/contracts/unknown-keys': 'hundreds of merchants at once',
  'test/journeys/vending-supplier': 'a supplier that is slow for real seconds',
  'test/operation/program': 'a checkout that is built anew',
  'test/pages/accessible': 'axe over every state of the checkout',
  'test/pages/payment': 'payments in a browser',
  'test/pages/vending-display': 'screens of machines in a browser',
  'test/pages/without-scripts': 'every state of the checkout in a browser without scripts',
  'test/properties/checkout-properties': 'random histories, many runs',
  'test/properties/corrections': 'random histories, several seeds',
  'test/properties/ledger-properties': 'random histories, many runs',
  'test/properties/vending-properties': 'random histories, many runs',
}

export const WITH_LONG_TESTS = Object.keys(PARTLY_LONG)

/** The test files of one part. */
export const filesOf = (part, names) =>
  part === 'long'
    ? names.filter((name) => name in LONG || name in PARTLY_LONG)
    : names.filter((name) => !(name in LONG))

/** Files of the lists above that are gone or have another name. */
export const goneFrom = (names) =>
  [...Object.keys(LONG), ...WITH_LONG_TESTS].filter((name) => !names.includes(name))
