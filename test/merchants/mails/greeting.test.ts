import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMail } from '../../../src/merchants/mails/mail.ts'
import type { Template } from '../../../src/merchants/mails/texts.ts'
import { startMailServer } from '../../fakes/mail-server.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'

const server = opened(() => startMailServer())
const service = opened(() => startService({ env: { MAIL_URL: server.url, MAIL_FROM: 'pay@gateway.example' } }))
const LINK = 'https://gateway.example/x?a=1'

/** The next mail of this template as it arrives: its head, its text and its HTML. */
async function mailed(to: string, template: Template) {
  server.taken.length = 0
  const values = { link: LINK, business: 'Mama Joy', says: 'Come by.' }
  const mail = addMail(service.gateway, { to, template, at: service.clock.now(), values })
  await service.gateway.directory.query(mail.statement, mail.values)
  await service.run('send-mails')
  assert.equal(server.taken.length, 1, template)
  const [head = '', ...parts] = (server.taken[0]?.data ?? '').split(/\r?\n\r?\n(?=----_NmP|--)/)
  const decoded = parts.map((part) => {
    const [above = '', ...body] = part.split(/\r?\n\r?\n/)
    const text = body.join('\n\n').replace(/\r/g, '')
    if (/base64/i.test(above)) return Buffer.from(text, 'base64').toString('utf8')
    const bytes = text
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    return /quoted/i.test(above) ? Buffer.from(bytes, 'latin1').toString('utf8') : text
  })
  return { head, text: decoded[0] ?? '', html: decoded[1] ?? '' }
}

/** An owner with this name; their address is proven. */
async function personNamed(name: string) {
  const person = await signedInAs(service, await service.merchant())
  await service.rows('update people set name = $2 where id = $1', [person.personId, name])
  return person
}

test('a mail comes from a name, greets its reader by the name of the account, and has a button and the bare address', async () => {
  const { email } = await personNamed('Amina')
  const { head, text, html } = await mailed(email.toUpperCase(), 'case-answer')
  assert.match(head, /^From: Gateway <pay@gateway\.example>\r?$/m)
  assert.match(text, /^Hello Amina,\n\nCome by\./)
  assert.match(text, /\n\nhttps:\/\/gateway\.example\/x\?a=1$/m)
  assert.match(html, /<p [^>]*>Hello Amina,<\/p><h1/)
  assert.match(html, /<a href="https:\/\/gateway\.example\/x\?a=1" style="[^"]*background:#0b6b53[^"]*">Open<\/a>/)
})

test('whoever has no account, no proven address or a closed account is greeted without a name, and so is a customer', async () => {
  const claimed = await personNamed('Buy cheap at evil.example')
  await service.rows('update people set confirmed_at = null where id = $1', [claimed.personId])
  const closed = await personNamed('Gone')
  await service.rows('update people set closed_at = $2 where id = $1', [closed.personId, service.clock.now()])
  const { email } = await personNamed('Amina')
  for (const [to, template] of [
    ['nobody@shop.example', 'invitation'],
    [claimed.email, 'confirm-email'],
    [closed.email, 'no-account'],
    [email, 'dispute-answer'],
    [email, 'operator-reset'],
  ] as const) {
    const { text } = await mailed(to, template)
    assert.match(text, /^Hello,\n\n/, template)
  }
})

test('a name with markup or line breaks is shown as text on one line, and adds nothing to the head of the mail', async () => {
  const name = 'A<b>\r\nBcc: all@evil.example\r\n\r\n</p><script>alert(1)</script>\u202E'
  const { email } = await personNamed(name)
  const { head, text, html } = await mailed(email, 'password-changed')
  assert.match(text, /^Hello A<b> +Bcc: all@evil\.example +<\/p><script>alert\(1\)<\/script>,\n\nYour password/)
  assert.ok(html.includes('Hello A&lt;b>'), html.slice(0, 600))
  assert.doesNotMatch(html, /<script|<b>/)
  assert.doesNotMatch(head, /^Bcc/im)
  assert.deepEqual(
    server.taken.map(({ to }) => to),
    [email],
  )
})
