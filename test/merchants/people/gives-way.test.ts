import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf, formOf } from '../../helpers/web/browser.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { linksIn, mailsTo } from '../../helpers/web/mailed.ts'

const PASSWORD = 'four words of mine'
const SIGN_IN = '/dashboard/sign-in'
const HOUR = 3_600_000
// The limits of a minute are out of the way; those of mails hold.
const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_SIGN_IN: '1000' } }))

const signUp = async (email: string, password: string) => {
  const browser = browserOf(service)
  const { fields } = formOf(await browser.get('/dashboard/sign-up'), '/dashboard/sign-up')
  const form = { ...fields, business: 'Shop', email, password }
  return { browser, form, reply: await browser.post('/dashboard/sign-up', form) }
}
const forgot = (email: string) => browserOf(service).post('/dashboard/forgot', { email })
const tokenOf = (link: string) => link.split('link=')[1] ?? ''

test('strangers who sign up with an address close nobody who was there before: the eleventh is refused', async () => {
  const email = 'pushed@gives-way.invalid'
  const victim = await signUp(email, PASSWORD)
  const [link = ''] = await linksIn(service, email)
  const strangers = []
  for (let number = 2; number <= 10; number += 1) strangers.push(await signUp(email, `four words of number ${number}`))
  for (const { reply } of strangers) assert.equal(reply.status, 303)
  const eleventh = await signUp(email, 'four words of one more')
  assert.equal(eleventh.reply.status, 429)
  assert.match(mainOf(eleventh.reply), /choose a new password by mail, which ends all of them but yours/)
  const [shops] =
    await service.rows(`select count(*)::int as shops from memberships w join people p on p.id = w.person_id
     where p.email = 'pushed@gives-way.invalid'`)
  assert.deepEqual(shops, { shops: 10 })
  const tenth = strangers.at(-1)
  assert.equal((await browserOf(service).post('/dashboard/sign-up', tenth?.form ?? {})).status, 303)
  assert.equal((await victim.browser.get('/dashboard/test')).status, 200)
  assert.equal((await browserOf(service).post(SIGN_IN, { email, password: PASSWORD })).status, 303)
  assert.equal((await victim.browser.send(await victim.browser.get(link), '/confirm', {})).status, 303)
  assert.equal((await tenth?.browser.get('/dashboard/test'))?.status, 303, 'the proof ends the others')
  assert.equal((await signUp(email, 'four words of one more')).reply.status, 303)
})

test('of many sign-ups at once ten stay, and who was there before is among them', async () => {
  const email = 'rushed@gives-way.invalid'
  const victim = await signUp(email, PASSWORD)
  await Promise.all(Array.from({ length: 12 }, (_, number) => signUp(email, `four words of rush ${number}`)))
  const [open] = await service.rows('select count(*)::int as open from people where email = $1 and closed_at is null', [
    email,
  ])
  assert.deepEqual(open, { open: 10 })
  assert.equal((await victim.browser.get('/dashboard/test')).status, 200)
})

test("a stranger's request for a new password leaves the owner's link as it is", async () => {
  const email = 'asked@gives-way.invalid'
  await signUp(email, PASSWORD)
  await forgot(email)
  const link = tokenOf((await linksIn(service, email)).find((one) => one.includes('/reset?')) ?? '')
  await forgot(email)
  const chosen = await browserOf(service).post('/dashboard/reset', { link, password: 'four other words' })
  assert.equal(chosen.status, 303)
})

test('three mails of a kind an hour and ten a day go to one address, whether it has an account or not', async () => {
  const [used, free] = ['mailed@gives-way.invalid', 'nobody@gives-way.invalid']
  await signUp(used, PASSWORD)
  const asks = async (email: string) => {
    const states: number[] = []
    for (let hour = 0; hour < 5; hour += 1) {
      for (let times = 0; times < 4; times += 1) states.push((await forgot(email)).status)
      service.pass(HOUR + 1000)
    }
    return states
  }
  const none = [429, 429, 429, 429]
  const expected = [...Array(3).fill([303, 303, 303, 429]).flat(), 303, 429, 429, 429, ...none]
  assert.deepEqual(await asks(used), expected)
  assert.deepEqual(await asks(free), expected)
  const sent = async (email: string) =>
    (await mailsTo(service, email)).filter(({ template }) => template !== 'confirm-email').length
  assert.deepEqual([await sent(used), await sent(free)], [10, 10])
})

test('whoever signs up with the address of somebody or locks it sends a few mails and no more', async () => {
  const email = 'bombed@gives-way.invalid'
  const victim = await signUp(email, PASSWORD)
  for (let number = 1; number < 5; number += 1) await signUp(email, `four words of number ${number}`)
  assert.equal((await mailsTo(service, email)).length, 3)
  const security = '/dashboard/test/settings/security'
  const again = await victim.browser.send(await victim.browser.get(security), '/confirmation', {})
  assert.equal(again.status, 429)
  assert.match(mainOf(again), /several mails of this kind went to this address/)
  for (let lock = 0; lock < 4; lock += 1) {
    for (let guess = 0; guess < 5; guess += 1)
      await browserOf(service).post(SIGN_IN, { email, password: `guess number ${guess}` })
    await service.rows('delete from sign_in_misses')
  }
  const locked = (await mailsTo(service, email)).filter(({ template }) => template === 'account-locked')
  assert.equal(locked.length, 3)
})
