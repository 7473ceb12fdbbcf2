import { tagEndpoints } from '../../api/http/endpoint.ts'
import { LIST_QUERY } from '../../api/http/lists/lists.ts'
import { listEndpoint, objectEndpoint } from '../../api/http/read-endpoints.ts'
import { actEndpoint, createEndpoint } from '../../api/http/write-endpoints.ts'
import type { App } from '../../program/app.ts'
import { removeTestAccount } from './end-test-accounts.ts'
import { makeTestAccount } from './make-test-account.ts'
import { postNextEnd, TestNextCreateShape, TestNextShape } from './next-ends.ts'
import {
  getTestAccount,
  listTestAccounts,
  MAX_OPEN_TEST_ACCOUNTS,
  MAX_TEST_ACCOUNTS_A_DAY,
  presentTestAccount,
  type TestAccount,
  TestAccountCreateShape,
  TestAccountShape,
  TestAccountWithKeysShape,
} from './test-account.ts'
import { postTestClock, TestClockMoveShape, TestClockShape } from './test-clock.ts'
import { type FindSample, postTestEvent, TestEventCreateShape, TestEventShape } from './test-events.ts'
import { addFundsForTests, TestFundsAddShape, TestFundsShape } from './test-funds.ts'

const TEST_ONLY = { testOnly: true } as const

/** The endpoints for tests. `findSample` finds the data of an example of an event. */
export const testingEndpoints = (findSample: FindSample) =>
  tagEndpoints('Testing', [...STEERING, sendTestEvents(findSample), ...ACCOUNTS])

const STEERING = [
  createEndpoint<App, typeof TestClockMoveShape>({
    ...TEST_ONLY,
    path: '/v1/test/clock',
    name: 'moveTestClock',
    summary: 'Move your test clock forward',
    description:
      'The clock decides what is due in test mode: the ends of holds and the cycles of scheduled payouts. It never goes back, and is at most ten years ahead; times that are stored stay real. It belongs to your account and moves nothing of others. Live keys are refused.',
    action: 'sandbox.clock',
    rate: 'test_clock',
    body: TestClockMoveShape,
    answers: { 201: { description: 'moved; what is due then follows at once', schema: TestClockShape } },
    make: postTestClock,
  }),
  createEndpoint<App, typeof TestFundsAddShape>({
    ...TEST_ONLY,
    path: '/v1/test/funds',
    name: 'addTestFunds',
    summary: 'Add test money to your balance',
    description: 'So that payouts and refunds can be tried before anything was sold. Live keys are refused.',
    action: 'funds.add',
    rate: 'test_funds',
    body: TestFundsAddShape,
    answers: { 201: { description: 'added', schema: TestFundsShape } },
    make: addFundsForTests,
  }),
  createEndpoint<App, typeof TestNextCreateShape>({
    ...TEST_ONLY,
    path: '/v1/test/next',
    name: 'setNextEnds',
    summary: 'Say how the next payments of a phone end',
    description:
      'The next charges from this phone, or payouts to it, end as you say: by API, on a payment page, in bulk and in cycles. It goes before what the number would do by itself, and before the failing payouts of the dashboard. Of several for one phone the first one is used up first. What is not used within 24 hours is forgotten. Live keys are refused.',
    action: 'sandbox.next',
    rate: 'test_next',
    body: TestNextCreateShape,
    answers: { 201: { description: 'waiting for the next payments', schema: TestNextShape } },
    make: postNextEnd,
  }),
]

const ACCOUNT_ID = 'starts with `mer_`'
const ACCOUNT = { description: 'the account, without its keys', schema: TestAccountShape }

const ACCOUNTS = [
  createEndpoint<App, typeof TestAccountCreateShape>({
    ...TEST_ONLY,
    path: '/v1/test/accounts',
    name: 'createTestAccount',
    summary: 'Make a fresh business for tests',
    description: `A business of its own, with test keys, books, webhooks and events of its own and nothing of yours, for a run of your tests. Its balance is 0; \`POST /v1/test/funds\` with its key adds to it. After 24 hours its keys are refused. At most ${MAX_OPEN_TEST_ACCOUNTS} are open at a time, and ${MAX_TEST_ACCOUNTS_A_DAY} are made in 24 hours. Such a business makes no others. Its keys take over no address, signature or limit of yours. Live keys are refused.`,
    action: 'sandbox.account',
    rate: 'test_accounts',
    body: TestAccountCreateShape,
    answers: { 201: { description: 'made; its keys are shown here alone', schema: TestAccountWithKeysShape } },
    make: makeTestAccount,
  }),
  listEndpoint<App, TestAccount>({
    ...TEST_ONLY,
    path: '/v1/test/accounts',
    name: 'listTestAccounts',
    summary: 'List your businesses for tests',
    description: 'Those that are closed too. Live keys are refused.',
    query: LIST_QUERY,
    row: TestAccountShape,
    list: listTestAccounts,
    present: presentTestAccount,
  }),
  objectEndpoint<App, TestAccount>({
    ...TEST_ONLY,
    path: '/v1/test/accounts/:id',
    name: 'getTestAccount',
    summary: 'Read one business for tests',
    description: 'Without its keys. Live keys are refused.',
    id: ACCOUNT_ID,
    shape: ACCOUNT,
    find: getTestAccount,
    present: presentTestAccount,
  }),
  actEndpoint<App, TestAccount>({
    ...TEST_ONLY,
    path: '/v1/test/accounts/:id/remove',
    name: 'removeTestAccount',
    summary: 'Remove a business for tests',
    description:
      'Its keys are refused at once, and there is room for another one. Removed already: unchanged. Live keys are refused.',
    action: 'sandbox.account',
    rate: 'test_accounts',
    id: ACCOUNT_ID,
    shape: ACCOUNT,
    act: removeTestAccount,
    present: presentTestAccount,
  }),
]

const sendTestEvents = (findSample: FindSample) =>
  createEndpoint<App, typeof TestEventCreateShape>({
    ...TEST_ONLY,
    path: '/v1/test/events',
    name: 'sendTestEvent',
    summary: 'Send yourself an event',
    description:
      'Any event, with the data of its example or with yours, is posted to your addresses like every event, signed and repeated, to each one beside the first by its `events`, and is in `GET /v1/events`. Nothing has happened: its `data` has `"sample": true` and `"mode": "test"`, it is about no object, and lists and their `event` filters count it as `test.ping`. Live keys are refused.',
    action: 'webhook.ping',
    rate: 'test_events',
    body: TestEventCreateShape,
    answers: { 201: { description: 'stored, and on its way', schema: TestEventShape } },
    make: (app, request) => postTestEvent(app, request, findSample),
  })
