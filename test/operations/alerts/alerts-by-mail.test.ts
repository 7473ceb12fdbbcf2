import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { sendHeartbeat } from '../../../src/operations/alerts/heartbeat.ts'
import { ALERT_KINDS, consolePageOf, paragraphOf } from '../../../src/operations/alerts/kinds.ts'
import { watchDatabase } from '../../../src/operations/alerts/watch-database.ts'
import { DatabaseAway } from '../../../src/platform/db/errors.ts'
import { startMailServer } from '../../fakes/mail-server.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { assertRefused } from '../../helpers/service/command-line.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { answering } from '../../helpers/web/webhooks.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

const MINUTE = 60_000

const person = opened(() => startReceiver())
const post = opened(() => startMailServer())
const env = () => ({
  ALERT_WEBHOOK: person.url,
  ALERT_MAIL: 'night@shops.invalid, day@shops.invalid',
  MAIL_URL: post.url,
  HEARTBEAT_URL: `${person.url}/alive`,
})
const service = opened(() => startService({ env: env() }))
const { run } = commandsOn(service, { more: env })

const look = () => service.run('raise-alerts')
const posted = (kind: string) => person.received.map(({ event }) => event).filter((one) => one?.kind === kind)
const plain = (data: string) => data.replace(/=\r?\n/g, '').replace(/=3D/g, '=')
const mailed = (kind: string) =>
  post.taken.map(({ to, data }) => ({ to, data: plain(data) })).filter(({ data }) => data.includes(kind))
const freeze = (reason: string | null) => service.rows('update cell_0.payout_stops set frozen_for = $1', [reason])

async function quiet() {
  await freeze(null)
  service.pass(11 * MINUTE)
  await look()
  service.pass(11 * MINUTE)
  await look()
}

test('an alert goes out by both ways, to everybody named, with the page that deals with it and its paragraph', async () => {
  await freeze('a drill')
  await look()
  const [message] = posted('payouts_frozen')
  assert.equal(message.page, `${service.gateway.baseUrl}/console/freeze`)
  assert.equal(message.paragraph, `${service.gateway.baseUrl}/console/alerts/kinds/payouts_frozen`)
  const mails = mailed('payouts_frozen')
  assert.deepEqual(mails.map(({ to }) => to).sort(), ['day@shops.invalid', 'night@shops.invalid'])
  const [mail] = mails
  assert.match(mail?.data ?? '', /^Subject: NEW: payouts_frozen/m)
  assert.match(mail?.data ?? '', /live payouts of the platform are frozen: a drill/)
  assert.ok(mail?.data.includes('/console/freeze'))
  await look()
  assert.equal(mailed('payouts_frozen').length, 2, 'once')
  await quiet()
})

test('what one way does not take goes out by the other, and so does the news that it failed', async () => {
  const before = mailed('payouts_frozen').length
  person.behave(answering(500))
  await freeze('another drill')
  await look()
  assert.equal(mailed('payouts_frozen').length, before + 2)
  const failed = posted('payouts_frozen').length
  await look()
  assert.ok(mailed('alert_way').some(({ data }) => /ALERT_WEBHOOK did not take an alert: http 500/.test(data)))
  service.pass(2 * MINUTE)
  await look()
  assert.equal(posted('payouts_frozen').length, failed, 'told by mail, so it is not told again')
  person.behave(answering(200))
  post.behave('busy')
  await quiet()
  const open = await service.rows<{ subject: string }>(
    `select subject from alerts where kind = 'alert_way' and closed_at is null`,
  )
  assert.deepEqual(
    open.map(({ subject }) => subject),
    ['ALERT_MAIL'],
  )
  post.behave('none')
  await quiet()
})

test('an alert that neither way takes is kept, and goes out when one of them works', async () => {
  person.behave(answering(500))
  post.behave('busy')
  await freeze('a third drill')
  await look()
  const before = mailed('a third drill').length
  assert.equal(before, 0)
  post.behave('none')
  service.pass(61_000)
  await look()
  assert.equal(mailed('a third drill').length, 2)
  person.behave(answering(200))
  await quiet()
})

test('alerts test reaches both ways, and says which one did not take it', async () => {
  post.behave('busy')
  assertRefused(await run('alerts', 'test'), {
    code: 1,
    says: /ALERT_MAIL did not take the test alert; the log line/,
  })
  post.behave('none')
  assert.equal((await run('alerts', 'test')).code, 0)
  const { code } = posted('test').at(-1)
  assert.ok(mailed('A test alert').some(({ data }) => data.includes(code)))
})

test('a database that is away for a minute is told by both ways, and once more when it answers', async () => {
  let away = true
  const directory = {
    ...service.gateway.directory,
    query: (async (...given: Parameters<typeof service.gateway.directory.query>) => {
      if (away) throw new DatabaseAway(new Error('planted'))
      return service.gateway.directory.query(...given)
    }) as typeof service.gateway.directory.query,
  }
  const watch = watchDatabase({ ...service.gateway, directory })
  await watch.check()
  assert.deepEqual(posted('database_down'), [])
  service.pass(61_000)
  await watch.check()
  await watch.check()
  assert.equal(posted('database_down').length, 1)
  assert.equal(mailed('database_down').length, 2)
  away = false
  await watch.check()
  assert.equal(posted('database_down').at(-1).alerts[0].state, 'closed')
})

test('a worker tells the watchdog outside that it lives', async () => {
  const before = person.received.length
  await sendHeartbeat(service.gateway)
  assert.equal(person.received.length, before + 1)
})

test('every kind of alert has a paragraph in the manual and a page that shows it, and there is no other', async () => {
  const manual = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'operating.md'), 'utf8')
  const alerts = manual.slice(manual.indexOf('\n## Alerts\n') + 5).split(/\n## /)[0] ?? ''
  const written = [...alerts.matchAll(/^### (\w+)$/gm)].map(([, kind]) => kind)
  assert.deepEqual(written, ALERT_KINDS)
  const operator = await operatorSignedIn(service, 'support')
  for (const kind of ALERT_KINDS) {
    const page = await operator.get(paragraphOf(kind))
    assert.equal(page.status, 200, kind)
    assert.ok(mainOf(page).length > 120, kind)
    assert.ok(page.text.includes(`href="${consolePageOf(kind)}"`), kind)
  }
  assert.equal((await operator.get('/console/alerts/kinds/nothing')).status, 404)
})
