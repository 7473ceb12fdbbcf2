import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, test } from 'node:test'
import { addMail } from '../../../src/merchants/mails/mail.ts'
import { startMailServer } from '../../fakes/mail-server.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'

const MINUTE_MS = 60_000
const folder = mkdtempSync(join(tmpdir(), 'gateway-mails-'))
const server = opened(() => startMailServer())
const service = opened(() => startService({ env: { MAIL_URL: server.url, MAIL_FROM: 'Gateway <pay@shop.example>' } }))
const files = opened(() => startService({ env: { DATA_DIR: folder } }))
const LINK = 'https://gateway.example/dashboard/reset?link=SECRET-TOKEN'

beforeEach(() => {
  server.behave('none')
  server.taken.length = 0
  server.texts.length = 0
})

async function write({ gateway, clock }: TestService, to = 'grace@shop.example'): Promise<void> {
  const row = addMail(gateway, { to, template: 'reset-password', values: { link: LINK }, at: clock.now() })
  await gateway.directory.query(row.statement, row.values)
}
const states = () =>
  service.rows<{ state: string; attempts: number; sealed: Buffer | null }>(
    'select state, attempts, sealed from mails order by created_at, id',
  )
const idOf = (text: string) => /^Message-ID: (.*)$/im.exec(text)?.[1]

test('a mail goes out once, as text and HTML, and what it held is erased', async () => {
  await write(service)
  assert.doesNotMatch(JSON.stringify(await service.rows('select * from mails')), /SECRET-TOKEN/)
  await service.run('send-mails')
  await service.run('send-mails')
  assert.equal(server.taken.length, 1)
  const [mail] = server.taken
  assert.equal(mail?.to, 'grace@shop.example')
  assert.match(mail?.data ?? '', /^From: Gateway <pay@shop\.example>$/m)
  assert.match(mail?.data ?? '', /^Subject: Choose a new password$/m)
  assert.match(mail?.data ?? '', /text\/plain[\s\S]*text\/html/)
  assert.deepEqual(
    (await states()).map(({ state, sealed }) => [state, sealed]),
    [['sent', null]],
  )
})

test('a busy server is asked again along the ladder, with the same id, and after eight times the mail has failed', async () => {
  await service.rows('delete from mails')
  server.behave('busy')
  await write(service)
  assert.equal(await service.run('send-mails'), 1)
  for (const minutes of [1, 5, 30, 120, 360, 720, 1440]) {
    service.pass(minutes * MINUTE_MS - 1000)
    assert.equal(await service.run('send-mails'), 0, `before ${minutes} minutes`)
    service.pass(1000)
    assert.equal(await service.run('send-mails'), 1, `after ${minutes} minutes`)
  }
  assert.deepEqual(
    (await states()).map(({ state, attempts, sealed }) => [state, attempts, sealed]),
    [['failed', 8, null]],
  )
})

test('a mail whose end is not known is sent again under the same id', async () => {
  await service.rows('delete from mails')
  server.behave('cut after text')
  await write(service)
  await service.run('send-mails')
  assert.deepEqual(
    (await states()).map(({ state, attempts }) => [state, attempts]),
    [['waiting', 1]],
  )
  server.behave('none')
  service.pass(MINUTE_MS)
  await service.run('send-mails')
  assert.equal(server.texts.length, 2)
  assert.ok(idOf(server.texts[0] ?? ''))
  assert.equal(idOf(server.texts[0] ?? ''), idOf(server.texts[1] ?? ''))
  assert.deepEqual(
    (await states()).map(({ state }) => state),
    ['sent'],
  )
})

test('a refusal for good ends the mail, and the others go out', async () => {
  await service.rows('delete from mails')
  server.behave('refuse')
  await write(service, 'nobody@shop.example')
  await service.run('send-mails')
  server.behave('none')
  await write(service)
  await service.run('send-mails')
  assert.deepEqual(
    (await states()).map(({ state }) => state),
    ['failed', 'sent'],
  )
  const [refused] = await service.rows<{ why: string }>(`select last_error as why from mails where state = 'failed'`)
  assert.match(refused?.why ?? '', /<\*\*\*@shop\.example> is no mailbox here/)
  assert.equal(server.taken.length, 1)
})

test('two processes at once send each mail once, and a mail of a dead process goes out when its lease has ended', async () => {
  await service.rows('delete from mails')
  for (let nth = 0; nth < 25; nth += 1) await write(service, `person${nth}@shop.example`)
  for (let round = 0; round < 5; round += 1) await Promise.all([service.run('send-mails'), service.run('send-mails')])
  assert.equal(new Set(server.taken.map(({ to }) => to)).size, 25)
  assert.equal(server.taken.length, 25)
  await write(service)
  await service.rows(`update mails set lease_token = 'dead', lease_until = $1 where state = 'waiting'`, [
    new Date(service.clock.nowMs() + 5 * MINUTE_MS),
  ])
  assert.equal(await service.run('send-mails'), 0)
  service.pass(5 * MINUTE_MS)
  assert.equal(await service.run('send-mails'), 1)
})

test('an address with a list, a name or a header in it reaches one mailbox or none', async () => {
  await service.rows('delete from mails')
  server.taken.length = 0
  for (const to of ['a@x.example, b@y.example', 'A <c@z.example>', 'd@w.example\r\nBcc: e@v.example'])
    await write(service, to)
  await service.run('send-mails')
  for (const { to, data } of server.taken) {
    assert.doesNotMatch(data, /^Bcc:/im)
    assert.ok(!['b@y.example', 'e@v.example'].includes(to), to)
  }
  assert.ok(server.taken.length <= 3)
})

test('without a mail server mails are files that only we can read', async () => {
  await write(files)
  await files.run('send-mails')
  const names = readdirSync(join(folder, 'mail'))
  assert.equal(names.length, 1)
  const path = join(folder, 'mail', names[0] ?? '')
  assert.match(path, /\.eml$/)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.match(readFileSync(path, 'utf8').replaceAll('=\n', '').replaceAll('=3D', '='), /link=SECRET-TOKEN/)
})

test('mails that do not go out wake a person, until they do', async () => {
  const open = () =>
    service.rows<{ subject: string; says: string }>(
      `select subject, says from alerts where kind = 'mails_unsent' and closed_at is null order by subject`,
    )
  await service.rows('delete from mails')
  server.behave('busy')
  await write(service)
  await service.run('send-mails')
  await service.run('raise-alerts')
  assert.deepEqual(await open(), [])
  service.pass(31 * MINUTE_MS)
  await service.run('send-mails')
  await service.run('raise-alerts')
  const [late, ...others] = await open()
  assert.equal(others.length, 0)
  assert.match(late?.says ?? '', /^1 mails have waited for more than 30 minutes, and none went out meanwhile: .*451/)
  server.behave('refuse')
  for (let nth = 0; nth < 5; nth += 1) await write(service, `nobody${nth}@shop.example`)
  await service.run('send-mails')
  await service.run('raise-alerts')
  assert.deepEqual(
    (await open()).map(({ subject }) => subject),
    ['failed', 'late'],
  )
  server.behave('none')
  service.pass(31 * MINUTE_MS)
  for (let nth = 0; nth < 6; nth += 1) await write(service)
  await service.run('send-mails')
  await service.run('raise-alerts')
  assert.deepEqual(await open(), [])
})
