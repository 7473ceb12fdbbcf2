import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { approveApplication, rejectApplication } from '../../../src/merchants/verification/decide-application.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { formOf, hasForm } from '../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'
import { type SentFile, sendFiles } from '../../helpers/web/sending-files.ts'
import { BUSINESS, DIRECTOR, pdf, png, QUESTIONNAIRE, SETTLEMENT } from '../../helpers/web/verification.ts'

const service = openedAndVerified(() => startService())
const HOME = '/dashboard/verification'
const DOCUMENTS = `${HOME}/documents`
const MEGABYTE = 1024 * 1024

const csrfOf = async (person: Planted) => ({
  csrf: formOf(await person.get(HOME), '/sign-out').fields.csrf ?? '',
})
async function upload(person: Planted, files: readonly SentFile[], kind = 'identity') {
  return sendFiles(person, DOCUMENTS, { fields: { ...(await csrfOf(person)), kind }, files })
}
const scan = { name: 'scan.pdf', bytes: pdf() }

async function fillIn(person: Planted): Promise<void> {
  for (const [step, fields] of [
    ['business', BUSINESS],
    ['directors', DIRECTOR],
    ['settlement', SETTLEMENT],
    ['questionnaire', QUESTIONNAIRE],
  ] as const) {
    const sent = await person.send(await person.get(`${HOME}/${step}`), `/${step}`, fields)
    assert.equal(sent.status, 303, `${step}: ${mainOf(sent)}`)
  }
  await upload(person, [{ name: 'card.png', bytes: png(30, 20) }])
  await upload(person, [scan], 'registration')
}

test('an owner fills in the steps, reviews and submits; a rejection says what to change; an approval ends it', async () => {
  const made = await service.merchant()
  const owner = await signedInAs(service, made)
  assert.match(mainOf(await owner.get(HOME)), /not begun .*Finish the open steps first/)
  const first = await owner.send(await owner.get(`${HOME}/business`), '/business', BUSINESS)
  assert.equal(first.location, `${HOME}/directors`, 'on to the next step')
  await fillIn(owner)
  const people = `${HOME}/directors`
  await owner.send(await owner.get(people), '/directors', { ...DIRECTOR, name: 'Somebody Else' })
  const edited = await owner.send(await owner.get(`${people}/2`), '/directors/2', { name: 'Okello' })
  assert.match(mainOf(await owner.follow(edited)), /Grace Nakato .*Okello/)
  await owner.send(await owner.get(people), '/directors/2/remove')
  assert.doesNotMatch(mainOf(await owner.get(people)), /Okello/)
  const ready = await owner.get(HOME)
  assert.match(mainOf(ready), /Nakasero Fresh Foods Ltd .*CF85012345ABCD, .*card\.png/)
  const undeclared = await owner.send(ready, '/submit')
  assert.deepEqual([undeclared.status, /Confirm this first/.test(mainOf(undeclared))], [400, true])
  const submitted = await owner.follow(await owner.send(ready, '/submit', { declared: 'yes' }))
  assert.match(mainOf(submitted), /We are looking at it/)
  assert.equal(hasForm(submitted, '/submit'), false)
  assert.equal((await owner.get(`${HOME}/business`)).location, HOME)
  const late = await owner.post(`${HOME}/business`, { ...(await csrfOf(owner)), ...BUSINESS })
  assert.deepEqual([late.status, /is being reviewed/.test(mainOf(late))], [409, true])

  const { app, merchant } = await getMerchantNamed(service.gateway, made.id)
  const notes = { 'business.tin': 'Another <b>number</b>', documents: 'The card is cut off' }
  await rejectApplication(app, BY_HAND, { merchant, number: 1, note: 'Nearly', notes })
  const [told] = await mailsTo(service, owner.email)
  assert.deepEqual([told?.template, told?.values.note], ['verification-rejected', 'Nearly'])
  const rejected = await owner.get(HOME)
  assert.match(mainOf(rejected), /rejected .*Nearly .*Business, Tax number \(TIN\) *: Another <b>number<\/b>/)
  assert.match(mainOf(rejected), /Change what is named above first/)
  assert.match(mainOf(await owner.get(`${HOME}/business`)), /From the review: Another <b>number<\/b>/)
  assert.match(mainOf(await owner.get(DOCUMENTS)), /From the review: The card is cut off/)
  await owner.send(await owner.get(`${HOME}/business`), '/business', { tin: '1000999999' })
  await owner.send(await owner.get(HOME), '/submit', { declared: 'yes' })
  await approveApplication(app, BY_HAND, { merchant, number: 2 })
  assert.match(mainOf(await owner.get(HOME)), /verified .*takes real money/)
  assert.deepEqual((await mailsTo(service, owner.email)).map(({ template }) => template).sort(), [
    'verification-rejected',
    'verified',
  ])
})

test('a form that names a person and is sent twice names the person once', async () => {
  const owner = await signedInAs(service, await service.merchant())
  const fields = { ...formOf(await owner.get(`${HOME}/directors`), '/directors').fields, ...DIRECTOR }
  await Promise.all([owner.post(`${HOME}/directors`, fields), owner.post(`${HOME}/directors`, fields)])
  await owner.post(`${HOME}/directors`, fields)
  assert.equal((await owner.get(`${HOME}/directors`)).text.split('directors/1/remove').length, 2)
  assert.equal((await owner.get(`${HOME}/directors/2`)).status, 404)
})

