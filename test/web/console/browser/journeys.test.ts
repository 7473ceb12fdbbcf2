import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { startOp1Service } from '../../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { codeOf, secretIn } from '../../../helpers/web/authenticator.ts'
import { OPERATOR_PASSWORD } from '../../../helpers/web/enrolling.ts'
import { commandsOn } from '../../../program/commands/commands-on.ts'
import { launchBrowser, newVisitor, ON_BROWSER } from '../../browser/browser.ts'
import { focused, pressOn, typeInto } from '../../browser/keys.ts'
import { openedForBrowser } from '../../browser/states/world-of-file.ts'
import { atWork, goes, goHome, press, sees } from '../at-work.ts'

// Operators at work, in a real browser, against the operator's emulator.
const MINUTE = 60_000
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const { json } = commandsOn(service)
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, service, close: () => browser.close() }
})
const opens = (page: Page, path: string) => page.goto(`${service.url}${path}`)

longTest(
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
    await goHome(visitor)
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
    const support = await atWork(screen, 'support', { size: 'phone' })
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
    await sees(page, 'No payment of this age waits for an answer.')
    await goHome(support)
  },
)

longTest(
  'the audit is followed to its end, then a superuser edits a row, and the page and an alert name it',
  ON_BROWSER,
  async () => {
    await service.shop()
    await service.run('seal-audit')
    const admin = await atWork(screen, 'admin')
    const { page } = admin
    await opens(page, '/console')
    await page.getByRole('link', { name: 'Audit', exact: true }).click()
    await press(page, 'Verify now')
    await sees(page, 'The chains were followed to their ends: see below.')
    const found = page.getByRole('table').first()
    await found.getByText('holds').first().waitFor()
    assert.equal(await found.getByText('broken').count(), 0)
    const [row] = await service.rows<{ id: number; actor: string }>('select id, actor from audit order by id limit 1')
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
    await goHome(admin)
  },
)

/** What only a superuser can do: the triggers refuse everybody else. */
async function edited(id: number, actor: string): Promise<void> {
  await service.rows('alter table audit disable trigger user')
  await service.rows('update audit set actor = $2 where id = $1', [id, actor])
  await service.rows('alter table audit enable trigger user')
}
