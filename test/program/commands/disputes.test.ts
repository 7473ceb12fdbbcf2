import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { parseTagOfAnyPrefix } from '../../../src/platform/text/ids.ts'
import { openDispute } from '../../../src/selling/disputes/open-dispute.ts'
import type { CustomerReport } from '../../../src/selling/disputes/report.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { CUSTOMER } from '../../helpers/service/actors.ts'
import { assertRefused, type Ran } from '../../helpers/service/command-line.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { commandsOn } from './commands-on.ts'

const service = openedAndVerified(() => startLiveService())
const { run, json } = commandsOn(service)
const REPORT: CustomerReport = {
  reason: 'wrong_amount',
  details: 'I paid twice\nas much.',
  contact: 'akello@shop.example',
}

/** A shop with an open report of a live charge and, later, one of a test charge. */
async function complainedAbout() {
  const { merchant, live, test: sandbox } = await service.shop()
  const found = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const liveCharge = (await live.charge({ customer: { phone: newPayer() } })).body.id
  await succeed(service, liveCharge)
  const testCharge = (await sandbox.charge({ customer: { phone: newPayer() } })).body.id
  service.pass(2000)
  await service.run('follow-charges')
  const report = (chargeId: string, said: CustomerReport = REPORT) =>
    openDispute(service.app, CUSTOMER, { merchantId: found.id, chargeId, report: said })
  await report(liveCharge)
  service.pass(1000)
  await report(testCharge, { reason: 'other', details: null, contact: null })
  const { handle } = found
  return {
    handle,
    merchantId: found.id,
    liveCharge,
    testCharge,
    report,
    list: (...rest: string[]) => json('disputes', 'list', handle, ...rest),
  }
}

const auditOf = (merchantId: number) =>
  service.rows<any>(
    `select action, subject from audit where merchant_id = $1 and action like 'dispute.%' order by id`,
    [merchantId],
  )

test('disputes list shows what was reported, newest first, of one mode or both', async () => {
  const own = await complainedAbout()
  const stranger = await complainedAbout()
  const all = await own.list()
  assert.deepEqual(
    all.map((one: any) => one.charge_id),
    [own.testCharge, own.liveCharge],
  )
  const { id, opened_at, respond_by, ...rest } = all[1]
  assert.match(id, /^dsp_[a-z0-9]{21}$/)
  assert.equal(Date.parse(respond_by) - Date.parse(opened_at), 72 * 3_600_000)
  assert.deepEqual(rest, {
    mode: 'live',
    charge_id: own.liveCharge,
    reason: 'wrong_amount',
    details: REPORT.details,
    contact: REPORT.contact,
    closed_at: null,
  })
  assert.deepEqual(await own.list('--mode', 'live'), [all[1]])
  assert.deepEqual(await own.list('--mode', 'test'), [all[0]])
  assert.equal((await stranger.list()).length, 2)
  const { stdout } = await run('disputes', 'list', own.handle)
  assert.match(stdout, new RegExp(`^${id} live wrong_amount about ${own.liveCharge}, since .*, answer by `, 'm'))
  assert.match(stdout, /^ {4}I paid twice as much\.$/m)
  assert.match(stdout, /^ {4}contact: akello@shop\.example$/m)
  const quiet = await service.merchant({ handle: 'nobody-complains' })
  assert.equal((await run('disputes', 'list', 'nobody-complains')).stdout, 'nothing was reported\n')
  assert.deepEqual(await json('disputes', 'list', quiet.id), [])
})

test('disputes close closes once for good, leaves one row of audit, and lets the customer report again', async () => {
  const own = await complainedAbout()
  const [, { id }] = await own.list()
  const close = () => json('disputes', 'close', own.handle, '--dispute', id)
  const closed = await close()
  assert.ok(closed.closed_at)
  service.pass(60_000)
  assert.deepEqual(await close(), closed)
  assert.deepEqual(await auditOf(own.merchantId), [{ action: 'dispute.close', subject: id }])
  assert.deepEqual(
    (await own.list('--open')).map((one: any) => one.charge_id),
    [own.testCharge],
  )
  assert.equal((await own.list()).length, 2)
  assert.match((await run('disputes', 'list', own.handle)).stdout, /, closed 2/)
  assert.equal(await own.report(own.liveCharge), 'opened')
  assert.equal((await own.list('--open')).length, 2)
})

