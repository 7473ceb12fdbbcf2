import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { OperatorRole } from '../../src/actors/actor.ts'
import { commandsOn } from '../commands/commands-on.ts'
import { walkerOf } from '../dashboard/whole/walker.ts'
import { codeOf, secretIn } from '../helpers/authenticator.ts'
import { operatorSignedIn } from '../helpers/console.ts'
import { signedInAs } from '../helpers/dashboard.ts'
import { OPERATOR_PASSWORD } from '../helpers/enrolling.ts'
import { newPayer } from '../helpers/live-service.ts'
import { startOp1Service } from '../helpers/op1-service.ts'
import { openedAndVerified } from '../helpers/opened.ts'
import { payNew } from '../helpers/payouts.ts'
import { paidBy } from '../helpers/reconciling.ts'
import { launchBrowser, newVisitor, ON_BROWSER, type Size } from '../pages/browser.ts'
import { focused, pressOn, typeInto } from '../pages/keys.ts'
import { openedForBrowser } from '../pages/world-of-file.ts'

// Operators at work, in a real browser, against the operator's emulator.
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const { json } = commandsOn(service)
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, close: () => browser.close() }
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const opens = (page: Page, path: string) => page.goto(`${service.url}${path}`)
const goes = (page: Page, link: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name: link }).first().click()

/** An operator of this role in a browser of its own. Sessions end after 15 minutes without a request: sign in when the clock stands still. */
async function atWork(role: OperatorRole, how: { size?: Size; javaScriptEnabled?: boolean } = {}) {
  const person = await operatorSignedIn(service, role)
  const walker = await walkerOf(screen.browser, service, { person, size: 'desktop', ...how })
  return { person, ...walker }
}
type Walker = Awaited<ReturnType<typeof atWork>>

/** Closes these browsers. Nothing may have gone wrong in any of them. */
async function home(...walkers: Pick<Walker, 'troubles' | 'context'>[]): Promise<void> {
  assert.deepEqual(
    walkers.flatMap(({ troubles }) => troubles()),
    [],
  )
  await Promise.all(walkers.map(({ context }) => context.close()))
}

