import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StaffRole } from '../../../src/api/access/actor.ts'
import { removeStaff, setStaffRole } from '../../../src/merchants/people/staff/change-staff.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import type { Page } from '../../helpers/web/browser.ts'
import { browserOf, hasForm } from '../../helpers/web/browser.ts'
import { OPERATOR_ROLES, operatorSignedIn, type PlantedOperator } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { enrolled, OPERATOR_PASSWORD, openLink } from '../../helpers/web/enrolling.ts'
import { linksIn, mailsTo } from '../../helpers/web/mailed.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const PAGE = '/console/operators'
const service = openedAndVerified(() => startService())

/** The acts about operators in the audit, newest first. */
const acts = (subject: string) =>
  service.rows<{ action: string; actor: string; before: unknown; after: unknown }>(
    `select action, actor, before, after from directory.audit where subject = $1 and action like 'operator.%' order by id desc`,
    [subject],
  )
const actionOf = async (subject: string) => (await acts(subject))[0]?.action

/** Sends one of the forms that stand once for each row. */
const sendRow = async (admin: PlantedOperator, end: string, fields: Record<string, string> = {}) =>
  admin.send(await admin.get(PAGE), end, fields)

test('an admin invites by mail, and the invited operator has the role from its link on', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const page = await admin.get(PAGE)
  const done = await admin.send(page, '/invite', { email: 'New@gateway.invalid', role: 'finance' })
  assert.equal(done.location, PAGE)
  const after = await admin.follow(done)
  assert.match(mainOf(after), /An invitation is on its way to New@gateway.invalid/)
  assert.doesNotMatch(after.text, /join\?link=/, 'the link is in the mail alone')
  const [mail] = await mailsTo(service, 'new@gateway.invalid')
  assert.deepEqual([mail?.template, mail?.values.by], ['operator-invitation', admin.email])
  service.pass(23 * HOUR)
  const { browser, reply } = await openLink(service, mail?.values.link ?? '', { name: 'Aisha' })
  assert.equal(reply.status, 200, mainOf(reply))
  const seen = mainOf(await browser.get(PAGE))
  assert.match(seen, /Aisha \(you\) New@gateway.invalid finance app/)
})

test('an invitation can be taken back, ends after a day, and an operator is not invited again', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const invite = async (email: string) => admin.send(await admin.get(PAGE), '/invite', { email, role: 'risk' })
  const other = await operatorSignedIn(service, 'support')
  const refused = await invite(other.email.toUpperCase())
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /email belongs to an operator already/)
  await invite('back@gateway.invalid')
  const [path = ''] = await linksIn(service, 'back@gateway.invalid')
  assert.equal((await browserOf(service).get(path)).status, 200)
  const taken = await sendRow(admin, '/take-back')
  assert.equal(taken.location, PAGE)
  assert.equal((await browserOf(service).get(path)).status, 410)
  await invite('slow@gateway.invalid')
  const [slow = ''] = await linksIn(service, 'slow@gateway.invalid')
  service.pass(24 * HOUR + MINUTE)
  assert.equal((await browserOf(service).get(slow)).status, 410)
})

test('a role changes from the next page on, and a removed operator is out at once', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const one = await operatorSignedIn(service, 'support')
  assert.equal(hasForm(await one.get(PAGE), '/invite'), false)
  await sendRow(admin, `${one.publicId}/role`, { role: 'admin' })
  assert.equal(hasForm(await one.get(PAGE), '/invite'), true)
  assert.deepEqual((await acts(one.publicId))[0], {
    ...{ action: 'operator.role', actor: admin.email },
    ...{ before: { role: 'support' }, after: { role: 'admin' } },
  })
  await one.send(await one.get(PAGE), '/invite', { email: 'friend@gateway.invalid', role: 'admin' })
  const [friend = ''] = await linksIn(service, 'friend@gateway.invalid')
  const gone = await sendRow(admin, `${one.publicId}/remove`)
  assert.equal(gone.location, PAGE)
  assert.equal((await one.get('/console')).status, 303)
  assert.equal((await browserOf(service).get(friend)).status, 410, 'what it has begun ends with it')
  assert.equal(await actionOf(one.publicId), 'operator.remove')
  const again = await admin.send(await admin.get(PAGE), '/invite', { email: one.email, role: 'risk' })
  assert.equal(again.status, 303, 'the address is free again')
})

test('an admin ends the session of somebody else', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const one = await operatorSignedIn(service, 'risk')
  const done = await sendRow(admin, `sessions/${one.sessionId}/end`)
  assert.equal(done.location, PAGE)
  assert.equal((await one.get('/console')).status, 303)
  assert.equal(await actionOf(`${one.publicId} ${one.sessionId}`), 'operator.sessions')
})

test('an admin lets a locked operator in again, by its own mail', async () => {
  const { email } = await enrolled(service, 'support')
  for (let tries = 0; tries < 5; tries += 1)
    await browserOf(service).post('/console/sign-in', { email, password: 'a wrong password' })
  const [person] = await service.rows<{ id: string }>('select public_id as id from people where email = $1', [email])
  const admin = await operatorSignedIn(service, 'admin')
  const done = await sendRow(admin, `${person?.id}/reset`)
  assert.match(mainOf(await admin.follow(done)), /is on its way to the address of the account/)
  const mail = (await mailsTo(service, email)).find(({ template }) => template === 'operator-reset')
  const { reply } = await openLink(service, mail?.values.link ?? '', { password: `${OPERATOR_PASSWORD} now` })
  assert.equal(reply.status, 200, mainOf(reply))
  service.pass(31_000)
  const right = await browserOf(service).post('/console/sign-in', {
    email,
    password: `${OPERATOR_PASSWORD} now`,
  })
  assert.equal(right.location, '/console/sign-in', 'the lock is gone')
})

