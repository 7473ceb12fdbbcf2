import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listContacts } from '../../../src/merchants/mails/contacts.ts'
import { addMail } from '../../../src/merchants/mails/mail.ts'
import type { Template } from '../../../src/merchants/mails/texts.ts'
import { readConfig } from '../../../src/program/settings/config.ts'
import { startMailServer } from '../../fakes/mail-server.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const SUPPORT = {
  SUPPORT_EMAIL: 'help&desk@gateway.example',
  SUPPORT_PHONE: '0800 100 200',
  SUPPORT_WHATSAPP: '+256 (772) 100-200',
}
const server = opened(() => startMailServer())
const service = opened(() => startService({ env: { MAIL_URL: server.url, ...SUPPORT } }))
const bare = opened(() => startService({ env: { MAIL_URL: server.url } }))

/** The text of the next mail of this template, as it arrives. */
async function mailed(template: Template, from = service): Promise<string> {
  server.taken.length = 0
  const mail = addMail(from.gateway, {
    ...{ to: 'grace@shop.example', template, at: from.clock.now() },
    values: { link: 'https://gateway.example/x', business: 'shop' },
  })
  await from.gateway.directory.query(mail.statement, mail.values)
  await from.run('send-mails')
  assert.equal(server.taken.length, 1, template)
  return (server.taken[0]?.data ?? '').replace(/=\r?\n/g, '').replace(/=3D/g, '=')
}

test('a mail to people of a merchant says how to reach us, with the reference of that mail', async () => {
  const data = await mailed('verified')
  const [, reference = ''] = /^Message-ID: <(mail_[a-z0-9]+)@/im.exec(data) ?? []
  assert.notEqual(reference, '')
  assert.ok(data.includes(`Need help? Tell us the reference ${reference}.`), data)
  assert.match(data, /^E-mail: help&desk@gateway\.example\r?$/m)
  assert.match(data, /^Phone: 0800 100 200\r?$/m)
  assert.match(data, /^WhatsApp: \+256 \(772\) 100-200\r?$/m)
  assert.ok(data.includes(`href="mailto:help%26desk@gateway.example?subject=Help%20(${reference})`), data)
  assert.ok(data.includes('href="tel:+256800100200"'))
  assert.ok(data.includes(`href="https://wa.me/256772100200?text=Reference%3A%20${reference}`))
})

test('mails to staff and to customers of a shop have no such foot, and none has one where nothing is set', async () => {
  for (const template of ['operator-reset', 'operator-invitation', 'dispute-answer'] as const)
    assert.doesNotMatch(await mailed(template), /Need help|help&desk/, template)
  assert.doesNotMatch(await mailed('verified', bare), /Need help/)
})

test('what is no address or no number is refused at the start', () => {
  const refusedFor = (env: Record<string, string>) => {
    try {
      readConfig(env)
    } catch (error) {
      return (error as Error).message
    }
    return null
  }
  for (const wrong of ['nobody', 'a@b, c@d'])
    assert.match(
      refusedFor({ SUPPORT_EMAIL: wrong }) ?? '',
      /^SUPPORT_EMAIL must be (?:one e-mail address|e-mail addresses)/,
    )
  for (const name of ['SUPPORT_PHONE', 'SUPPORT_WHATSAPP'])
    for (const wrong of ['call us', '12', '+256 77', 'https://wa.me/256772100200'])
      assert.equal(refusedFor({ [name]: wrong }), `${name} must be a phone number, such as +256 772 123 456`, wrong)
  assert.deepEqual(listContacts(readConfig({}), 'x'), [])
  assert.deepEqual(
    listContacts(readConfig(SUPPORT), 'x').map(({ name }) => name),
    ['E-mail', 'Phone', 'WhatsApp'],
  )
})
