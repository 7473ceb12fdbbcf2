import assert from 'node:assert/strict'
import test from 'node:test'
import { pair, tokenOf } from '../../helpers/payments/approving.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { numberOf } from '../../helpers/payments/operator-statements.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { type Browser, hasForm, type Page } from '../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { sendFiles } from '../../helpers/web/sending-files.ts'

// Comparing with the operator on the console: runs that were kept, asking for one, statements with a dry run.
const service = openedAndVerified(() => startPayingService())
const BASE = '/console/reconciliation'
const HEADER = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
const HOUR = 3_600_000
// How long a worker may be silent about a statement.
const LEASE_MS = 120_000

async function upload(by: Browser, text: string, name = 'monday.csv'): Promise<Page> {
  const file = { name, bytes: Buffer.from(text), type: 'text/csv' }
  const fields = { ...(await tokenOf(by)), installation: '' }
  return sendFiles(by, `${BASE}/import`, { fields, files: [file], field: 'statement' })
}
const line = (number: string, id: string, amount: number, at = service.clock.nowMs(), type = 'collect') =>
  `${number},${id},${type},${amount},0,0,UGX,${new Date(at).toISOString()},SUCCESSFUL`
const csv = (...lines: string[]) => `${[HEADER, ...lines].join('\n')}\n`

async function paid(amount: number): Promise<string> {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount, customer: { phone: newPayer() } })
  await succeed(service, body.id)
  return body.id
}
const work = () => service.run('import-statements')
const openAbout = async (subject: string) =>
  (
    await service.rows<{ kind: string }>(
      `select kind from exceptions where subject = $1 and closed_at is null
       union all select kind from directory.platform_exceptions where subject = $1`,
      [subject],
    )
  ).map(({ kind }) => kind)

test('an uploaded statement is looked at first, and imported once by a second form', async () => {
  const [anna, ben] = await pair(service)
  const [fine, missing, other] = [await paid(5000), await paid(6000), await paid(7000)]
  const now = service.clock.nowMs()
  const text = csv(
    line('1', '', 1, now - 3 * HOUR, 'other'),
    line(await numberOf(service, fine), fine, 5000),
    line(await numberOf(service, other), other, 6999),
    line('13', 'nobody at all', 900),
    line('2', '', 1, now + 3 * HOUR, 'other'),
  )
  const before = await service.digest()
  const looked = await upload(anna, text)
  assert.equal(looked.status, 303, mainOf(looked))
  assert.equal(await service.digest(), before, 'looking writes nothing of money')
  assert.equal((await service.rows('select 1 from rail_statement_lines')).length, 0)
  const waiting = await ben.get(looked.location)
  assert.match(mainOf(waiting), /waits for a worker/)
  assert.match(waiting.text, /http-equiv="refresh"/)
  assert.equal(hasForm(waiting, '/import'), false)
  await work()
  assert.equal(await service.digest(), before, 'nor does a worker that looks at it')
  const page = await ben.get(looked.location)
  assert.match(
    mainOf(page),
    /Lines of payments 3 Matched 1 Only theirs 1 Only ours 1 Amount or side differs 1 Twice in theirs 0 Another number than they told us 0/,
  )
  assert.match(mainOf(page), /Only theirs nobody at all .*Amount UGX 900/)
  assert.match(mainOf(page), new RegExp(`Only ours ${missing}`))
  const done = await ben.send(page, '/import')
  assert.equal(done.status, 303, mainOf(done))
  assert.deepEqual(await openAbout(other), [], 'a worker does it')
  assert.match(mainOf(await ben.get(looked.location)), /waits for a worker/)
  await work()
  assert.deepEqual(
    [await openAbout(fine), await openAbout(missing), await openAbout(other), await openAbout('nobody at all')],
    [[], ['ours_only'], ['mismatch'], ['rail_only']],
  )
  const after = await ben.get(looked.location)
  assert.match(mainOf(after), new RegExp(`Imported by ${ben.email}`))
  assert.equal(hasForm(after, '/import'), false)
  const stored = (await service.rows('select 1 from rail_statement_lines')).length
  const again = await anna.post(`${looked.location}/import`, await tokenOf(anna))
  assert.equal(again.status, 303)
  assert.equal((await service.rows('select 1 from rail_statement_lines')).length, stored)
  assert.match(mainOf(await anna.get(BASE)), /a statement monday\.csv by .* statement: looked at 3, agreed 1/)
  const [exception] = await service.rows<{ id: string }>('select id from exceptions where subject = $1', [other])
  const evidence = mainOf(await anna.get(`${BASE}/exceptions/${exception?.id}`))
  assert.match(evidence, /Status succeeded Amount UGX 7,000/)
  assert.match(evidence, new RegExp(`${await numberOf(service, other)} ${other} collect UGX 6,999 SUCCESSFUL`))
})

