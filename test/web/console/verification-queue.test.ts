import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { PersonCaller } from '../../../src/api/access/actor.ts'
import { addDocument } from '../../../src/merchants/verification/change-documents.ts'
import { saveDirector, saveStep } from '../../../src/merchants/verification/save-step.ts'
import { submitApplication } from '../../../src/merchants/verification/submit-application.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { opened } from '../../helpers/service/opened.ts'
import { payingRail } from '../../helpers/service/paying-rail.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'
import { answerAll, applicant, BUSINESS, DIRECTOR, document, pdf, png } from '../../helpers/web/verification.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const clock = movableClock()
const heard = { asked: [] as string[], says: { active: true, name: 'NAKASERO FRESH FOODS' as string | null } }
const rail = {
  ...payingRail(clock),
  lookupAccountHolder: async (phone: string) => {
    heard.asked.push(phone)
    return heard.says
  },
}
const service = opened(() => startService({ clock, liveRails: { op1_momo: rail } }))

/** A business whose application waits; its first document is a picture, its second a PDF. */
async function submitted(browser: string | null = null) {
  const { merchant, caller } = await applicant(service)
  await answerAll(service, caller)
  await submitApplication(service.app, caller, browser)
  const rows = await service.rows<{ id: string }>(
    'select id from verification_documents where merchant_id = $1 order by type desc',
    [merchant.id],
  )
  return {
    merchant,
    caller,
    documents: rows.map(({ id }) => id),
    page: `/console/verification/${merchant.publicId}`,
  }
}

