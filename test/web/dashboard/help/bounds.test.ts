import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../../helpers/web/console.ts'
import { mainOf, type Planted, signedInAs, tillOf } from '../../../helpers/web/dashboard.ts'
import { askForHelp, lastOf } from '../../../helpers/web/help.ts'
import { HOSTILE_TEXTS } from '../../../helpers/web/hostile-texts.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'

const TEST = '/dashboard/test'
const HOUR_MS = 3_600_000
const service = opened(() => startService({ env: { RATE_LIMIT_PAGES: '0' } }))

test('people who see no payouts read only what people like them wrote; nobody reads those of others or of the other mode', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const api = service.client(merchant.keys.test)
  await owner.send(await owner.get(TEST), '/funds', { amount: '90,000' })
  const { body: payout } = await api.post('/v1/payouts', {
    amount: 1000,
    recipient: { phone: '0700000000', name: 'Ann' },
  })
  const cashier = await signedInAs(service, merchant, { role: 'cashier' })
  const till = await tillOf(service, merchant)
  const viewer = await signedInAs(service, merchant, { role: 'viewer' })
  const stranger = await signedInAs(service, await service.merchant({ verified: true }))
  const ofOwner = lastOf(await askForHelp(owner, `${TEST}/wallet`, 'Only for owners'))
  const ofTill = lastOf(await askForHelp(till, `${TEST}/counter`, 'The till asks'))
  for (const person of [cashier, till]) {
    assert.equal((await person.get(`${TEST}/help/${ofOwner}`)).status, 404)
    const list = mainOf(await person.get(`${TEST}/help`))
    assert.ok(list.includes('The till asks') && !list.includes('Only for owners'), list)
    const { fields } = (await person.get(`${TEST}/help/${ofTill}`)).forms.find(({ action }) =>
      action.includes('/write'),
    ) ?? { fields: {} }
    const forced = await person.post(`${TEST}/help/${ofOwner}/write`, { ...fields, message: 'Me too' })
    assert.equal([403, 404].includes(forced.status), true, String(forced.status))
  }
  for (const person of [owner, viewer]) {
    const list = mainOf(await person.get(`${TEST}/help`))
    assert.ok(list.includes('The till asks') && list.includes('Only for owners'), list)
  }
  for (const id of [ofOwner, ofTill]) {
    assert.equal((await stranger.get(`${TEST}/help/${id}`)).status, 404)
    assert.equal((await owner.get(`/dashboard/help/${id}`)).status, 404, 'the other mode')
  }
  const aboutPayout = async (person: Planted) => {
    const form = await person.get(`${TEST}/help/new?from=/payouts/${payout.id}&ref=r-1`)
    assert.equal(form.status, 200)
    const id = lastOf(await person.send(form, '/help/new', { message: 'About it' }))
    return (await service.rows('select subject, page, at_counter from support_cases where id = $1', [id]))[0]
  }
  const page = `/payouts/${payout.id}`
  assert.deepEqual(await aboutPayout(viewer), { subject: payout.id, page, at_counter: false })
  assert.deepEqual(await aboutPayout(cashier), { subject: null, page: null, at_counter: true })
  assert.deepEqual(await aboutPayout(stranger), { subject: null, page: null, at_counter: false })
})

test('the answer to a till goes to the owners by mail, and to nobody who has left', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const gone = await signedInAs(service, merchant, { role: 'viewer' })
  const till = await tillOf(service, merchant)
  const support = await operatorSignedIn(service, 'support')
  const answer = async (id: string, says: string) =>
    support.send(await support.get(`/console/cases/${id}`), '/answer', { says })
  await answer(lastOf(await askForHelp(till, `${TEST}/counter`, 'The printer')), 'Switch it on')
  assert.deepEqual(
    (await mailsTo(service, owner.email)).map(({ values }) => values.says),
    ['Switch it on'],
  )
  const ofGone = lastOf(await askForHelp(gone, `${TEST}/charges`, 'A figure'))
  await service.rows('delete from memberships where person_id = $1', [gone.personId])
  await answer(ofGone, 'It is right')
  assert.deepEqual(await mailsTo(service, gone.email), [])
  assert.equal((await mailsTo(service, owner.email)).length, 2)
})

