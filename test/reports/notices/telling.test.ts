import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import type { Client } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn, mailsTo } from '../../helpers/web/mailed.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const PATH = '/dashboard/settings/notifications'
const live = openedAndVerified(() => startLiveService())

async function named(email: string, wanted: Record<string, string>) {
  const { merchant, live: client } = await live.shop()
  const owner = await signedInAs(live, merchant)
  await owner.send(await owner.get(PATH), '/add', { email, above: '', ...wanted })
  const [link = ''] = await linksIn(live, email)
  return { merchant, client, owner, link, reader: browserOf(live) }
}

async function agreed(email: string, wanted: Record<string, string>) {
  const all = await named(email, wanted)
  await all.reader.send(await all.reader.get(all.link), '/notices', { answer: 'agree' })
  return all
}

async function paid(client: Client, amount: number, reference?: string): Promise<void> {
  const { body } = await client.charge({
    amount,
    customer: { phone: newPayer() },
    ...(reference ? { reference } : {}),
  })
  await succeed(live, body.id)
}

const newsTo = async (email: string) =>
  (await mailsTo(live, email)).filter(({ template }) => template === 'notice-news')

test('two processes at once, and one that died after its mail, tell each payment once', async () => {
  const { client } = await agreed('once@keeper.example', { above: '1' })
  await paid(client, 20_000, 'INV-7')
  live.pass(5 * MINUTE_MS)
  await Promise.all([live.run('send-notices'), live.run('send-notices'), live.run('send-notices')])
  const [first, ...others] = await newsTo('once@keeper.example')
  assert.equal(others.length, 0)
  assert.match(first?.values.news ?? '', /^UGX 20,000 paid, .*, reference INV-7: txn_\S+$/)
  // As a process leaves it that dies between the mail and its note.
  await live.rows(
    `update notices set telling_until = told_until, told_until = $1, lease_until = $2 where email = 'once@keeper.example'`,
    [new Date(live.clock.nowMs() - 10 * MINUTE_MS).toISOString(), live.clock.now().toISOString()],
  )
  await paid(client, 30_000)
  live.pass(5 * MINUTE_MS)
  await live.run('send-notices')
  assert.equal((await newsTo('once@keeper.example')).length, 1, 'the mail that was written is not written again')
  live.pass(5 * MINUTE_MS)
  await live.run('send-notices')
  const later = await newsTo('once@keeper.example')
  assert.equal(later.length, 2)
  assert.equal(later.filter(({ values }) => values.news?.includes('UGX 20,000')).length, 1)
  assert.equal(later.filter(({ values }) => values.news?.includes('UGX 30,000')).length, 1)
})

test('after six mails in an hour the rest of the hour is one mail, and nothing is left out', async () => {
  const { client } = await agreed('busy@keeper.example', { above: '1' })
  for (let nth = 1; nth <= 10; nth += 1) {
    await paid(client, 1000 * nth)
    live.pass(4 * MINUTE_MS)
    await live.run('send-notices')
  }
  assert.equal((await newsTo('busy@keeper.example')).length, 6)
  live.pass(30 * MINUTE_MS)
  await live.run('send-notices')
  const all = await newsTo('busy@keeper.example')
  assert.equal(all.length, 7)
  const lines = all.flatMap(({ values }) => (values.news ?? '').split('\n'))
  assert.equal(lines.length, 10)
})

test('an address whose mail cannot be written delays no other', async () => {
  const broken = await agreed('broken@keeper.example', { above: '1' })
  const whole = await agreed('whole@keeper.example', { above: '1' })
  await live.rows(`update notices set email = 'b@' || repeat('x', 250) where email = 'broken@keeper.example'`)
  await live.rows(`alter table directory.mails add constraint not_that check (recipient not like 'b@xx%')`)
  await paid(broken.client, 5000)
  await paid(whole.client, 6000)
  live.pass(5 * MINUTE_MS)
  await live.run('send-notices')
  assert.equal((await newsTo('whole@keeper.example')).length, 1)
  await live.rows('alter table directory.mails drop constraint not_that')
  live.pass(5 * MINUTE_MS)
  await live.run('send-notices')
  assert.equal((await newsTo(`b@${'x'.repeat(250)}`)).length, 1)
})

test('a reader who has said no is not asked again, and nobody is asked again and again', async () => {
  const { owner, reader, link } = await named('no@keeper.example', { close: 'yes' })
  await reader.send(await reader.get(link), '/notices', { answer: 'stop' })
  const refused = await owner.send(await owner.get(PATH), '/add', {
    ...{ email: 'NO@keeper.example', above: '', close: 'yes' },
  })
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /has said that it wants no more mails/)
  for (let nth = 0; nth < 39; nth += 1) {
    const sent = await owner.send(await owner.get(PATH), '/add', {
      ...{ email: 'often@keeper.example', above: '', close: 'yes' },
    })
    assert.equal(sent.status, 303, `${nth}: ${mainOf(sent)}`)
    await owner.send(await owner.get(PATH), '/stop', {})
  }
  const last = await owner.send(await owner.get(PATH), '/add', {
    ...{ email: 'often@keeper.example', above: '', close: 'yes' },
  })
  assert.match(mainOf(last), /at most 40 addresses can be asked in 24 hours/)
})

test('a link that nobody has followed works for a week, and one that was lost is written by the sweep', async () => {
  const { reader, link } = await named('late@keeper.example', { close: 'yes' })
  live.pass(6 * DAY_MS)
  assert.equal((await reader.get(link)).status, 200)
  live.pass(DAY_MS + 1000)
  assert.equal((await reader.get(link)).status, 404)
  await live.rows(`delete from mails where recipient = 'late@keeper.example'`)
  await live.rows(`update notices set asked_at = null where email = 'late@keeper.example'`)
  await live.run('send-notices')
  assert.equal((await mailsTo(live, 'late@keeper.example')).length, 1)
})

test('the agreement and the end are in the audit of the merchant', async () => {
  const { merchant, reader, link } = await agreed('noted@keeper.example', { failures: 'yes' })
  await reader.send(await reader.get(link), '/notices', { answer: 'stop' })
  const rows = await live.rows<{ after: { agrees: boolean } }>(
    `select a.after from audit a join merchants m on m.id = a.merchant_id where m.public_id = $1 and action = 'notice.answer' order by a.at`,
    [merchant.id],
  )
  assert.deepEqual(
    rows.map(({ after }) => after.agrees),
    [true, false],
  )
})