const ids = (text: string) => [...text.matchAll(/\/console\/verification\/(mer_\w+)"/g)].map(([, id]) => id)

test('the queue begins with the one that waits longest, and says for how long', async () => {
  const first = await submitted()
  service.pass(50 * HOUR_MS)
  const second = await submitted()
  const page = await (await operatorSignedIn(service, 'risk')).get('/console/verification')
  assert.deepEqual(ids(page.text), [first.merchant.publicId, second.merchant.publicId])
  assert.match(mainOf(page), /2 days .* less than an hour/)
  const support = await operatorSignedIn(service, 'support')
  const refused = await support.get(first.page)
  assert.equal(refused.status, 403)
  assert.ok(!refused.text.includes(DIRECTOR.id_number))
})

test('papers are shown after a fresh code only, to the roles that review, and who looked stands in the audit', async () => {
  const { page, merchant, documents } = await submitted()
  const stale = await operatorSignedIn(service, 'risk', { steppedUpMs: HOUR_MS / 4 })
  const closed = await stale.get(page)
  assert.ok(!closed.text.includes(DIRECTOR.id_number))
  assert.match(mainOf(closed), /Code of your|Your password, to confirm/)
  const preview = `${page}/documents/${documents[0]}/preview`
  assert.equal((await stale.get(preview)).status, 403)
  const finance = await operatorSignedIn(service, 'finance')
  assert.equal((await finance.get(preview)).status, 403)
  const risk = await operatorSignedIn(service, 'risk')
  const open = await risk.get(page)
  for (const shown of [DIRECTOR.id_number, BUSINESS.legal_name, BUSINESS.tin])
    assert.ok(open.text.includes(shown), shown)
  const rows = await service.rows<{ actor: string }>(
    `select actor from cell_0.audit where action = 'verification.read' and subject = $1`,
    [merchant.publicId],
  )
  assert.deepEqual(
    rows.map(({ actor }) => actor),
    [risk.email],
  )
})

test('documents are saved as attachments in a sandbox under a name of ours; previews are pictures of our own making', async () => {
  const { caller, merchant } = await applicant(service)
  const page = `/console/verification/${merchant.publicId}`
  await answerAll(service, caller)
  const evil = await document(service, caller, { name: 'evil.html', bytes: pdf('<script>alert(1)</script>') })
  const tail = Buffer.from('<script>alert(1)</script>')
  const hidden = await addDocument(service.app, caller, {
    kind: 'other',
    file: { name: 'x.html', bytes: withText(png(40, 30), tail) },
  })
  await submitApplication(service.app, caller)
  const operator = await operatorSignedIn(service, 'risk')
  const open = await operator.get(page)
  const file = await operator.send(open, `/${evil.id}/file`)
  assert.equal(file.status, 200)
  assert.equal(file.headers.get('content-disposition'), `attachment; filename="${evil.id}.pdf"`)
  assert.match(file.headers.get('content-security-policy') ?? '', /sandbox$/)
  assert.equal(file.headers.get('content-type'), 'application/pdf')
  assert.equal(file.headers.get('x-content-type-options'), 'nosniff')
  assert.equal((await operator.get(`${page}/documents/${evil.id}/preview`)).status, 404)
  const preview = await operator.get(`${page}/documents/${hidden.id}/preview`)
  assert.deepEqual([preview.status, preview.headers.get('content-type')], [200, 'image/webp'])
  assert.match(preview.headers.get('content-security-policy') ?? '', /sandbox$/)
  assert.ok(!preview.text.includes('alert(1)'), 'nothing of the file but its pixels')
  const other = await submitted()
  assert.equal((await operator.get(`${other.page}/documents/${hidden.id}/preview`)).status, 404)
})

/** A PNG with a text inside, which viewers of pictures skip. */
function withText(picture: Buffer, text: Buffer): Buffer {
  const end = picture.length - 12
  const sized = Buffer.alloc(4)
  sized.writeUInt32BE(text.length)
  const body = Buffer.concat([Buffer.from('tEXt'), text])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([picture.subarray(0, end), sized, body, sum, picture.subarray(end)])
}

test('the name of the holder is asked for by a form, kept sealed, and shown beside the name that was given', async () => {
  const { page, merchant } = await submitted()
  const operator = await operatorSignedIn(service, 'risk')
  heard.asked.length = 0
  const before = await operator.get(page)
  assert.match(mainOf(before), /not asked yet/)
  assert.deepEqual(heard.asked, [])
  assert.equal((await operator.send(before, '/ask/settlement')).status, 303)
  assert.deepEqual(heard.asked, ['256772123456'])
  assert.match(mainOf(await operator.get(page)), /Nakasero Fresh Foods NAKASERO FRESH FOODS/)
  const [row] = await service.rows<{ sealed: Buffer }>('select sealed from name_checks where merchant_id = $1', [
    merchant.id,
  ])
  assert.ok(row && !row.sealed.includes('NAKASERO'))
  assert.equal((await operator.post(`${page}/ask/director-7`, csrfOf(before))).status, 404)
  heard.says = { active: false, name: null }
  await operator.send(before, '/ask/director-0')
  assert.match(mainOf(await operator.get(page)), /not an active wallet/)
  heard.says = { active: true, name: 'NAKASERO FRESH FOODS' }
})

const csrfOf = (page: { forms: readonly { method: string; fields: Record<string, string> }[] }) => ({
  csrf: page.forms.find(({ method }) => method === 'post')?.fields.csrf ?? '',
})

test('the same phone, identity document or browser in other applications is found, however it is written', async () => {
  const alone = await applicant(service)
  await answerOddly(alone.caller, {
    phone: '0788 000 111',
    id_number: 'ZZ 99 0000 AAAA',
    settles: '0788000112',
  })
  await submitApplication(service.app, alone.caller, 'browser-of-alone')
  const operator = await operatorSignedIn(service, 'risk')
  const pageOf = ({ merchant }: typeof alone) => `/console/verification/${merchant.publicId}`
  assert.match(mainOf(await operator.get(pageOf(alone))), /No other application has the same/)
  const twin = await applicant(service)
  await answerOddly(twin.caller, {
    phone: '+256 788 000111',
    id_number: 'zz990000aaaa',
    settles: '0788000113',
  })
  await submitApplication(service.app, twin.caller, 'browser-of-alone')
  const text = mainOf(await operator.get(pageOf(twin)))
  for (const what of ['same phone', 'same identity document', 'same browser']) assert.ok(text.includes(what), what)
  assert.ok((await operator.get(pageOf(alone))).text.includes(twin.merchant.publicId))
  const found = await operator.get('/console/merchants?q=0788000113')
  assert.ok(found.text.includes(twin.merchant.publicId) && !found.text.includes(alone.merchant.publicId))
  const rows = await service.rows<{ digest: Buffer }>('select digest from verification_digests')
  assert.ok(rows.every(({ digest }) => digest.length === 32))
})

type Odd = { phone: string; id_number: string; settles: string }

async function answerOddly(caller: PersonCaller, { phone, id_number, settles }: Odd) {
  const { app } = service
  await answerAll(service, caller)
  await saveStep(app, caller, { step: 'business', fields: { ...BUSINESS, phone } })
  await saveDirector(app, caller, { index: 0, fields: { ...DIRECTOR, phone, id_number } })
  await saveStep(app, caller, { step: 'settlement', fields: { phone: settles, holder: 'Somebody' } })
}

test('an approval verifies the merchant; a rejection says why in all and by field; a decided one is not decided again', async () => {
  const good = await submitted()
  const operator = await operatorSignedIn(service, 'risk')
  const review = await operator.get(good.page)
  assert.equal((await operator.send(review, '/approve')).status, 303)
  const again = await operator.send(review, '/approve')
  assert.equal(again.status, 409)
  assert.match(mainOf(again), /is not waiting for a decision any more/)
  const bad = await submitted()
  const owner = await signedInAs(service, { id: bad.merchant.publicId })
  const page = await operator.get(bad.page)
  assert.equal((await operator.send(page, '/reject', { note: '' })).status, 400)
  const sent = await operator.send(page, '/reject', {
    note: 'The certificate is of another company',
    'business.legal_name': 'Not the name on the certificate',
  })
  assert.equal(sent.status, 303, mainOf(sent))
  const seen = await owner.get('/dashboard/verification')
  for (const says of ['The certificate is of another company', 'Not the name on the certificate'])
    assert.ok(seen.text.includes(says), says)
  assert.ok(!seen.text.includes(operator.email))
  assert.match(mainOf(await owner.get('/dashboard/settings/business')), /We rejected the verification/)
  const states = await service.rows<{ kyc_status: string }>(
    'select kyc_status from cell_0.merchants where id = any($1) order by id',
    [[good.merchant.id, bad.merchant.id]],
  )
  assert.deepEqual(
    states.map(({ kyc_status }) => kyc_status),
    ['verified', 'rejected'],
  )
  assert.ok(!ids((await operator.get('/console/verification')).text).includes(bad.merchant.publicId))
})

test('documents that end within thirty days are listed, and their owners are told once', async () => {
  const { page, merchant, documents } = await submitted()
  const owner = await signedInAs(service, { id: merchant.publicId })
  const operator = await operatorSignedIn(service, 'risk')
  const day = (days: number) => new Date(clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10)
  const [first = '', second = ''] = documents
  for (const wrong of ['2026-02-31', 'soon', '9999-01-01'])
    assert.equal((await operator.send(await operator.get(page), `/${first}/ends`, { expires_on: wrong })).status, 400)
  await operator.send(await operator.get(page), `/${first}/ends`, { expires_on: day(40) })
  await operator.send(await operator.get(page), `/${second}/ends`, { expires_on: day(900) })
  await service.run('tell-endings')
  assert.deepEqual(await mailsTo(service, owner.email), [])
  service.pass(12 * DAY_MS)
  await service.run('tell-endings')
  await service.run('tell-endings')
  const mails = await mailsTo(service, owner.email)
  assert.deepEqual(
    mails.map(({ template, values }) => [template, values.day]),
    [['document-ends', day(28)]],
  )
  const again = await signedInAs(service, { id: merchant.publicId })
  assert.match(mainOf(await again.get('/dashboard/verification')), new RegExp(`counts until ${day(28)}`))
  const colleague = await operatorSignedIn(service, 'support')
  const listed = mainOf(await colleague.get('/console/verification'))
  assert.ok(listed.includes(day(28)) && !listed.includes(day(888)))
})
