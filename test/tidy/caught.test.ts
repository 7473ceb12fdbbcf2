import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourcesOf } from './sources.ts'

// Where an error is caught, logged, and the work goes on: one item of many, or what is told beside the work, and what brings it back.
const LOGGED_AND_GOES_ON: Record<string, string> = {
  'src/api/rate-limits/shared-address-window.ts': 'one count of an address is lost; requests are not refused for it',
  'src/merchants/request-log/request-recorder.ts': 'some rows of the log; they are counted as dropped',
  'src/merchants/webhooks/addresses/send-address-deliveries.ts': 'one delivery of many; its lease brings it back',
  'src/merchants/webhooks/apply-address-changes.ts': 'one merchant of many; its row stays due',
  'src/merchants/webhooks/send-deliveries.ts': 'one delivery of many; its lease brings it back',
  'src/operations/alerts/record-proofs.ts': 'what was found stands without its alert; the next check opens it',
  'src/operations/alerts/run-checks.ts': 'one check of many; its alerts stay as they are',
  'src/operations/approvals/unfreeze.ts': 'one cell of many; its sweep follows the directory',
  'src/operations/reconciliation/rail-callback.ts': 'a callback is a hint; its movement is asked about anyway',
  'src/payments/charges/watch-charge.ts': 'a page asks earlier than the follower, which asks anyway',
  'src/payments/payouts/sending/send-payouts.ts': 'one payout of many; its row stays due',
  'src/platform/batches/sweep.ts': 'one run of a task; it runs again, and a count and an alert say that it fails',
  'src/program/commands/upkeep.ts': 'the findings of verify are printed, stored or not',
  'src/program/process-timers.ts': 'one look at what others did; the next comes within seconds',
  'src/rails/callbacks.ts': 'questions are not brought forward; they are asked at their time',
  'src/rails/following/follow-live.ts': 'one movement of many; its row stays due',
  'src/rails/following/own-posts.ts': 'a callback that leads to no question; the ladder asks',
  'src/rails/posting/post.ts': 'one post of many; its attempt says that it may have left',
  'src/rails/rail-troubles.ts': 'the trouble is kept in memory and written with the next',
  'src/reports/notices/daily-close.ts': 'one account of many; its row stays due',
  'src/reports/notices/send-notices.ts': 'one notice of many; its row stays due',
  'src/reports/push/collect-news.ts': 'one business of many; its news are found again',
  'src/reports/push/send-pushes.ts': 'one device of many; its lease brings it back',
  'src/selling/invoices/write-invoice-mails.ts': 'one mail of many; its lease brings it back',
  'src/selling/vending/dispensing/send-command.ts': 'a supplier that throws counts as an unclear answer',
  'src/selling/vending/dispensing/simulated-reports.ts': 'one report of the sandbox; it is tried again',
  'src/web/console/wait-briefly.ts': 'the page was answered already; the check is stored as not ended',
}

const CAUGHT =
  /\}\s*catch\s*(?:\([^)]*\))?\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}|\.catch\(\s*\(?[^)]*\)?\s*=>\s*((?:[^()]|\([^()]*\))*?)\)/g

test('an error is caught only to be logged in the files of a list, which says why the work goes on', () => {
  const product = sourcesOf('src', '.ts', '.tsx').filter(({ path }) => !/\.test\.tsx?$/.test(path))
  const logging = product.filter(({ code }) =>
    [...code.matchAll(CAUGHT)].some(([, block, arrow]) => {
      const body = block ?? arrow ?? ''
      return /\blog\.\w+\(/.test(body) && !/\bthrow\b/.test(body)
    }),
  )
  assert.deepEqual(logging.map(({ path }) => path).sort(), Object.keys(LOGGED_AND_GOES_ON))
})