test(
  'the first admin: the link of a command, password and code, sign-out, and in again, with the keyboard alone',
  ON_BROWSER,
  async () => {
    const email = 'first@gateway.invalid'
    const { link } = await json('admin', 'create', '--email', email, '--role', 'admin')
    const visitor = await newVisitor(screen.browser, { size: 'desktop', own: [service.url] })
    const { page } = visitor
    await page.goto(`${service.url}${link.slice(new URL(link).origin.length)}`)
    await sees(page, `You become an operator as ${email}, in the role admin.`)
    const secret = secretIn((await page.getByText('otpauth://').textContent()) ?? '')
    await typeInto(page, 'guest-password', OPERATOR_PASSWORD)
    await typeInto(page, 'guest-code', codeOf(service, secret))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    await pressOn(page, 'I have kept them', 'Enter')
    await page.waitForURL(/\/console$/)
    await page.keyboard.press('Tab')
    assert.equal((await focused(page)).is, 'Skip to the page')
    await pressOn(page, 'Sign out', 'Enter')
    await page.waitForURL(/\/console\/sign-in$/)
    // A code counts once.
    service.pass(31_000)
    await typeInto(page, 'guest-email', email)
    await typeInto(page, 'guest-password', OPERATOR_PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your second factor' }).waitFor()
    await typeInto(page, 'guest-code', codeOf(service, secret))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await home(visitor)
  },
)

test(
  'a parked payment is found by its age on a phone, its operator is asked, and it ends by the answer alone',
  ON_BROWSER,
  async () => {
    const shop = await service.shop()
    const { body } = await shop.live.charge({ amount: 43_210, customer: { phone: newPayer() } })
    service.pass(20 * MINUTE)
    await service.run('follow-charges')
    const support = await atWork('support', { size: 'phone' })
    const { page } = support
    await opens(page, '/console/parked')
    await goes(page, /15 minutes to 6 hours: 1/)
    await goes(page, body.id)
    await page.getByRole('heading', { level: 1, name: 'UGX 43,210' }).waitFor()
    await press(page, 'Ask the operator now')
    await sees(page, 'The operator is asked as soon as the budget of questions allows.')
    await sees(page, 'brought forward')
    await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
    service.pass(3000)
    await service.run('follow-charges')
    await page.reload()
    await page.getByRole('main').getByText('succeeded', { exact: true }).first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Ask the operator now' }).count(), 0)
    await sees(page, 'charge.succeeded')
    await sees(page, `Have the operator asked now: ${support.person.email}`)
    await opens(page, '/console/parked?age=15m')
    await sees(page, 'Nothing has waited that long.')
    await home(support)
  },
)

test(
  'one operator freezes payouts, the same one cannot let them run again, a second one can, without scripts',
  ON_BROWSER,
  async () => {
    const { shop } = await paidBy(service)
    assert.equal((await payNew(shop.live)).status, 201)
    const risk = await atWork('risk', { javaScriptEnabled: false })
    const admin = await atWork('admin', { size: 'phone', javaScriptEnabled: false })
    await opens(risk.page, '/console/freeze')
    await risk.page.getByLabel('Reason').fill('money leaves that should not')
    await press(risk.page, 'Freeze live payouts')
    await sees(risk.page, 'Live payouts of everybody are frozen.')
    const refused = await payNew(shop.live)
    assert.match(refused.text, /payouts are temporarily paused platform-wide/)
    assert.doesNotMatch(refused.text, new RegExp(risk.person.email))
    await risk.page.getByLabel('Reason').fill('the cause is found')
    await press(risk.page, 'Ask to let payouts run again')
    await sees(risk.page, 'Asked for. A second operator must approve it within 24 hours.')
    await sees(risk.page, 'You asked for this yourself. A second operator decides on it.')
    assert.equal(await risk.page.getByRole('button', { name: 'Approve, and do it now' }).count(), 0)
    await opens(admin.page, '/console/approvals')
    await goes(admin.page, 'Unfreeze the platform')
    await sees(admin.page, /They were frozen for: money leaves that should not/)
    await sees(admin.page, 'the cause is found')
    await press(admin.page, 'Approve, and do it now')
    await sees(admin.page, 'Approved, and done.')
    assert.equal((await payNew(shop.live)).status, 201)
    await opens(risk.page, '/console/freeze')
    await sees(risk.page, 'Live payouts run.')
    await home(risk, admin)
  },
)

test(
  'an imported statement opens an exception, two operators correct the balance, and the payouts of the merchant resume',
  ON_BROWSER,
  async () => {
    service.pass(30 * DAY)
    const { shop, id } = await paidBy(service)
    const finance = await atWork('finance')
    const admin = await atWork('admin')
    const { page } = finance
    await opens(page, '/console/reconciliation/import')
    const buffer = Buffer.from(statementWith(id, 499_000))
    const file = { name: 'monday.csv', mimeType: 'text/csv', buffer }
    await page.getByLabel('File (CSV, at most 10 MB)').setInputFiles(file)
    await press(page, 'Look at it')
    await sees(page, 'Amount or side differs')
    await sees(page, id)
    assert.equal((await payNew(shop.live)).status, 201, 'to look changes nothing')
    await press(page, 'Import it now')
    await sees(page, 'Imported. What differs has opened exceptions.')
    const stopped = await payNew(shop.live)
    assert.match(stopped.text, /payouts are paused on this account/)
    await opens(page, '/console/reconciliation/exceptions?list=mismatched')
    await goes(page, 'mismatch')
    await sees(page, 'It pauses the payouts of this merchant in this mode until it is resolved.')
    await press(page, 'Take it')
    await sees(page, 'You look after it.')
    await page.getByLabel('Take from what the merchant has available').check()
    await page.getByLabel('Amount').fill('1,000')
    await page.getByLabel('What the merchant reads').fill('The operator collected 1,000 less')
    await page.getByLabel('Reason, for the second operator').fill('line 3 of the statement')
    await press(page, 'Ask a second operator')
    await sees(page, 'Asked for. A second operator must approve it within 24 hours.')
    await opens(admin.page, '/console/approvals')
    await goes(admin.page, 'Correction of a balance')
    await sees(admin.page, 'UGX 1,000 is taken from what the merchant has available.')
    await sees(admin.page, 'line 3 of the statement')
    await press(admin.page, 'Approve, and do it now')
    await sees(admin.page, 'Approved, and done.')
    assert.equal((await payNew(shop.live)).status, 201)
    await opens(page, '/console/reconciliation/exceptions?list=mismatched&state=resolved')
    await goes(page, 'mismatch')
    await sees(page, 'Resolved: corrected by two operators')
    const owner = await walkerOf(screen.browser, service, {
      ...{ person: await signedInAs(service, shop.merchant), size: 'phone' },
    })
    await opens(owner.page, '/dashboard/wallet')
    await sees(owner.page, 'The operator collected 1,000 less')
    const wallet = (await owner.page.textContent('body')) ?? ''
    for (const { person } of [finance, admin]) assert.ok(!wallet.includes(person.email), 'never who')
    await home(finance, admin, owner)
  },
)

/** A statement of the operator that has another amount for this charge. */
function statementWith(id: string, amount: number): string {
  const at = (hours: number) => new Date(service.clock.nowMs() + hours * HOUR).toISOString()
  return [
    'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status',
    `1,,other,1,0,0,UGX,${at(-3)},SUCCESSFUL`,
    `2,${id},collect,${amount},0,0,UGX,${at(0)},SUCCESSFUL`,
    `3,,other,1,0,0,UGX,${at(3)},SUCCESSFUL`,
    '',
  ].join('\n')
}

test(
  'the audit is followed to its end, then a superuser edits a row, and the page and an alert name it',
  ON_BROWSER,
  async () => {
    await service.run('seal-audit')
    const admin = await atWork('admin')
    const { page } = admin
    await opens(page, '/console')
    await page.getByRole('link', { name: 'Audit', exact: true }).click()
    await press(page, 'Verify now')
    await sees(page, 'The chains were followed to their ends: see below.')
    const found = page.getByRole('table').first()
    await found.getByText('holds').first().waitFor()
    assert.equal(await found.getByText('broken').count(), 0)
    const [row] = await service.rows<{ id: number; actor: string }>(
      'select id, actor from audit order by id limit 1',
    )
    assert.ok(row)
    await edited(row.id, 'somebody else')
    await press(page, 'Verify now')
    await found.getByText(`audit row ${row.id} or its seal`).first().waitFor()
    await opens(page, '/console/alerts')
    await page
      .getByRole('row')
      .filter({ hasText: `audit row ${row.id} or its seal` })
      .getByRole('link')
      .first()
      .click()
    await sees(page, /is not as it was written/)
    await edited(row.id, row.actor)
    await home(admin)
  },
)

/** What only a superuser can do: the triggers refuse everybody else. */
async function edited(id: number, actor: string): Promise<void> {
  await service.rows('alter table audit disable trigger user')
  await service.rows('update audit set actor = $2 where id = $1', [id, actor])
  await service.rows('alter table audit enable trigger user')
}