test('a file that cannot be read names its line; nothing is kept of it', async () => {
  const [anna] = await pair(service)
  const kept = async () => (await service.rows('select 1 from statement_files')).length
  const before = await kept()
  for (const [text, says] of [
    [csv(line('1', 'x', 1), '2,x,collect,ten,0,0,UGX,2026-07-01T10:00:00Z,SUCCESSFUL'), /line 3: amount must be whole/],
    ['a,b\n1,2\n', /the header lacks rail_transaction_id/],
    [`${HEADER}\n`, /the file has no lines/],
    ['', /Choose a file/],
  ] as const) {
    const answer = await upload(anna, text)
    assert.equal(answer.status, 400)
    assert.match(mainOf(answer), says)
  }
  assert.equal(await kept(), before)
  const support = await operatorSignedIn(service, 'support')
  assert.equal((await upload(support, csv(line('1', 'x', 1)))).status, 403)
})

test('what nobody imports for a week is dropped, and says so', async () => {
  const [anna] = await pair(service)
  const { location } = await upload(anna, csv(line('31', 'somebody', 10)))
  await work()
  service.pass(7 * 24 * HOUR)
  await service.run('prune')
  const [late] = await pair(service)
  assert.match(mainOf(await late.get(location)), /dropped after a week/)
  const answer = await late.post(`${location}/import`, await tokenOf(late))
  assert.match(mainOf(answer), /this file was kept for a week only/)
})

test('a statement whose worker has died is taken up by another one, once its lease has ended', async () => {
  const [anna] = await pair(service)
  const { location } = await upload(anna, csv(line('41', 'somebody else', 10)))
  const id = location.split('/').at(-1)
  await service.rows(
    `update directory.statement_files set claim = 'run_dead', claimed_until = $2, tries = 1, step = 'read', done = 7 where id = $1`,
    [id, new Date(service.clock.nowMs() + 60_000)],
  )
  assert.match(mainOf(await anna.get(location)), /being looked at .*Lines read: 7/)
  assert.equal(await work(), 0)
  service.pass(60_000)
  assert.equal(await work(), 1)
  assert.match(mainOf(await anna.get(location)), /looked at .*Lines of payments 1 Matched 0 Only theirs 0/)
})

test('an import that came to nothing half way can be imported again, or taken back', async () => {
  const [anna] = await pair(service)
  const { location } = await upload(anna, csv(line('51', 'half of it', 10)))
  await work()
  assert.equal((await anna.send(await anna.get(location), '/import')).status, 303)
  // As a worker leaves it that has failed five times, some lines being stored.
  await service.rows(`update directory.statement_files set wanted = null, failed = 'it failed 5 times' where id = $1`, [
    location.split('/').at(-1),
  ])
  const page = await anna.get(location)
  assert.match(mainOf(page), /broken off .*What it had stored can be taken back.*it failed 5 times/)
  assert.equal(hasForm(page, '/take-back'), true)
  assert.equal((await anna.send(page, '/import')).status, 303)
  await work()
  assert.match(mainOf(await anna.get(location)), new RegExp(`Imported by ${anna.email}`))
})

test('a statement stays with a worker whose clock is ahead of ours by seconds, and is taken from before a step of the clock', async () => {
  const [anna] = await pair(service)
  const { location } = await upload(anna, csv(line('42', 'somebody else', 10)))
  const id = location.split('/').at(-1)
  const claimed = (aheadMs: number) =>
    service.rows(`update directory.statement_files set claim = 'run_other', claimed_until = $2 where id = $1`, [
      id,
      new Date(service.clock.nowMs() + LEASE_MS + aheadMs),
    ])
  await claimed(5000)
  assert.equal(await work(), 0, 'somebody works on it')
  await claimed(15_000)
  assert.equal(await work(), 1)
})

test('a file said to be of a contract that did not carry its payments comes to nothing, and says why', async () => {
  const [anna] = await pair(service)
  const id = await paid(5000)
  const { location } = await upload(anna, csv(line(await numberOf(service, id), id, 5000)))
  await service.rows(`update directory.statement_files set installation = 'another' where id = $1`, [
    location.split('/').at(-1),
  ])
  await work()
  assert.match(mainOf(await anna.get(location)), /failed .*line 2: txn_.* and this file was said to be of another/)
  assert.equal(await work(), 0)
})

test('a comparison is asked for once at a time, run by a worker, and listed with its legs', async () => {
  const [anna] = await pair(service)
  const page = await anna.get(BASE)
  assert.equal((await anna.send(page, '/run')).status, 303)
  assert.match(mainOf(await anna.get(BASE)), new RegExp(`asked for .*by ${anna.email} waits for a worker`))
  const second = await anna.send(page, '/run')
  assert.equal(second.status, 409)
  assert.match(mainOf(second), /was asked for already and is under way/)
  await service.run('reconcile')
  assert.match(mainOf(await anna.get(BASE)), /ledger: looked at \d+, agreed \d+, opened 0.*references: .*wallets: /)
  assert.equal((await anna.send(page, '/run')).status, 303)
})
