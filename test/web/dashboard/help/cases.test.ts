import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { browserOf, type Page } from '../../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { askForHelp, lastOf, SUPPORT, writeLinkIn } from '../../../helpers/web/help.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'

const TEST = '/dashboard/test'
const service = opened(() => startService({ env: SUPPORT }))
const shop = made(async () => {
  const merchant = await service.merchant({ name: 'Nakato Shop' })
  const { body: charge } = await service.client(merchant.keys.test).charge()
  return { merchant, charge: charge.id as string, owner: await signedInAs(service, merchant) }
})

const refOf = ({ text }: Page) => /Reference of this page: ([\w-]+)/.exec(text)?.[1] ?? ''
const countCases = async () =>
  (await service.rows<{ count: number }>('select count(*)::int as count from support_cases'))[0]?.count

test('every page says how to reach us with its own reference, before the sign-in and on errors too', async () => {
  for (const address of [`${TEST}/charges`, '/dashboard', `${TEST}/help`, `${TEST}/charges/txn_none`]) {
    const page = await shop.owner.get(address)
    const reference = refOf(page)
    assert.notEqual(reference, '', address)
    const foot = page.text.split('<footer').at(-1) ?? ''
    assert.ok(foot.includes(`mailto:help@gateway.example?subject=Help%20(${reference})`), `${address}: ${foot}`)
    assert.ok(foot.includes('href="tel:+256800100200"'), address)
    assert.ok(foot.includes(`https://wa.me/256772100200?text=Reference%3A%20${reference}`), address)
    assert.match(
      page.text.split('<footer')[0] ?? '',
      /<a href="\/dashboard(?:\/test)?\/help"[^>]*>.*?Help<\/a>/,
      address,
    )
  }
  const guest = await browserOf(service).get('/dashboard/sign-in')
  assert.ok(guest.text.includes(`mailto:help@gateway.example?subject=Help%20(${refOf(guest)})`))
  assert.doesNotMatch(guest.text, /help\/new/)
  const staff = await (await operatorSignedIn(service, 'support')).get('/console')
  assert.doesNotMatch(staff.text, /help@gateway/)
})

test('a case is written from a page, answered on the console beside its payment, told by mail, written to again and closed', async () => {
  const { owner, charge, merchant } = shop
  const support = await operatorSignedIn(service, 'support')
  const page = await owner.get(`${TEST}/charges/${charge}`)
  const form = await owner.get(writeLinkIn(page))
  assert.match(mainOf(form), new RegExp(`About ${charge}`))
  const sent = await owner.send(form, '/help/new', { message: 'Where is it?\r\n\r\nShe has paid.' })
  assert.equal(sent.status, 303, mainOf(sent))
  const id = lastOf(sent)
  const thread = await owner.follow(sent)
  assert.match(mainOf(thread), /It is sent\. Our answer stands here\./)
  assert.match(mainOf(thread), /waits for our answer/)
  assert.ok(thread.text.includes(`href="${TEST}/charges/${charge}"`))
  assert.ok(mainOf(thread).includes(refOf(page)))

  for (const address of ['/console/cases', `/console/payments/${charge}`, `/console/merchants/${merchant.id}`])
    assert.ok((await support.get(address)).text.includes(`/console/cases/${id}`), address)
  const at = `/console/cases/${id}`
  const seen = await support.get(at)
  assert.match(mainOf(seen), /Nakato Shop waits for an answer/)
  assert.ok(seen.text.includes(`href="/console/payments/${charge}"`))
  assert.ok(seen.text.includes(`/console/as/${merchant.id}/test/charges/${charge}`))
  assert.match(mainOf(seen), new RegExp(`Where is it\\?.*She has paid\\. ${owner.email}`))

  assert.equal((await support.send(seen, '/answer', { says: 'It waits for the PIN.' })).status, 303)
  const answered = mainOf(await owner.get(`${TEST}/help/${id}`))
  assert.match(answered, /answered .*It waits for the PIN\. Our support , today/)
  assert.ok(!answered.includes(support.email), 'staff have no names there')
  const [mail] = await mailsTo(service, owner.email)
  assert.equal(mail?.template, 'case-answer')
  assert.equal(mail?.values.says, 'It waits for the PIN.')
  assert.match(mail?.values.link ?? '', new RegExp(`${TEST}/help/${id}$`))
  assert.ok(!mainOf(await support.get('/console/cases')).includes('Where is it?'))
  assert.ok(mainOf(await support.get('/console/cases?state=answered')).includes('Where is it?'))

  const closed = await support.send(await support.get(at), '/close')
  assert.deepEqual([closed.status, closed.location], [303, '/console/cases'])
  const shut = await support.get(at)
  assert.deepEqual(
    shut.forms.filter(({ action }) => action.includes(id)),
    [],
    'a closed case takes no answer',
  )
  const again = await owner.get(`${TEST}/help/${id}`)
  assert.match(mainOf(again), /closed .*It is closed\. What you write opens it again\./)
  await owner.send(again, '/write', { message: 'It came back.' })
  assert.match(mainOf(await support.get('/console/cases')), /Where is it\?/)
  const late = await support.send(await support.get(at), '/answer', { says: 'Looking.' })
  assert.equal(late.status, 303, 'it is open again')
  const acts = await service.rows<{ action: string; actor: string }>(
    `select action, actor from cell_0.audit where subject = $1 order by id`,
    [id],
  )
  assert.deepEqual(
    acts.map(({ action }) => action),
    ['case.write', 'case.answer', 'case.close', 'case.write', 'case.answer'],
  )
})

