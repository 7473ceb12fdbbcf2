import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import { startMailServer } from '../../fakes/mail-server.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { attachmentsOf, textOf } from '../../helpers/web/attachments.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PATH = '/dashboard/settings/notifications'
const server = opened(() => startMailServer())
const live = openedAndVerified(() =>
  startLiveService({ env: { MAIL_URL: server.url, MAIL_FROM: 'Gateway <pay@gateway.example>' } }),
)

beforeEach(async () => {
  server.behave('none')
  server.taken.length = 0
  await live.rows('delete from mails')
  await live.rows('delete from month_close_readers')
})

async function shopWith(amounts: readonly number[]) {
  const { merchant, live: client } = await live.shop()
  for (const amount of amounts) {
    const { body } = await client.charge({ amount, customer: { phone: newPayer() }, reference: `INV-${amount}` })
    await succeed(live, body.id)
  }
  return merchant
}

type Shop = Awaited<ReturnType<typeof shopWith>>

async function switchedOn(merchant: Shop, role: 'owner' | 'accountant' = 'owner') {
  const person = await signedInAs(live, merchant, { role })
  const reply = await person.send(await person.get(PATH), '/months/on', {})
  assert.equal(reply.status, 303, mainOf(reply))
  return person
}

/** Moves the clock to this hour of the first day of the next month in Kampala. */
function passToNextMonth(hour: number): string {
  const local = new Date(live.clock.nowMs() + 3 * HOUR_MS)
  const next = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1, hour)
  live.pass(next - local.getTime() + 1000)
  return local.toISOString().slice(0, 7)
}

const close = async () => {
  await live.run('month-close')
  for (let nth = 0; nth < 10 && (await live.run('send-files')) > 0; nth += 1);
}

test('on the first after seven each person who asked gets one mail with the statement and the wallet, for Excel and as CSV', async () => {
  const merchant = await shopWith([40_000, 60_000])
  const owner = await switchedOn(merchant)
  await switchedOn(merchant, 'accountant')
  assert.match(mainOf(await owner.get(PATH)), /comes to \S+ when the month is over/)
  const { location } = await owner.send(await owner.get(PATH), '/months/off', {})
  assert.match(mainOf(await owner.get(location)), /You get no more months by mail/)
  await owner.send(await owner.get(PATH), '/months/on', {})
  const month = passToNextMonth(6)
  await close()
  assert.equal(server.taken.length, 0)
  live.pass(HOUR_MS)
  await Promise.all([close(), close(), close()])
  await close()
  assert.equal(server.taken.length, 2)
  assert.equal(new Set(server.taken.map(({ to }) => to)).size, 2)
  const [mail] = server.taken
  const text = textOf(mail?.data ?? '')
  assert.match(text, /Collected: 2 charges, UGX 98,500 after fees of UGX 1,500\./)
  assert.match(text, /Balance when the month began: UGX 0; when it ended: UGX 98,500\./)
  assert.match(text, /The month is closed: none of its figures changes any more\./)
  const files = attachmentsOf(mail?.data ?? '')
  const handle = (
    await live.rows<{ handle: string }>('select handle from merchants where public_id = $1', [merchant.id])
  )[0]?.handle
  assert.deepEqual(
    files.map(({ name }) => name),
    ['statement', 'wallet']
      .flatMap((what) => [`${what}-${handle}-${month}.xlsx`])
      .concat(['statement', 'wallet'].map((what) => `${what}-${handle}-${month}.csv`)),
  )
  const csv = files[2]?.bytes.toString('utf8') ?? ''
  assert.match(csv, /^\ufeffWhen,What,Reference,/)
  assert.match(csv, /INV-40000/)
  assert.match(csv, /Balance after,.*,98500,/)
  const sheet = await readXlsx(files[0]?.bytes ?? Buffer.alloc(0))
  assert.equal(sheet.sheets[0]?.rows[0]?.[0], 'When')
  assert.ok(JSON.stringify(sheet.sheets[0]?.rows).includes('INV-60000'))
  const audited = await live.rows(`select 1 from audit where action = 'month-close.send'`)
  assert.equal(audited.length, 2)
})

test('a process that dies after its mail was written, and an answer that is lost, change nothing but a repeat of the same mail', async () => {
  const merchant = await shopWith([5000])
  await switchedOn(merchant)
  passToNextMonth(8)
  const [before] = await live.rows<{ month: string }>('select told_month as month from month_close_readers')
  await live.run('month-close')
  // As a process leaves it that dies between the mail and its note.
  await live.rows('update month_close_readers set told_month = $1', [before?.month])
  await live.run('month-close')
  assert.equal((await live.rows('select 1 from mails')).length, 1)
  // As a process leaves it that dies while it sends.
  await live.rows(`update mails set lease_token = 'dead', lease_until = $1`, [
    new Date(live.clock.nowMs() + 15 * 60_000),
  ])
  assert.equal(await live.run('send-files'), 0)
  live.pass(15 * 60_000)
  server.behave('cut after text')
  assert.equal(await live.run('send-files'), 1)
  server.behave('none')
  live.pass(60_000)
  assert.equal(await live.run('send-files'), 1)
  const [first, second] = server.texts.slice(-2)
  const idOf = (text = '') => /^Message-ID: (.*)$/im.exec(text)?.[1]
  assert.equal(idOf(first), idOf(second))
  assert.deepEqual(attachmentsOf(first ?? '')[2]?.bytes, attachmentsOf(second ?? '')[2]?.bytes)
  await close()
  assert.equal(server.taken.length, 1)
})

