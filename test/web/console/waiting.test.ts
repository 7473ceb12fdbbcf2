import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { rejectApproval } from '../../../src/operations/approvals/end-approval.ts'
import { askUnfreezeMerchant } from '../../../src/operations/approvals/unfreeze.ts'
import { readWaitingWork } from '../../../src/operations/waiting/waiting-work.ts'
import { operator } from '../../helpers/service/actors.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn, type PlantedOperator } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { consoleWorld } from './world.ts'

const HOUR = 3_600_000

const service = opened(() => startService())
const world = made(() => consoleWorld(service))

/** What stands beside an entry of the navigation. */
async function beside(who: PlantedOperator, path: string): Promise<string | null> {
  const { text } = await who.get('/console/security')
  const entry = new RegExp(`<a href="/console${path}"[^>]*>(.*?)</a>`).exec(text.split('<main')[0] ?? '')
  assert.ok(entry, `the navigation has ${path}`)
  return /class="count">.*?<\/span>([^<]+)</.exec(entry[1] ?? '')?.[1] ?? null
}
const openAlerts = async () =>
  (
    await service.rows<{ says: string }>(
      `select says from directory.alerts where kind = 'work_waiting' and closed_at is null order by says`,
    )
  ).map(({ says }) => says.replace(/ \(.*/, ''))

test('the navigation shows beside each entry how much waits there, and not what an operator may not decide himself', async () => {
  const { finance, admin, support } = world.people
  assert.equal(await beside(support, '/approvals'), '1')
  assert.equal(await beside(admin, '/reconciliation/exceptions'), '1', 'the entry leads to what waits')
  assert.equal(await beside(admin, '/verification'), '1')
  assert.equal(await beside(admin, '/numbers'), '1')
  assert.equal(await beside(admin, '/withdrawals'), null)
  assert.equal(await beside(admin, '/alerts'), '1')
  const merchant = (await getMerchantNamed(service.gateway, world.ids['/freeze'] ?? '')).merchant
  const asker = operator('admin', admin.personId)
  await askUnfreezeMerchant(service.app, asker, { merchant, reason: 'cleared' })
  assert.equal(await beside(finance, '/approvals'), '2')
  assert.equal(await beside(admin, '/approvals'), '1', 'what he has asked for himself is no work of his')
  await rejectApproval(service.gateway, operator('finance', finance.personId), {
    ...{ id: world.ids['/approvals'] ?? '', note: 'another figure' },
  })
  const own = await admin.get('/console/approvals')
  assert.match(own.text, /aria-current="true">Asked by me/, 'the tab with something on it opens first')
  assert.match((await support.get('/console/approvals')).text, /aria-current="true">Waiting for me/)
})

test('exceptions open on the first list with something on it, which shows how much each has', async () => {
  const { risk } = world.people
  const first = await risk.get('/console/reconciliation/exceptions')
  assert.match(first.text, /aria-current="true">Missing on one side <span class="count">.*?<\/span>1</)
  await service.rows(`update cell_0.exceptions set kind = 'mismatch'`)
  const page = await risk.get('/console/reconciliation/exceptions')
  assert.match(page.text, /aria-current="true">Told differently <span class="count">.*?<\/span>1</)
  assert.match(mainOf(page), /mismatch/)
  await service.rows(`update cell_0.exceptions set kind = 'unresolved'`)
  assert.match((await risk.get('/console/reconciliation/exceptions')).text, /aria-current="true">Expected/)
  assert.equal(await beside(risk, '/reconciliation'), null, 'what closes by itself is no work')
  await service.rows(`update cell_0.exceptions set kind = 'never_arrived'`)
})

test('what waits for longer than WORK_WAITS_HOURS is an alert until somebody takes it or decides', async () => {
  await service.run('raise-alerts')
  assert.deepEqual(await openAlerts(), [])
  const home = mainOf(await world.people.finance.get('/console'))
  assert.match(home, /Waits for one of you Approvals 1 Exceptions 1 Settlement numbers 1 Verification 1 Cases 1/)
  service.pass(12 * HOUR + 60_000)
  await service.run('raise-alerts')
  assert.deepEqual(await openAlerts(), [
    '1 applications wait for a review for more than 12 hours',
    '1 approvals wait for a second operator for more than 12 hours',
    '1 cases of merchants wait for an answer for more than 12 hours',
    '1 exceptions are taken by nobody for more than 12 hours',
    '1 settlement numbers wait for their verification for more than 12 hours',
  ])
  await service.rows(`update cell_0.exceptions set owner = 'risk@gateway.invalid'`)
  await service.rows(`update cell_0.withdrawal_numbers set verified_at = set_at`)
  service.pass(13 * HOUR)
  await service.run('raise-alerts')
  assert.deepEqual(await openAlerts(), [
    '1 applications wait for a review for more than 12 hours',
    '1 cases of merchants wait for an answer for more than 12 hours',
  ])
  const admin = await operatorSignedIn(service, 'admin')
  assert.equal(await beside(admin, '/reconciliation/exceptions'), '1', 'taken, and still open')
})

test('many of one kind are counted to a bound, and hide no other kind', async () => {
  await service.rows(
    `insert into cell_0.exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at)
     select merchant_id, 'exc_many' || n, 'live', 'rail_only', 'major', 'txn_many' || n, '{}', opened_at - interval '1 day'
     from cell_0.exceptions cross join generate_series(1, 150) n`,
  )
  const rows = (await readWaitingWork(service.gateway)).filter(({ work }) => work === 'exceptions')
  assert.deepEqual(rows.map(({ part, count }) => `${part} ${count}`).sort(), ['never_arrived 1', 'rail_only 100'])
  assert.equal(await beside(await operatorSignedIn(service, 'support'), '/reconciliation/exceptions'), '99+')
})