test('every act about operators asks for a fresh factor, and none but an admin may', async () => {
  const stale = await operatorSignedIn(service, 'admin', { steppedUpMs: 6 * MINUTE })
  const one = await operatorSignedIn(service, 'support')
  const before = await peopleNow()
  const page = await stale.get(PAGE)
  for (const [end, fields] of [
    ['/invite', { email: 'x@gateway.invalid', role: 'risk' }],
    [`${one.publicId}/role`, { role: 'risk' }],
    [`${one.publicId}/remove`, {}],
    [`${one.publicId}/reset`, {}],
    [`sessions/${one.sessionId}/end`, {}],
  ] as const) {
    const refused = await stale.send(page, end, fields)
    assert.match(mainOf(refused), /Confirm with this before anything is done/, end)
  }
  for (const role of OPERATOR_ROLES.filter((operatorRole) => operatorRole !== 'admin')) {
    const { get, post } = await operatorSignedIn(service, role)
    const { csrf = '' } = (await get(PAGE)).forms[0]?.fields ?? {}
    const refused = await post(`${PAGE}/${one.publicId}/remove`, {
      csrf: csrf || csrfOf(await get('/console')),
    })
    assert.equal(refused.status, 403)
    assert.match(mainOf(refused), new RegExp(`your role \\(${role}\\) may not do this`))
  }
  assert.deepEqual(before, (await peopleNow()).slice(0, before.length))
})

const csrfOf = (page: Page) => page.forms.find(({ fields }) => fields.csrf)?.fields.csrf ?? ''
const peopleNow = () =>
  service.rows(`select id, operator_role, closed_at from people where realm = 'operator' order by id`)

test('the last admin stays, whoever asks and however many at once', async () => {
  await service.rows(
    `alter table people disable trigger people_keep_an_admin; update people set closed_at = now() where realm = 'operator';
     alter table people enable trigger people_keep_an_admin`,
  )
  const only = await operatorSignedIn(service, 'admin')
  for (const [end, fields] of [
    [`${only.publicId}/remove`, {}],
    [`${only.publicId}/role`, { role: 'risk' }],
  ] as const) {
    const refused = await sendRow(only, end, fields)
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), /the console needs an admin: make somebody else an admin first/)
  }
  assert.deepEqual(await acts(only.publicId), [])
  await assert.rejects(
    service.rows('update people set closed_at = now() where id = $1', [only.personId]),
    /would have no admin/,
  )
  // A removes B while B takes the role of A: one of the two is no admin any more when its turn comes.
  for (let round = 0; round < 10; round += 1) {
    const two = await Promise.all([0, 1].map(() => operatorSignedIn(service, 'admin')))
    await leaveOnly(two)
    const done = await Promise.allSettled(two.map((by, nth) => change(by, two[1 - nth] as PlantedOperator, nth)))
    assert.deepEqual(done.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], `round ${round}`)
    assert.equal((await adminsNow()).length, 1, `round ${round}`)
  }
})

const leaveOnly = (admins: readonly PlantedOperator[]) =>
  service.rows(
    `update people set closed_at = now() where realm = 'operator' and closed_at is null and id <> all($1::bigint[])`,
    [admins.map(({ personId }) => personId)],
  )

const adminsNow = () =>
  service.rows<{ id: number }>(
    `select id from people where realm = 'operator' and operator_role = 'admin' and closed_at is null order by id`,
  )

/** One admin takes the role of another, in one of two ways. */
function change(by: PlantedOperator, whom: PlantedOperator, nth: number): Promise<void> {
  const actor = {
    ...{
      kind: 'operator' as const,
      name: by.email,
      role: 'admin' as StaffRole,
      origin: '::1',
      requestId: null,
    },
    ...{ personId: by.personId, sessionId: by.sessionId, factorAgeMs: 0 },
  }
  return nth % 2 === 0
    ? removeStaff(service.gateway, actor, whom.publicId)
    : setStaffRole(service.gateway, actor, { publicId: whom.publicId, role: 'risk' })
}

test('a person hears, by name and in one alert, of what is done past the admins and of a role that changes', async () => {
  const told = async () => {
    await service.run('raise-alerts')
    return service.rows<{ says: string; to_tell: string | null; size: number }>(
      `select says, to_tell, size::int as size from alerts where kind = 'operators_changed' and closed_at is null`,
    )
  }
  service.pass(25 * HOUR)
  assert.deepEqual(await told(), [], 'what was done yesterday is over')
  const first = await enrolled(service, 'admin')
  const second = await enrolled(service, 'risk')
  const [alert, ...others] = await told()
  assert.deepEqual(others, [], 'however many are let in')
  for (const email of [first.email, second.email]) {
    assert.match(alert?.says ?? '', new RegExp(`${email} \\(\\w+\\) was let in by `))
    assert.match(alert?.says ?? '', new RegExp(`${email} \\(\\w+\\) was invited by command`))
  }
  assert.doesNotMatch(alert?.says ?? '', /lnk_|per_/)
  const admin = await operatorSignedIn(service, 'admin')
  const one = await operatorSignedIn(service, 'support')
  await service.rows('update alerts set to_tell = null where closed_at is null')
  await sendRow(admin, `sessions/${one.sessionId}/end`)
  const before = await told()
  assert.equal(before[0]?.size, 4, 'what admins do every day wakes nobody')
  service.pass(HOUR / 60)
  await sendRow(admin, `${one.publicId}/role`, { role: 'risk' })
  const [after] = await told()
  assert.equal(after?.size, 5)
  assert.match(after?.says ?? '', new RegExp(`^${one.email} \\(risk\\) got another role by ${admin.email}`))
  service.pass(25 * HOUR)
  assert.deepEqual(await told(), [], 'it is over by itself')
})
