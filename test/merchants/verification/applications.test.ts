import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from '../../../src/api/access/actor.ts'
import type { KycStatus } from '../../../src/merchants/account/merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { APPLICATION_MOVES } from '../../../src/merchants/verification/application.ts'
import {
  approveApplication,
  rejectApplication,
  setMerchantAndVerification,
} from '../../../src/merchants/verification/decide-application.ts'
import { missingSteps, readVerification } from '../../../src/merchants/verification/read-application.ts'
import { removeDirector, saveDirector, saveStep } from '../../../src/merchants/verification/save-step.ts'
import { submitApplication } from '../../../src/merchants/verification/submit-application.ts'
import { BY_HAND, worker } from '../../helpers/service/actors.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { answerAll, applicant, BUSINESS, DIRECTOR, document, SETTLEMENT } from '../../helpers/web/verification.ts'

const service = openedAndVerified(() => startService())
const REVIEWER = {
  ...{ kind: 'operator', role: 'risk', name: 'Ruth', factorAgeMs: 0, origin: 'test', requestId: null },
  ...{ personId: 1, sessionId: 'ses_ruth' },
} satisfies Actor

const stateOf = async (merchantId: number) => {
  const { application } = await readVerification(service.app, merchantId)
  return application && `${application.number} ${application.state}`
}
const kycOf = async (publicId: string) => (await getMerchantNamed(service.gateway, publicId)).merchant.kycStatus

test('steps are saved one by one and sealed, and what is missing is told', async () => {
  const { app } = service
  const { merchant, caller } = await applicant(service)
  assert.equal((await readVerification(app, merchant.id)).application, null)
  await saveStep(app, caller, { step: 'business', fields: BUSINESS })
  const read = await readVerification(app, merchant.id)
  assert.equal(read.answers.business?.phone, '256772123456')
  assert.deepEqual(missingSteps(read), ['directors', 'settlement', 'questionnaire', 'documents'])
  await assert.rejects(submitApplication(app, caller), {
    status: 400,
    message: 'something is missing in: directors, settlement, questionnaire, documents',
  })
  const rows = await service.rows<{ sealed: Buffer }>(
    'select sealed from verification_answers where merchant_id = $1',
    [merchant.id],
  )
  for (const { sealed } of rows) assert.doesNotMatch(sealed.toString('latin1'), /Nakasero|772123456/)
  const audit = await service.rows<{ after: object }>(
    `select after from audit where merchant_id = $1 and action = 'verification.edit'`,
    [merchant.id],
  )
  assert.deepEqual(
    audit.map(({ after }) => after),
    [{ application: 1, step: 'business' }],
  )
})

test('wrong answers are refused by field, and nothing of them is stored', async () => {
  const { app } = service
  const { merchant, caller } = await applicant(service)
  const save = (step: 'business' | 'settlement', given: object) =>
    saveStep(app, caller, { step, fields: given as Record<string, unknown> })
  const refused: [() => Promise<unknown>, RegExp][] = [
    [() => save('business', { ...BUSINESS, legal_name: ' ' }), /legal_name is required/],
    [() => save('business', { ...BUSINESS, registration_number: '' }), /registration_number is required/],
    [() => save('business', { ...BUSINESS, tin: '12' }), /tin must have ten digits/],
    [() => save('business', { ...BUSINESS, kind: 'bank' }), /kind must be one of/],
    [() => save('business', { ...BUSINESS, sells: 'x'.repeat(1001) }), /sells must be at most 1000/],
    [() => save('settlement', { ...SETTLEMENT, phone: '+1 212 555 0100' }), /phone must be a Ugandan mobile number/],
    [
      () => saveDirector(app, caller, { index: null, fields: { ...DIRECTOR, born: '2020-01-01' } }),
      /born must be at least 18/,
    ],
    [
      () => saveDirector(app, caller, { index: null, fields: { ...DIRECTOR, born: '1985-02-30' } }),
      /born must be a day/,
    ],
    [
      () => saveDirector(app, caller, { index: null, fields: { ...DIRECTOR, id_number: '<script>' } }),
      /id_number must be/,
    ],
    [() => saveDirector(app, caller, { index: 0, fields: DIRECTOR }), /director not found/],
    [() => removeDirector(app, caller, 0), /director not found/],
  ]
  for (const [saving, says] of refused) await assert.rejects(saving(), says)
  assert.equal(await stateOf(merchant.id), null)
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const)
    await assert.rejects(saveStep(app, worker(caller, role, 7), { step: 'business', fields: BUSINESS }), {
      status: 403,
    })
})