test('who has not proven the own address may fill in and not submit, in test mode too', async () => {
  const owner = await signedInAs(service, await service.merchant())
  await service.rows('update people set confirmed_at = null where id = $1', [owner.personId])
  await fillIn(owner)
  for (const home of [HOME, '/dashboard/test/verification']) {
    const refused = await owner.send(await owner.get(home), '/submit', { declared: 'yes' })
    assert.deepEqual([refused.status, /confirm your e-mail address first/.test(mainOf(refused))], [403, true])
  }
})

test('a wrong answer stands beside its field with what was typed', async () => {
  const owner = await signedInAs(service, await service.merchant())
  const wrong = await owner.send(await owner.get(`${HOME}/business`), '/business', { ...BUSINESS, tin: '12' })
  assert.equal(wrong.status, 400)
  assert.match(mainOf(wrong), /tin must have ten digits/)
  const { fields } = formOf(wrong, '/business')
  assert.deepEqual([fields.tin, fields.legal_name, fields.kind], ['12', BUSINESS.legal_name, 'company'])
})

test('harmful files are refused at the form and harmless names kept; nothing of a refused file is stored', async () => {
  const made = await service.merchant()
  const owner = await signedInAs(service, made)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  for (const [name, bytes, type] of [
    ['card.png', svg, 'image/png'],
    ['page.pdf', Buffer.concat([Buffer.from('<script>alert(1)</script>'), pdf()]), 'application/pdf'],
    ['bomb.png', png(100_000, 100_000, 1), 'image/png'],
    ['cut.png', png(50, 50).subarray(0, -20), 'image/png'],
  ] as const) {
    const reply = await upload(owner, [{ name, bytes, type }])
    assert.deepEqual([reply.status, name], [400, name])
    assert.match(mainOf(reply), /file must be a whole PDF, JPG or PNG of at most 10 MB/)
  }
  assert.match(mainOf(await upload(owner, [])), /Choose a file/)
  assert.equal((await upload(owner, [scan, scan])).status, 400)
  const large = await upload(owner, [{ name: 'a.pdf', bytes: pdf('x'.repeat(11 * MEGABYTE)) }])
  assert.deepEqual([large.status, /The file is longer than 10 MB/.test(mainOf(large))], [400, true])
  const huge = await upload(owner, [{ name: 'a.pdf', bytes: Buffer.alloc(14 * MEGABYTE) }])
  assert.deepEqual([huge.status, /too much, so nothing was done/.test(huge.text)], [413, true])
  assert.equal((await upload(owner, [scan], 'tattoo')).status, 400)
  const { merchant } = await getMerchantNamed(service.gateway, made.id)
  const counts = () =>
    service.rows('select count(*)::int as n from verification_documents where merchant_id = $1', [merchant.id])
  assert.deepEqual(await counts(), [{ n: 0 }])
  const kept = await owner.follow(await upload(owner, [{ name: '../../<b>x</b>.pdf', bytes: pdf('<script>') }]))
  assert.match(mainOf(kept), /The document was added\. .* b \.pdf /)
  assert.doesNotMatch(kept.text, /<b>x|\.\.\//)
})

test('others see the state and nothing of the people; strangers reach no document; a form without a session is not read', async () => {
  const made = await service.merchant()
  const owner = await signedInAs(service, made)
  await fillIn(owner)
  const id = /documents\/(doc_[a-z0-9]+)\/remove/.exec((await owner.get(DOCUMENTS)).text)?.[1] ?? ''
  assert.ok(id)
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const) {
    const person = await signedInAs(service, made, { role })
    assert.doesNotMatch((await person.get(HOME)).text, /CF85012345ABCD|card\.png|Nakasero/)
    for (const step of ['business', 'directors', 'directors/1', 'documents'])
      assert.equal((await person.get(`${HOME}/${step}`)).status, 403, `${role} ${step}`)
    assert.equal((await upload(person, [scan])).status, 403)
  }
  const stranger = await signedInAs(service, await service.merchant())
  const remove = async (person: Planted) => person.post(`${DOCUMENTS}/${id}/remove`, await csrfOf(person))
  assert.equal((await remove(stranger)).status, 404)
  assert.equal((await stranger.get(`${DOCUMENTS}/${id}`)).status, 404, 'nobody reads it here again')
  assert.equal((await owner.get(`${DOCUMENTS}/${id}`)).status, 404)
  owner.headers['sec-fetch-site'] = 'cross-site'
  const foreign = await owner.post(DOCUMENTS, 'x', { 'content-type': 'multipart/form-data; boundary=x' })
  owner.headers['sec-fetch-site'] = 'same-origin'
  assert.deepEqual([foreign.status, /not sent from a page of ours/.test(foreign.text)], [403, true])
  assert.equal((await remove(owner)).status, 303)
  assert.equal((await remove(owner)).status, 404)
})