test('words that are markup or turn the reading direction are words, on both sides and in the mail', async () => {
  const support = await operatorSignedIn(service, 'risk')
  const owner = await signedInAs(service, await service.merchant())
  for (const text of HOSTILE_TEXTS) {
    const id = lastOf(await askForHelp(owner, `${TEST}/links`, text))
    await support.send(await support.get(`/console/cases/${id}`), '/answer', { says: text })
    for (const page of [await owner.get(`${TEST}/help/${id}`), await support.get(`/console/cases/${id}`)]) {
      const main = /<main\b.*?<\/main>/s.exec(page.text)?.[0] ?? ''
      assert.doesNotMatch(main, /<script|<img|\u202e|\u2066/, text)
    }
    await support.send(await support.get(`/console/cases/${id}`), '/close')
  }
  for (const from of [
    '//evil.example/x',
    '/charges/../../x',
    'javascript:alert(1)',
    '/x"y',
    `/${'a'.repeat(250)}`,
    '/\u202ex',
  ]) {
    const form = await owner.get(`${TEST}/help/new?${new URLSearchParams({ from, ref: '"><b>' })}`)
    assert.equal(form.status, 200, from)
    const id = lastOf(await owner.send(form, '/help/new', { message: 'odd' }))
    const seen = await support.get(`/console/cases/${id}`)
    assert.doesNotMatch(seen.text, /javascript:|evil\.example"|\u202e|<b>/, from)
    await support.send(seen, '/close')
  }
})

test('a business has at most twenty open cases and writes at most thirty messages an hour, in each mode by itself', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const write = async (message: string, base = TEST) =>
    owner.send(await owner.get(`${base}/help/new`), '/help/new', { message })
  let first = ''
  for (let nth = 1; nth <= 20; nth += 1) {
    const sent = await write(`case ${nth}`)
    assert.equal(sent.status, 303)
    first = lastOf(sent)
  }
  const refused = await write('one more')
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /this business has 20 open cases: write to one of them, or wait until one is closed/)
  assert.match(refused.text, /one more/, 'the words are kept')
  assert.equal((await write('in live mode', '/dashboard')).status, 303)
  const again = async (message: string) => owner.send(await owner.get(`${TEST}/help/${first}`), '/write', { message })
  for (let nth = 21; nth <= 30; nth += 1) assert.equal((await again(`message ${nth}`)).status, 303)
  const tooMuch = await again('too much')
  assert.equal(tooMuch.status, 429)
  assert.match(mainOf(tooMuch), /this business has written 30 messages within an hour: wait for our answer/)
  const support = await operatorSignedIn(service, 'support')
  await support.send(await support.get(`/console/cases/${first}`), '/close')
  service.pass(HOUR_MS)
  const inTime = await signedInAs(service, merchant)
  assert.equal(
    (await inTime.send(await inTime.get(`${TEST}/help/new`), '/help/new', { message: 'in its place' })).status,
    303,
  )
  const reopened = await inTime.send(await inTime.get(`${TEST}/help/${first}`), '/write', { message: 'open again?' })
  assert.equal(reopened.status, 400)
  assert.match(mainOf(reopened), /has 20 open cases/)
})

test('a case has at most fifty messages of both sides', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const support = await operatorSignedIn(service, 'support')
  const id = lastOf(await askForHelp(owner, `${TEST}/charges`, 'A long talk'))
  const answer = async (says: string) => support.send(await support.get(`/console/cases/${id}`), '/answer', { says })
  for (let nth = 2; nth <= 50; nth += 1) assert.equal((await answer(`answer ${nth}`)).status, 303)
  const says = /a case has at most 50 messages: go on in a new one/
  const refused = await answer('one more')
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), says)
  const own = await owner.send(await owner.get(`${TEST}/help/${id}`), '/write', { message: 'one more' })
  assert.equal(own.status, 400)
  assert.match(mainOf(own), says)
})
