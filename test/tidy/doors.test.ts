import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from './sources.ts'

const ALL = ['src', 'test'].flatMap((folder) => sourcesOf(folder, '.ts', '.tsx'))
const PRODUCT = ALL.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))

// It is read in one sitting.
const MAX_LINES_OF_ARCHITECTURE = 150

/** The places where files that may not import something import it as a value. */
function importsOf(what: RegExp, allowed: RegExp): string[] {
  return PRODUCT.filter(({ path }) => !allowed.test(path)).flatMap(({ path, imports }) =>
    imports
      .filter((imported) => !imported.typeOnly && what.test(imported.path))
      .map((imported) => `${path}:${imported.line} ${imported.path}`),
  )
}

test('only platform/outbound and the wire of the live rail open connections to others', () => {
  const network = /^(?:undici|node:(?:net|tls|dns|dgram|http2?|https)(?:\/.*)?)$/
  // HTTP and the metrics listen for requests and call nobody, a parent of processes finds a free port; the socket is that of the driver of our own database.
  assert.deepEqual(
    importsOf(
      network,
      /^src\/(?:platform\/outbound\/|rails\/op1-momo\/transport\.ts$|api\/http\/|program\/metrics\.ts$|program\/fleet\/run-parent\.ts$|platform\/db\/wire\/server-socket\.ts$)/,
    ),
    [],
  )
  const calls = PRODUCT.filter(({ code }) => /(?<![.\w])fetch\(/.test(code)).map(({ path }) => path)
  assert.deepEqual(calls, [])
})

test('only alerts, machine suppliers and webhooks send through it', () => {
  const senders =
    /^src\/(?:platform\/outbound\/|program\/open-posters\.ts$|operations\/alerts\/|selling\/vending\/|merchants\/webhooks\/)/
  assert.deepEqual(importsOf(/^src\/platform\/outbound\/attempt/, senders), [])
})

test('only routes, the sender of replies and the frame see HTTP', () => {
  const doors = /^src\/(?:api\/http\/|(?:[\w-]+\/)+(?:[\w-]+-)?routes\.ts$|web\/checkout\/send-reply\.ts$)/
  const seen = PRODUCT.filter(({ path }) => !doors.test(path)).flatMap(({ path, imports }) =>
    imports.filter((imported) => /^@?fastify\b/.test(imported.path)).map((imported) => `${path}:${imported.line}`),
  )
  assert.deepEqual(seen, [])
})

test('S5: a lane of a cell is declared, so that a stop waits for it and the metrics show it', () => {
  // Callbacks for all cells arrive at one endpoint, and keys are looked up and files received before the cell is known. The server waits
  // for them as for every request.
  const others = [
    'src/selling/vending/callbacks/receive-callback.ts',
    'src/merchants/account/find-key-holders.ts',
    'src/web/parts/routes/upload-routes.ts',
  ]
  const made = /\b(?:batch|turns|merchantTurns)(?:<[^(]*>)?\(/
  const undeclared = PRODUCT.filter(
    ({ path, code }) =>
      !/^src\/(?:platform|api\/rate-limits)\//.test(path) &&
      !others.includes(path) &&
      made.test(code) &&
      !/\bdefine(?:Request)?Lane\(/.test(code),
  )
  assert.deepEqual(
    undeclared.map(({ path }) => path),
    [],
  )
})

test('limits of time are made by timeLimit: a collection may take away what AbortSignal makes itself', () => {
  const made = PRODUCT.filter(({ code }) => /\bAbortSignal\.(?:any|timeout)\(/.test(code))
  assert.deepEqual(
    made.map(({ path }) => path),
    [],
  )
})

// What reserves money for a payout, or has one reserved, without the rule of the second person, and why.
const WITHOUT_SECOND_PERSON: Record<string, string> = {
  'src/payments/payouts/bulk/run-item.ts': 'its call has passed as a whole when it was stored',
  'src/payments/payouts/prepared/check-payout.ts': 'judges what is asked for or prepared, and writes nothing of it',
  'src/payments/refunds/refund-charge.ts': 'goes back to the payer of its charge, and never more than was paid',
  'src/payments/scheduled-payouts/run-cycle.ts': 'its schedule has passed when it was made',
  'src/payments/withdrawals/withdraw.ts': 'goes to the verified number alone, and waits for an operator',
}

test('whatever sends money out for a person passes the rule of the second person, or says why not', () => {
  const sends = PRODUCT.filter(({ code }) => /(?<!function )\b(?:openDesk|acceptPayout)\((?:app|\{)/.test(code))
  // `by`: who is judged where another function reserves.
  const unjudged = sends.filter(({ code }) => !/\bopenChecks\(tx|\bby: actor\b/.test(code)).map(({ path }) => path)
  assert.deepEqual(unjudged.sort(), Object.keys(WITHOUT_SECOND_PERSON))
  assert.ok(sends.length > unjudged.length, 'the others are found')
  const reserves = PRODUCT.filter(({ code }) => /(?<!function )\breservePayout\(/.test(code))
  assert.deepEqual(
    reserves.map(({ path }) => path),
    ['src/payments/payouts/desk/desk.ts'],
  )
})

test('no file has a name that says nothing', () => {
  const empty = /^(?:utils?|helpers?|common|services?|managers?|index)\.tsx?$/
  assert.deepEqual(
    ALL.map(({ path }) => path).filter((path) => empty.test(basename(path))),
    [],
  )
})

test('ARCHITECTURE.md has a line for every folder and file at the top of src, and what it names is there', () => {
  const root = join(import.meta.dirname, '..', '..', '..')
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const top = new Set(PRODUCT.map(({ path }) => path.replace(/^(src\/[^/]+\/).*/, '$1')))
  assert.deepEqual(
    [...top].filter((path) => !text.includes(`\n${path} `)),
    [],
  )
  const named = [...text.matchAll(/`([a-z][\w/-]*(?:\/|\.(?:ts|md|mjs)))`/g)].map(([, path]) => path as string)
  assert.ok(named.length > 40, 'names of files and folders were found')
  // `following/ask.ts` is named in the section of its room, and `db/` in the line of its wing.
  const isThere = (path: string) =>
    ALL.some((source) => `/${source.path}`.includes(`/${path}`)) || existsSync(join(root, path))
  assert.deepEqual(
    named.filter((path) => !isThere(path)),
    [],
  )
  assert.ok(text.split('\n').length <= MAX_LINES_OF_ARCHITECTURE)
})