test('disputes answer stores one answer under a key, and mails a live customer alone', async () => {
  const own = await complainedAbout()
  const [ofTest, ofLive] = await own.list()
  const answer = (id: string, ...rest: string[]) =>
    json('disputes', 'answer', own.handle, '--dispute', id, '--text', 'It leaves tomorrow.', ...rest)
  const first = await answer(ofLive.id, '--key', 'k1')
  assert.deepEqual(await answer(ofLive.id, '--key', 'k1'), first)
  await answer(ofTest.id)
  assert.deepEqual(
    (await auditOf(own.merchantId)).map(({ action, subject }: any) => [action, subject]),
    [
      ['dispute.answer', ofLive.id],
      ['dispute.answer', ofTest.id],
    ],
  )
  const mails = await service.rows<{ n: number }>(
    `select count(*)::int as n from mails where template = 'dispute-answer'`,
  )
  assert.deepEqual(mails, [{ n: 1 }])
  assertRefused(await run('disputes', 'answer', own.handle, '--dispute', ofLive.id, '--text', ' '), {
    code: 1,
    says: /answer must be 1 to 2000 characters/,
  })
  const stranger = await complainedAbout()
  assertRefused(await run('disputes', 'answer', stranger.handle, '--dispute', ofLive.id, '--text', 'x'), {
    code: 1,
    says: /dispute not found/,
  })
})

test('what a stranger typed cannot move the cursor of a terminal', async () => {
  const own = await complainedAbout()
  // Older rows, or rows from other sources, may hold text that the form refuses.
  const nasty = 'a\x1b[2J\x1b]0;owned\x07b\rc\x9b31md\u202ee\u2028f'
  await service.rows(
    `insert into disputes (merchant_id, id, mode, charge_id, reason, details, contact, opened_at, respond_by, closed_at)
     select merchant_id, overlay(id placing 'zzzz' from 22), mode, charge_id, reason, $2, $2, opened_at, respond_by, opened_at
     from disputes where charge_id = $1`,
    [own.liveCharge, nasty],
  )
  const { stdout } = await run('disputes', 'list', own.handle)
  assert.match(stdout, /^ {4}a \[2J \]0;owned b c 31md e f$/m)
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\u2028]/u)
  await service.rows('alter table disputes disable trigger user')
  await service.rows('delete from disputes where details = $1', [nasty])
  await service.rows('alter table disputes enable trigger user')
})

test('what is not there or belongs to another is refused with exit code 1, wrong usage with 2', async () => {
  const [own, stranger] = [await complainedAbout(), await complainedAbout()]
  const [{ id }] = await stranger.list()
  const absent = `dsp_${parseTagOfAnyPrefix(own.testCharge)}0000000000000000`
  const cases: [string[], number, RegExp][] = [
    ...[id, absent, 'dsp_x', own.testCharge, "'"].map((one): [string[], number, RegExp] => [
      ['disputes', 'close', own.handle, '--dispute', one],
      1,
      /^dispute not found$/m,
    ]),
    [['disputes', 'list', 'nobody'], 1, /no merchant called nobody/],
    [['disputes', 'close', own.handle], 2, /--dispute is required/],
    [['disputes', 'list', own.handle, '--mode', 'gold'], 2, /--mode must be one of test, live/],
    [['disputes', 'list'], 2, /usage: gateway disputes list/],
  ]
  const ran = await Promise.all(cases.map(([args]) => run(...args)))
  for (const [at, [, code, says]] of cases.entries()) assertRefused(ran[at] as Ran, { code, says })
  assert.equal((await stranger.list('--open')).length, 2)
})
