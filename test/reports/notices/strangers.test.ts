import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLetter } from '../../../src/merchants/mails/texts.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

// What somebody whom nobody knows can have mailed to others in our name.
const PATH = '/settings/notifications'
const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_SIGN_IN: '1000' } }))

test('nobody asks strangers to hear of payments in test mode, nor before the own address is proven', async () => {
  const browser = browserOf(service)
  const form = { business: 'Kiosk', email: 'new@strangers.invalid', password: 'four words of mine' }
  await browser.post('/dashboard/sign-up', form)
  const page = await browser.get(`/dashboard/test${PATH}`)
  assert.match(mainOf(page), /They hear of live payments, so they are named in live mode/)
  const csrf = /name="csrf" value="([^"]+)"/.exec((await browser.get('/dashboard/test')).text)?.[1] ?? ''
  const sent = { csrf, email: 'stranger@elsewhere.invalid', above: '', close: 'yes' }
  const inTest = await browser.post(`/dashboard/test${PATH}/add`, sent)
  assert.equal(inTest.status, 400)
  assert.match(mainOf(inTest), /this is about real money: change to live mode first/)
  const inLive = await browser.post(`/dashboard${PATH}/add`, sent)
  assert.equal(inLive.status, 403)
  assert.match(mainOf(inLive), /confirm your e-mail address first/)
  assert.deepEqual(await mailsTo(service, sent.email), [])
})

test('one address is asked a few times a day, whichever businesses ask it', async () => {
  const states: number[] = []
  for (let number = 0; number < 5; number += 1) {
    const owner = await signedInAs(service, await service.merchant())
    const page = await owner.get(`/dashboard${PATH}`)
    const named = { email: 'asked@elsewhere.invalid', above: '', close: 'yes' }
    states.push((await owner.send(page, '/add', named)).status)
  }
  assert.deepEqual(states, [303, 303, 303, 429, 429])
  const owner = await signedInAs(service, await service.merchant())
  const invited: number[] = []
  for (const role of ['viewer', 'cashier', 'developer', 'accountant']) {
    const page = await owner.get('/dashboard/settings/people')
    invited.push((await owner.send(page, '/invite', { email: 'asked@elsewhere.invalid', role })).status)
  }
  assert.deepEqual(invited, [303, 303, 303, 429])
})

test('the subject of a mail to somebody who has not agreed has no words of others, and nothing turns what is read', () => {
  const business = 'Your wallet is locked'
  const link = 'https://pay.example/dashboard/join?link=x'
  for (const template of ['invitation', 'notice-confirm', 'dispute-answer', 'confirm-email', 'account-exists']) {
    const letter = findLetter(template, { business, link, says: 'all is well', role: 'viewer' })
    assert.ok(letter, template)
    assert.doesNotMatch(letter.subject, /wallet/, template)
  }
  const turned = findLetter('dispute-answer', {
    business: 'Shop \u202e000,1\u2066',
    says: 'one\u202etwo\nthree',
  })
  assert.doesNotMatch(JSON.stringify(turned), /[\u202a-\u202e\u2066-\u2069]/)
  assert.deepEqual(turned?.lines.slice(1, 3), ['one two', 'three'])
})