test('an answer to a case that was closed meanwhile is refused in words, and an empty or too long text beside its field', async () => {
  const id = lastOf(await askForHelp(shop.owner, `${TEST}/charges`, 'One question'))
  const support = await operatorSignedIn(service, 'finance')
  const page = await support.get(`/console/cases/${id}`)
  for (const [says, why] of [
    ['', /Your answer: fill this in/],
    ['   ', /Your answer: fill this in/],
    ['x'.repeat(2001), /At most 2000 characters/],
    ['a\u0007b', /This contains control characters/],
  ] as const) {
    const refused = await support.send(page, '/answer', { says })
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), why)
  }
  await support.send(await support.get(`/console/cases/${id}`), '/close')
  const late = await support.send(page, '/answer', { says: 'Too late' })
  assert.equal(late.status, 409)
  assert.match(mainOf(late), /this case is closed: the merchant opens it again by writing/)
  const form = await shop.owner.get(`${TEST}/help/new`)
  for (const [message, why] of [
    ['', /What happened, and what do you need\?: fill this in/],
    [' \n ', /What happened, and what do you need\?: fill this in/],
    ['x'.repeat(2001), /At most 2000 characters/],
    ['a\u0000b', /This contains control characters/],
  ] as const) {
    const refused = await shop.owner.send(form, '/help/new', { message })
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), why)
  }
  const whole = 'x'.repeat(2000)
  assert.equal(
    (await shop.owner.send(await shop.owner.get(`${TEST}/help/new`), '/help/new', { message: whole })).status,
    303,
  )
})

test('sent twice, at once or later, it is one case, one message and one mail', async () => {
  const before = await countCases()
  const form = await shop.owner.get(`${TEST}/help/new`)
  const replies = await Promise.all([1, 2, 3].map(() => shop.owner.send(form, '/help/new', { message: 'Twice' })))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([303]))
  assert.equal(new Set(replies.map(lastOf)).size, 1)
  assert.equal(await countCases(), (before ?? 0) + 1)
  const id = lastOf(replies[0] as Page)
  const page = await shop.owner.get(`${TEST}/help/${id}`)
  for (const _ of [1, 2]) await shop.owner.send(page, '/write', { message: 'And more' })
  const support = await operatorSignedIn(service, 'support')
  const seen = await support.get(`/console/cases/${id}`)
  await Promise.all([1, 2].map(() => support.send(seen, '/answer', { says: 'Yes' })))
  const written = await service.rows<{ says: string }>(
    'select says from support_case_messages where case_id = $1 order by said_at, id',
    [id],
  )
  assert.deepEqual(written.map(({ says }) => says).sort(), ['And more', 'Twice', 'Yes'])
  const mails = (await mailsTo(service, shop.owner.email)).filter(({ values }) => values.says === 'Yes')
  assert.equal(mails.length, 1)
})