test('a submitted application cannot be changed, is approved once, and verifies the business', async () => {
  const { app } = service
  const { merchant, caller } = await applicant(service)
  await answerAll(service, caller)
  const twice = await Promise.allSettled([submitApplication(app, caller), submitApplication(app, caller)])
  assert.deepEqual(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.equal(await stateOf(merchant.id), '1 submitted')
  await assert.rejects(saveStep(app, caller, { step: 'business', fields: BUSINESS }), { status: 409 })
  await assert.rejects(document(service, caller), { status: 409 })
  const approve = () => approveApplication(app, REVIEWER, { merchant, number: 1 })
  await assert.rejects(approveApplication(app, caller, { merchant, number: 1 }), { status: 403 })
  await assert.rejects(approveApplication(app, REVIEWER, { merchant, number: 2 }), { status: 409 })
  const both = await Promise.allSettled([approve(), rejectBy('No licence')])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const kyc = await kycOf(merchant.publicId)
  assert.equal(await stateOf(merchant.id), kyc === 'verified' ? '1 approved' : '1 rejected')

  function rejectBy(note: string) {
    return rejectApplication(app, REVIEWER, { merchant, number: 1, note, notes: {} })
  }
})

test('a rejection says why by field; the next draft begins with the answers, and submitting makes the business pending', async () => {
  const { app } = service
  const { merchant, caller } = await applicant(service)
  await answerAll(service, caller)
  await submitApplication(app, caller)
  const reject = (notes: Record<string, string>, note = 'Two things') =>
    rejectApplication(app, REVIEWER, { merchant, number: 1, note, notes })
  await assert.rejects(reject({ 'nothing.here': 'x' }), /notes must name fields/)
  await assert.rejects(reject({}, ' '), /note must have/)
  await reject({ 'business.tin': 'This is the number of somebody else', documents: 'The card is cut off' })
  assert.equal(await kycOf(merchant.publicId), 'rejected')
  await assert.rejects(submitApplication(app, caller), /nothing new to submit/)
  await saveStep(app, caller, { step: 'business', fields: { ...BUSINESS, tin: '1000999999' } })
  const read = await readVerification(app, merchant.id)
  assert.equal(read.application?.number, 2)
  assert.equal(read.answers.directors?.[0]?.name, DIRECTOR.name)
  assert.equal(read.documents.length, 2)
  assert.equal(read.rejection?.notes?.documents, 'The card is cut off')
  assert.equal(await kycOf(merchant.publicId), 'rejected', 'until it is submitted again')
  await submitApplication(app, caller)
  assert.equal(await kycOf(merchant.publicId), 'pending')
  await approveApplication(app, REVIEWER, { merchant, number: 2 })
  assert.equal(await kycOf(merchant.publicId), 'verified')
  await assert.rejects(saveStep(app, caller, { step: 'business', fields: BUSINESS }), /verified already/)
})

test('what the command says of the verification moves the application in the same commit', async () => {
  const { app } = service
  const { merchant, caller } = await applicant(service)
  const set = (kycStatus: KycStatus) => setMerchantAndVerification(app, BY_HAND, { merchant, change: { kycStatus } })
  const steps: [KycStatus, string | null][] = [
    ['pending', null],
    ['verified', '1 approved'],
    ['verified', '1 approved'],
    ['rejected', '2 rejected'],
    ['pending', '3 draft'],
    ['rejected', '3 rejected'],
    ['verified', '4 approved'],
    ['pending', '5 draft'],
  ]
  for (const [kyc, state] of steps) {
    await set(kyc)
    assert.equal(await stateOf(merchant.id), state, kyc)
    assert.equal(await kycOf(merchant.publicId), kyc)
  }
  await answerAll(service, caller)
  await submitApplication(app, caller)
  await set('pending')
  assert.equal(await stateOf(merchant.id), '5 submitted')
  await set('verified')
  assert.equal(await stateOf(merchant.id), '5 approved')
})

test('the database refuses every move that the table does not have', async () => {
  const { merchant } = await applicant(service)
  const states = Object.keys(APPLICATION_MOVES) as (keyof typeof APPLICATION_MOVES)[]
  const facts = (state: string) =>
    `state = '${state}', submitted_at = ${state === 'draft' ? 'null' : 'opened_at'}, submitted_by = ${state === 'draft' ? 'null' : `'x'`},
     decided_at = ${/ed$/.test(state) && state !== 'submitted' ? 'opened_at' : 'null'}, decided_by = ${/ed$/.test(state) && state !== 'submitted' ? `'x'` : 'null'}`
  let number = 0
  for (const from of states)
    for (const to of states.filter((state) => state !== from)) {
      number += 1
      await service.rows(
        `insert into verifications (merchant_id, number, state, opened_at) values ($1, $2, 'draft', now())`,
        [merchant.id, number],
      )
      const at = [merchant.id, number]
      if (from !== 'draft')
        await service.rows(`update verifications set ${facts(from)} where merchant_id = $1 and number = $2`, at)
      const move = service.rows(`update verifications set ${facts(to)} where merchant_id = $1 and number = $2`, at)
      if (to in APPLICATION_MOVES[from]) await move
      else await assert.rejects(move, `${from} to ${to}`)
      await service.rows('delete from verifications where merchant_id = $1 and number = $2', at)
    }
})
