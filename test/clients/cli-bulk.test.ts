import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused } from '../helpers/service/command-line.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'
import { onTerminal, openedCli } from './cli-program.ts'

const service = openedAndVerified(() => startService())
const cli = openedCli()

const HEADER = 'phone,amount,name,reference'
const GOOD = `${HEADER}\n0700000000,"10,000",Akello Grace,july-1\n0700000004,2000,Okot James,july-2\n`
const WRONG = `${HEADER}\n0700000000,10000,,july-1\nnobody,2000,,july-2\n0700000004,none,,july-3\n0700000005,5\n`

async function shop({ funds = 100_000 } = {}) {
  const { keys } = await service.merchant()
  const api = service.client(keys.test)
  if (funds > 0) await api.post('/v1/test/funds', { amount: funds })
  const user = cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: keys.test })
  /** The amounts of all payouts, as texts are sorted. */
  const paid = async () =>
    (await api.get('/v1/payouts?limit=100')).body.data.map(({ amount }: any) => amount).toSorted()
  return { api, user, paid }
}

test('a dry run needs no key, checks each line and shows the sum', async () => {
  const user = cli.newUser({})
  const file = user.file('pay.csv', GOOD)
  const { code, stdout, stderr } = await user.run(`payouts bulk ${file} --dry-run`)
  assert.deepEqual([code, stderr], [0, ''])
  const [head, first, , sum] = stdout.split('\n')
  assert.match(head ?? '', /^LINE +PHONE +AMOUNT +NAME +REFERENCE +FAULT$/)
  assert.match(first ?? '', /^ +2 +256700000000 +10,000 +Akello Grace +july-1 +-$/)
  assert.equal(sum, '2 payouts, sum UGX 12,000, 0 wrong lines. Nothing was sent.')
  const { lines, idempotency_key: key, ...totals } = await user.json(`payouts bulk ${file} --dry-run`)
  assert.deepEqual(totals, { dry_run: true, payouts: 2, amount: 12_000, wrong: 0, without_reference: 0 })
  assert.match(key, /^mmg-bulk-[0-9a-f]{40}$/)
  assert.deepEqual([lines[1].line, lines[1].amount, lines[1].reference], [3, 2000, 'july-2'])
})

test('wrong lines are named in the words of the service, and stop all', async () => {
  const { api, user, paid } = await shop()
  const file = user.file('wrong.csv', WRONG)
  const dry = await user.run(`payouts bulk ${file} --dry-run`)
  assert.equal(dry.code, 1)
  assert.match(dry.stdout, /^1 payouts, sum UGX 10,000, 3 wrong lines\. Nothing was sent\.$/m)
  const { lines } = await user.json(`payouts bulk ${file} --dry-run`)
  const { body } = await api.post('/v1/payouts/bulk', WRONG, { 'content-type': 'text/csv' })
  assert.deepEqual(
    lines.map(({ error = null }: any) => error),
    body.results.map(({ error = null }: any) => error),
  )
  const sent = await user.run(`payouts bulk ${file} --yes`)
  assert.equal(sent.code, 1)
  assert.match(sent.stderr, /^mmg: 3 of 4 lines are wrong: nothing was sent\n$/)
  assert.match(
    sent.stdout,
    /^ +3 +nobody +2000 +- +july-2 +invalid item: recipient\.phone is not a valid phone number$/m,
  )
  assert.deepEqual(await paid(), [10_000], 'only by the call of the test')
})

test('the same file pays once, however often it is sent', async () => {
  const { user, paid } = await shop()
  const file = user.file('pay.csv', GOOD)
  const first = await user.run(`payouts bulk ${file} --yes`)
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stdout, /^ +2 +pout_\w+ +\w+ +10,000 +256700000000 +july-1 +-$/m)
  assert.match(first.stdout, /^batch_\w+: 2 accepted, 0 failed\.$/m)
  const again = await user.run(`payouts bulk ${file} --yes`)
  const known = again.stdout.replaceAll('paid before, not again', '-')
  assert.deepEqual([again.code, known], [0, first.stdout])
  assert.match(again.stderr, /^this file was sent before: this is the answer of then, and nothing was paid again\n$/)
  const copy = await user.json(`payouts bulk ${user.file('copy.csv', GOOD)} --yes`)
  assert.deepEqual([copy.replayed, copy.accepted], [true, 2])
  assert.deepEqual(await paid(), [10_000, 2000])
  const other = await user.json(`payouts bulk ${file} --yes --idempotency-key second`)
  assert.deepEqual(
    other.results.map(({ replayed }: any) => replayed),
    [true, true],
    'their references are spent',
  )
  assert.deepEqual(await paid(), [10_000, 2000])
})

