import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = opened(() => startService())
const IN_DIRECTORY = `insert into directory.audit (at, actor_kind, actor, origin, action, subject)
  values ($1, 'command', 'root', '', 'sweep.run', 'planted ' || $2::int)`

test('the audit of every place is read, filtered, paged and downloaded, and a download is an act', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const first = await service.merchant({ name: '=HYPERLINK("http://evil")' })
  const other = await service.merchant()
  for (let nth = 0; nth < 60; nth += 1) await service.set(other, { vendingEnabled: nth % 2 === 0 })
  const newest = await admin.get('/console/audit?place=cell_0')
  assert.equal(newest.status, 200)
  assert.match(newest.text, /merchant\.vending/)
  const older = /href="([^"]*after=[^"]*)"/.exec(newest.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const page = await admin.get(older)
  assert.equal(page.status, 200)
  assert.match(page.text, /href="\/console\/audit\?place=cell_0">Back to the newest/)
  assert.doesNotMatch(newest.text, /Back to the newest/)
  const own = await admin.get(`/console/audit?place=directory&merchant=${first.id}`)
  assert.match(own.text, new RegExp(first.id))
  assert.doesNotMatch(own.text, new RegExp(other.id))
  const none = await admin.get('/console/audit?actor=nobody')
  assert.match(mainOf(none), /No row fits/)
  assert.equal((await admin.get('/console/audit?after=x')).status, 400)
  assert.equal((await admin.get('/console/audit?place=elsewhere')).status, 404)
  for (const name of ['from', 'until'])
    for (const day of ['28/11/2026', '2026-02-30', 'x', '2026-11-28T10:00', '🍲']) {
      const refused = await admin.get(`/console/audit?${new URLSearchParams({ [name]: day })}`)
      assert.equal(refused.status, 400, day)
      assert.match(mainOf(refused), new RegExp(`${name} must be a day of the calendar, such as 2026-11-28`))
    }
  const today = new Date(service.clock.nowMs() + 3 * 3_600_000).toISOString().slice(0, 10)
  assert.match((await admin.get(`/console/audit?place=cell_0&from=${today}&until=${today}`)).text, /merchant\.vending/)
  assert.match(mainOf(await admin.get('/console/audit?until=2020-01-01')), /No row fits/)
  const file = await admin.send(newest, '/audit/export')
  assert.equal(file.status, 200)
  assert.match(file.headers.get('content-disposition') ?? '', /audit-cell_0\.csv/)
  assert.equal(file.text.split('\r\n')[0]?.startsWith('id,at,kind,actor'), true)
  const acts = await service.rows<{ actor: string }>(`select actor from directory.audit where action = 'audit.export'`)
  assert.deepEqual(acts, [{ actor: admin.email }])
  const support = await operatorSignedIn(service, 'support')
  const { forms } = await support.get('/console/audit')
  assert.ok(!forms.some(({ action }) => action.endsWith('/audit/export')), 'support has no button to download')
})

test('without a place the audit shows what was done in all of them, in one order, each row once', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const merchant = await service.merchant()
  for (let nth = 0; nth < 60; nth += 1) {
    service.pass(1000)
    if (nth % 3 === 0) await service.rows(IN_DIRECTORY, [service.clock.now(), nth])
    else await service.set(merchant, { vendingEnabled: nth % 2 === 0 })
  }
  const seen: string[] = []
  let next: string | undefined = '/console/audit'
  for (let pages = 0; next !== undefined && pages < 10; pages += 1) {
    const page = await admin.get(next)
    assert.equal(page.status, 200)
    seen.push(...[...page.text.matchAll(/data-title="Place">(\w+)</g)].map(([, place]) => place ?? ''))
    next = /href="([^"]*after=[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  }
  const [{ count } = { count: 0 }] = await service.rows<{ count: number }>(
    'select (select count(*) from cell_0.audit) + (select count(*) from directory.audit) as count',
  )
  assert.equal(seen.length, Number(count))
  assert.deepEqual(seen.slice(0, 6), ['cell_0', 'cell_0', 'directory', 'cell_0', 'cell_0', 'directory'])
  const file = await admin.send(await admin.get('/console/audit'), '/audit/export')
  assert.match(file.headers.get('content-disposition') ?? '', /audit-all\.csv/)
  assert.ok(file.text.includes('cell_0') && file.text.includes('directory'))
})

test('a row that a superuser has edited is found by the page, and raises the alert', async () => {
  const support = await operatorSignedIn(service, 'support')
  await service.run('seal-audit')
  const verify = async () => support.send(await support.get('/console/audit'), '/audit/verify')
  assert.equal((await verify()).location, '/console/audit')
  assert.match(mainOf(await support.get('/console/audit')), /holds/)
  const [row] = await service.rows<{ id: number }>('select min(id) as id from audit')
  await service.rows('alter table audit disable trigger user')
  await service.rows(`update audit set actor = 'nobody' where id = $1`, [row?.id])
  await service.rows('alter table audit enable trigger user')
  await verify()
  assert.match(mainOf(await support.get('/console/audit')), new RegExp(`broken audit row ${row?.id} or its seal`))
  const open = await service.rows<{ kind: string; subject: string }>(
    'select kind, subject from alerts where closed_at is null',
  )
  assert.ok(open.some(({ kind, subject }) => kind === 'audit_broken' && subject === 'cell_0'))
})

test('however often somebody looks, the acts of a merchant stay in sight, and looks have a list of their own', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const merchant = await service.merchant()
  await service.set(merchant, { vendingEnabled: true })
  await service.rows(
    `insert into cell_0.audit (at, actor_kind, actor, origin, action, merchant_id, subject)
     select $2, 'operator', 'risk@gateway.invalid', '', 'verification.read', m.id, $1 from cell_0.merchants m, generate_series(1, 60)
     where m.public_id = $1`,
    [merchant.id, service.clock.now()],
  )
  const first = mainOf(await admin.get(`/console/merchants/${merchant.id}`))
  assert.match(first, /merchant\.vending/)
  assert.doesNotMatch(first, /verification\.read/)
  const page = `/console/merchants/${merchant.id}/audit`
  assert.match(mainOf(await admin.get(page)), /merchant\.vending/)
  assert.doesNotMatch(mainOf(await admin.get(page)), /verification\.read/)
  const looks = mainOf(await admin.get(`${page}?of=looks`))
  assert.match(looks, /verification\.read/)
  assert.doesNotMatch(looks, /merchant\.vending/)
  assert.match(mainOf(await admin.get(`${page}?of=all`)), /verification\.read/)
  const owner = await signedInAs(service, merchant)
  const own = mainOf(await owner.get('/dashboard/settings/audit?of=acts'))
  assert.match(own, /Switch vending on/)
})
