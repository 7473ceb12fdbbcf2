import assert from 'node:assert/strict'
import test from 'node:test'
import { runChecks } from '../../../src/operations/alerts/run-checks.ts'
import { buildSweeps } from '../../../src/program/sweeps.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { assertRefused, oneJson, runInside } from '../../helpers/service/command-line.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { answering } from '../../helpers/web/webhooks.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'
import { whileUnbalanced } from '../../program/commands/unbalanced.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const person = opened(() => startReceiver())
const env = () => ({ ALERT_WEBHOOK: `${person.url}?token=secret` })
const service = opened(() => startLiveService({ env: env() }))
const { settings, run, json, runByItsClock } = commandsOn(service, { more: env })
const look = () => service.run('raise-alerts')
const told = (kind: string) => person.received.map(({ event }) => event).filter((one) => one.kind === kind)

async function liveCharge() {
  const { live } = await service.shop()
  const { body } = await live.charge({ amount: 7000, customer: { phone: newPayer() } })
  return { live, id: body.id as string }
}

test('D12: money without an answer wakes a person once, again at twice the age, and once when it is over', async () => {
  const { id } = await liveCharge()
  await look()
  assert.deepEqual(told('stuck_money'), [])
  service.pass(6 * HOUR + MINUTE)
  await look()
  const [first, ...more] = told('stuck_money')
  assert.deepEqual(more, [])
  assert.equal(first.alerts.length, 1)
  assert.equal(first.alerts[0].state, 'opened')
  assert.match(first.alerts[0].says, new RegExp(`^1 live charges of 7000 UGX together \\(${id}\\) have waited`))
  assert.equal(first.urgency, 'page')
  assert.match(first.to_do, /gateway stuck/)
  assert.match(first.text, /^stuck_money \(http/)
  for (let nth = 0; nth < 5; nth += 1) {
    service.pass(20 * MINUTE)
    await look()
  }
  assert.equal(told('stuck_money').length, 1, 'no second message while nothing is worse')
  service.pass(5 * HOUR)
  await look()
  assert.deepEqual(
    told('stuck_money').map((one) => one.alerts[0].state),
    ['opened', 'worse'],
  )
  service.operator.pays(id)
  await service.run('follow-charges')
  service.pass(11 * MINUTE)
  await look()
  assert.deepEqual(
    told('stuck_money').map((one) => one.alerts[0].state),
    ['opened', 'worse', 'closed'],
  )
})

test('D12: many looks at once, as of several processes, tell once', async () => {
  const before = told('stuck_money').length
  await liveCharge()
  service.pass(7 * HOUR)
  await Promise.all(Array.from({ length: 6 }, () => runChecks(service.app)))
  assert.equal(told('stuck_money').length, before + 1)
})

test('D12: what an operator does not know after a day is told as never arrived', async () => {
  const { id } = await liveCharge()
  service.operator.onQuestion({ answer: 'not found' }, id)
  service.pass(25 * HOUR)
  await service.run('follow-charges')
  await look()
  const last = told('never_arrived').at(-1)
  assert.match(last.alerts[0].says, /left more than 24 hours ago, and the operator does not know them/)
  assert.ok(last.alerts[0].says.includes(id))
})

test('D12: a task whose rows are overdue is told as behind, and over when it has caught up', async () => {
  const { test: api } = await service.shop()
  await api.charge({ customer: { phone: newPayer() } })
  service.pass(20 * MINUTE)
  await look()
  const behind = () => told('sweep_behind').flatMap((one) => one.alerts)
  const open = behind().findLast((one) => one.subject === 'cell_0 follow-charges')
  assert.match(open.says, /^the task follow-charges is behind: \d+ rows are overdue/)
  while ((await service.run('follow-charges')) > 0);
  service.pass(11 * MINUTE)
  await service.run('follow-charges')
  await look()
  assert.equal(behind().findLast((one) => one.subject === 'cell_0 follow-charges').state, 'closed')
})

test('D12: the freeze of the platform and of an account is told when it comes and when it goes', async () => {
  const { merchant } = await service.shop()
  await json('payouts', 'freeze', '--reason', 'drill')
  await json('payouts', 'freeze', '--merchant', merchant.handle, '--reason', 'their drill')
  const frozen = () => told('payouts_frozen').flatMap((one) => one.alerts)
  assert.match(frozen()[0].says, /^live payouts of the platform are frozen: drill/)
  await json('payouts', 'unfreeze')
  await json('payouts', 'unfreeze', '--merchant', merchant.handle)
  service.pass(11 * MINUTE)
  await look()
  const states = frozen().map(({ subject, state }) => `${subject} ${state}`)
  assert.ok(states.includes('cell_0 platform opened'), `${states}`)
  assert.ok(states.includes('cell_0 platform closed'), `${states}`)
  assert.ok(states.includes(`cell_0 ${merchant.id} closed`), `${states}`)
})

test('D12: verify that finds a broken invariant wakes a person, and its success says that it is over', async () => {
  const { merchant } = await service.shop()
  const { code } = await whileUnbalanced(service, merchant.id, () => runByItsClock('verify'))
  assert.equal(code, 1)
  const [first] = told('verify_failed')
  assert.match(first.alerts[0].says, /^verify found broken invariants in cell_0: .*L2/)
  // By this clock holds are over that nobody has looked at.
  await service.run('settle-charges')
  const over = await runByItsClock('verify')
  assert.equal(over.code, 0, over.stdout)
  service.pass(11 * MINUTE)
  await look()
  assert.equal(told('verify_failed').at(-1).alerts[0].state, 'closed')
})

/** Inserts the exception that an operator's contradiction leaves. */
const plantBreak = (publicId: string, subject: string) =>
  service.rows(
    `insert into exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at)
     select id, 'exc_' || $2::text, 'live', 'mismatch', 'critical', $2, '{}', $3
     from cell_0.merchants where public_id = $1`,
    [publicId, subject, service.clock.now()],
  )
const closeBreaks = () =>
  service.rows(`update exceptions set closed_at = $1, note = 'planted' where closed_at is null`, [service.clock.now()])

test('D12: an alert that the address did not take is told again a minute later, and not lost', async () => {
  service.pass(HOUR)
  const { merchant } = await service.shop()
  const before = told('critical_break').length
  await plantBreak(merchant.id, 'txn_planted')
  person.behave(answering(500))
  await look()
  await look()
  assert.equal(told('critical_break').length, before + 1, 'not hammered')
  person.behave(answering(200))
  service.pass(61_000)
  await look()
  await look()
  const messages = told('critical_break').slice(before)
  assert.equal(messages.length, 2)
  assert.match(messages[1].alerts[0].says, /mismatch of txn_planted/)
  await closeBreaks()
})

test('D12: what comes within ten minutes of a message of its kind is told together after them', async () => {
  service.pass(HOUR)
  await look()
  service.pass(HOUR)
  const shops = [await service.shop(), await service.shop(), await service.shop()]
  const before = told('critical_break').length
  const [first, ...others] = shops.map(({ merchant }) => merchant.id) as [string, ...string[]]
  await plantBreak(first, 'txn_first')
  await look()
  for (const id of others) await plantBreak(id, `txn_of_${id}`)
  await look()
  service.pass(9 * MINUTE)
  await look()
  assert.equal(told('critical_break').length, before + 1)
  service.pass(2 * MINUTE)
  await look()
  const [, digest, ...more] = told('critical_break').slice(before)
  assert.deepEqual(more, [])
  for (const id of others) assert.ok(digest.alerts.some((alert: any) => alert.subject === `cell_0 ${id}`))
  await closeBreaks()
})

test('D12: alerts test reaches a person, and doctor asks for the code until it was given', async () => {
  const production = {
    ...settings,
    NODE_ENV: 'production',
    TRUSTED_PROXIES: '1',
    BASE_URL: 'https://pay.shops.invalid',
  }
  const says = async (env: Record<string, string>) =>
    oneJson(await runInside(['doctor', '--json'], env), 1)
      .findings.map((finding: any) => `${finding.level} ${finding.says}`)
      .join('\n')
  const without = { ...production, ALERT_WEBHOOK: '' }
  assert.match(await says(without), /^refused ALERT_WEBHOOK is not set/m)
  assertRefused(await runInside(['alerts', 'test'], without), { code: 1, says: /^ALERT_WEBHOOK is not set/ })
  assert.deepEqual(await json('alerts', 'test'), { sent: true, confirmed: false })
  assert.match(await says(production), /^refused nobody has confirmed an alert/m)
  const { code } = told('test').at(-1)
  assertRefused(await run('alerts', 'test', '--code', 'WRONG1'), { code: 1, says: /^this is not the code/ })
  assert.deepEqual(await json('alerts', 'test', '--code', code.toLowerCase()), {
    sent: true,
    confirmed: true,
  })
  assert.doesNotMatch(await says(production), /ALERT_WEBHOOK/)
  const moved = { ...production, ALERT_WEBHOOK: `${person.url}/elsewhere` }
  assert.match(await says(moved), /nobody has confirmed/, 'another address wants a test of its own')
})

test('every task comes to rest while a condition holds that it cannot change', async () => {
  const { merchant } = await service.shop()
  await json('payouts', 'freeze', '--merchant', merchant.handle, '--reason', 'they were robbed')
  await liveCharge()
  service.pass(7 * HOUR)
  const restless: string[] = []
  for (const { name, full = 1, runOnce, finish } of buildSweeps(service.app)) {
    let handled = Number.POSITIVE_INFINITY
    for (let runs = 0; runs < 20 && handled >= full; runs += 1) handled = await runOnce()
    await finish?.()
    if (handled >= full) restless.push(`${name}: ${handled}`)
  }
  assert.deepEqual(restless, [])
  await json('payouts', 'unfreeze', '--merchant', merchant.handle)
})