test('lines without a reference are warned about, and are paid again where that is wanted', async () => {
  const { user, paid } = await shop()
  const file = user.file('pay.csv', 'phone,amount\n0700000000,1000\n0700000004,2000\n')
  const first = await user.run(`payouts bulk ${file} --yes`)
  assert.match(first.stderr, /^warning: 2 lines have no reference: in a file that was changed they are paid again$/m)
  await user.run(`payouts bulk ${file} --yes`)
  assert.equal((await paid()).length, 2)
  await user.run(`payouts bulk ${file} --yes --idempotency-key august`)
  assert.equal((await paid()).length, 4)
  const twice = user.file('twice.csv', `${HEADER}\n0700000000,1000,,a\n0700000000,1000,,a\n`)
  assert.match(
    (await user.run(`payouts bulk ${twice} --dry-run`)).stderr,
    /line 3 has the reference of line 2: only one of them is paid/,
  )
})

test('what cannot be paid fails alone, and the exit code says so', async () => {
  const { api, user, paid } = await shop({ funds: 11_000 })
  const file = user.file('pay.csv', GOOD)
  const ran = await user.run(`payouts bulk ${file} --yes`)
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /: 1 accepted, 1 failed\.$/m)
  assert.match(ran.stdout, /july-2 +insufficient available balance: have 800, need 2200 /)
  assert.deepEqual(await paid(), [10_000])
  assert.match(ran.stderr, /^what failed is sent again with --idempotency-key and a word of yours: /)
  await api.post('/v1/test/funds', { amount: 100_000 })
  const again = await user.run(`payouts bulk ${file} --yes --idempotency-key again`)
  assert.deepEqual([again.code, await paid()], [0, [10_000, 2000]])
})

test('nothing is sent without a yes', async () => {
  const { user, paid } = await shop()
  const file = user.file('pay.csv', GOOD)
  const files: [words: string, text: string, code: number, says: RegExp][] = [
    [file, GOOD, 2, /^mmg: nobody can be asked here: add --yes to send, or --dry-run to look\n$/],
    ['/nowhere', '', 2, /^mmg: \/nowhere cannot be read: there is no such file\n$/],
    [user.home, '', 2, /^mmg: .* cannot be read: it is a folder\n$/],
    [user.file('empty.csv', `${HEADER}\n`), '', 1, /^mmg: the file has no payouts below its header\n$/],
    [
      user.file('odd.csv', 'who,what\na,b\n'),
      '',
      1,
      /^mmg: invalid request: CSV header must name phone and amount; its first line is "who", "what"\n$/,
    ],
    [user.file('book.csv', 'PK\u0003\u0004'), '', 1, /this is an Excel workbook \(\.xlsx\), not CSV/],
    [
      user.file('long.csv', `phone,amount\n${'0700000000,1\n'.repeat(1001)}`),
      '',
      1,
      /^mmg: the file has more than 1,000 payouts, which is what one call takes: split it\n$/,
    ],
  ]
  for (const [name, , code, says] of files) assertRefused(await user.run(`payouts bulk ${name}`), { code, says })
  assert.deepEqual(await paid(), [])
})

test('a person is asked with the number, the sum and whether it is real money', onTerminal, async () => {
  const { user, paid } = await shop()
  const file = user.file('pay.csv', GOOD)
  const question = /send 2 payouts, sum UGX 12,000, test money\? \(yes\/no\) /
  for (const no of ['no\r', '\u0003']) {
    assert.match(await user.inTerminal(`payouts bulk ${file}`, [question, no]), /mmg:.* nothing was sent/)
    assert.deepEqual(await paid(), [])
  }
  assert.match(await user.inTerminal(`payouts bulk ${file}`, [question, 'yes\r']), /2 accepted, 0 failed/)
  assert.deepEqual(await paid(), [10_000, 2000])
})
