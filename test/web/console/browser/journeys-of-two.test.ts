import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { payNew } from '../../../helpers/payments/payouts.ts'
import { paidBy } from '../../../helpers/payments/reconciling.ts'
import { startOp1Service } from '../../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { launchBrowser, ON_BROWSER } from '../../browser/browser.ts'
import { openedForBrowser } from '../../browser/states/world-of-file.ts'
import { walkerOf } from '../../dashboard/whole/walker.ts'
import { atWork, goes, goHome, press, sees } from '../at-work.ts'

// What takes two operators, in real browsers, against the operator's emulator.
const HOUR = 3_600_000
const DAY = 24 * HOUR
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const screen = openedForBrowser(async () => {
  const browser = await launchBrowser()
  return { browser, service, close: () => browser.close() }
})
const opens = (page: Page, path: string) => page.goto(`${service.url}${path}`)

test(
  'one operator freezes payouts, the same one cannot let them run again, a second one can, without scripts',
  ON_BROWSER,
  async () => {
    const { shop } = await paidBy(service)
    assert.equal((await payNew(shop.live)).status, 201)
    const risk = await atWork(screen, 'risk', { javaScriptEnabled: false })
    const admin = await atWork(screen, 'admin', { size: 'phone', javaScriptEnabled: false })
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
    await goHome(risk, admin)
  },
)

test(
  'an imported statement opens an exception, two operators correct the balance, and the payouts of the merchant resume',
  ON_BROWSER,
  async () => {
    service.pass(30 * DAY)
    const { shop, id } = await paidBy(service)
    const finance = await atWork(screen, 'finance')
    const admin = await atWork(screen, 'admin')
    const { page } = finance
    await opens(page, '/console/reconciliation/import')
    const buffer = Buffer.from(statementWith(id, 499_000))
    const file = { name: 'monday.csv', mimeType: 'text/csv', buffer }
    await page.getByLabel('File (CSV, at most 10 MB)').setInputFiles(file)
    await press(page, 'Look at it')
    await sees(page, 'A worker looks at it now. Nothing was imported yet.')
    await service.run('import-statements')
    await page.reload()
    await sees(page, 'Amount or side differs')
    await sees(page, id)
    assert.equal((await payNew(shop.live)).status, 201, 'to look changes nothing')
    await press(page, 'Import it now')
    await sees(page, 'A worker imports it now.')
    await service.run('import-statements')
    await page.reload()
    await sees(page, 'Take the import back')
    const stopped = await payNew(shop.live)
    assert.match(stopped.text, /payouts are paused on this account/)
    await opens(page, '/console/reconciliation/exceptions?list=mismatched')
    await goes(page, 'mismatch')
    await sees(page, 'It pauses the payouts of this merchant in this mode until it is resolved.')
    await press(page, 'Take it')
    await sees(page, 'You look after it.')
    const correction = page.locator('form[action*="/adjust#"]')
    await correction.getByLabel('Take from what the merchant has available').check()
    await correction.getByLabel('Amount').fill('1,000')
    await correction.getByLabel('What the merchant reads of the correction').fill('The operator collected 1,000 less')
    await correction.getByLabel('Reason for the correction, for the second operator').fill('line 3 of the statement')
    await correction.getByRole('button', { name: 'Ask for the correction', exact: true }).click()
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
    await goHome(finance, admin, owner)
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