test('who lost the role, has gone or switched it off gets nothing, also when the mail is written already', async () => {
  const merchant = await shopWith([5000])
  await switchedOn(merchant)
  await switchedOn(merchant, 'accountant')
  const other = await shopWith([7000])
  await switchedOn(other)
  passToNextMonth(8)
  await live.run('month-close')
  assert.equal((await live.rows('select 1 from mails')).length, 3)
  const [gone] = await live.rows<{ id: number }>(
    `update memberships set role = 'viewer' where role = 'accountant' and merchant_id =
    (select id from merchants where public_id = $1) returning person_id as id`,
    [merchant.id],
  )
  await live.rows(
    'delete from month_close_readers r using merchants m where m.id = r.merchant_id and m.public_id = $1',
    [other.id],
  )
  await close()
  assert.equal(server.taken.length, 1)
  assert.deepEqual(await live.rows(`select 1 from mails where state <> 'sent'`), [])
  // With the role the wish ends: it does not come back with it.
  passToNextMonth(8)
  await close()
  assert.equal(server.taken.length, 2)
  assert.equal((await live.rows('select 1 from month_close_readers')).length, 1)
  await live.rows(`update memberships set role = 'accountant' where person_id = $1`, [gone?.id])
})

test('who has another address meanwhile gets the mail there, greeted by name', async () => {
  const merchant = await shopWith([5000])
  const { email } = await switchedOn(merchant)
  passToNextMonth(8)
  await live.run('month-close')
  const now = `now-${email}`
  await live.rows(`update people set email = $2, email_key = $2, name = 'Amina' where email = $1`, [email, now])
  await close()
  const [mail] = server.taken
  assert.equal(mail?.to, now)
  assert.match(textOf(mail?.data ?? ''), /Hello Amina,/)
})

test('who switches it on while the clock is ahead still gets the month that was not over', async () => {
  const merchant = await shopWith([5000])
  passToNextMonth(-2)
  live.clock.beWrong(3 * HOUR_MS)
  await switchedOn(merchant)
  live.clock.beWrong(0)
  live.pass(12 * HOUR_MS)
  await close()
  assert.equal(server.taken.length, 1)
})

test('after an outage of two months each month has its own mail', async () => {
  const merchant = await shopWith([5000])
  await switchedOn(merchant)
  passToNextMonth(1)
  live.pass(32 * DAY_MS)
  await close()
  await close()
  await close()
  const months = server.taken.map(({ data }) => /^Subject: .*the close of (\w+)/m.exec(data)?.[1])
  assert.equal(new Set(months).size, 2)
  assert.equal(months.length, 2)
})

test('what is too large for a mail is left out, said so, with the page that has it', async () => {
  const merchant = await shopWith([5555])
  await switchedOn(merchant)
  // As many payments would: one with a text of six megabytes, which Excel's file packs and CSV does not.
  const indexes = await live.rows<{ name: string; made: string }>(
    `select indexname as name, indexdef as made from pg_indexes where schemaname = 'cell_0' and tablename = 'charges' and indexdef like '%reference%'`,
  )
  for (const { name } of indexes) await live.rows(`drop index ${name}`)
  await live.rows(`update charges set reference = repeat('y', 6 * 1024 * 1024) where reference = 'INV-5555'`)
  const month = passToNextMonth(8)
  await close()
  await live.rows(`update charges set reference = 'INV-5555' where length(reference) > 1000`)
  for (const { made } of indexes) await live.rows(made)
  const text = textOf(server.taken[0]?.data ?? '')
  assert.match(text, /In this mail: statement-\S+\.xlsx, wallet-\S+\.xlsx, wallet-\S+\.csv\./)
  assert.match(text, /Too large for a mail: statement-\S+\.csv\. Download it with the link below\./)
  const link = `/dashboard/wallet/statements?month=${month}`
  assert.ok(text.includes(link), text)
  assert.ok((await (await signedInAs(live, merchant)).get(link)).text.includes(`value="${month}-01"`))
})

test('only an owner and an accountant switch it on, in live mode, each for their own address', async () => {
  const merchant = await shopWith([])
  const owner = await signedInAs(live, merchant)
  for (const role of ['cashier', 'viewer', 'developer'] as const) {
    const person = await signedInAs(live, merchant, { role })
    const page = await person.get(PATH)
    assert.doesNotMatch(mainOf(page), /Each month to you/)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    assert.equal((await person.post(`${PATH}/months/on`, { csrf })).status, 403, role)
  }
  const inTest = await owner.get('/dashboard/test/settings/notifications')
  assert.match(mainOf(inTest), /switched on in live mode/)
  const csrf = /name="csrf" value="([^"]+)"/.exec(inTest.text)?.[1] ?? ''
  const refused = await owner.post('/dashboard/test/settings/notifications/months/on', { csrf })
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /this is about real money: change to live mode first/)
})
