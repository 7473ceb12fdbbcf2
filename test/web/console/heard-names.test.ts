import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitApplication } from '../../../src/merchants/verification/submit-application.ts'
import { setWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { opened } from '../../helpers/service/opened.ts'
import { payingRail } from '../../helpers/service/paying-rail.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { answerAll, applicant } from '../../helpers/web/verification.ts'

const clock = movableClock()
// Whoever is asked about, the wallet is of these.
const rail = {
  ...payingRail(clock),
  lookupAccountHolder: async () => ({ active: true, name: 'KATO BROTHERS' }),
}
const service = opened(() => startService({ clock, liveRails: { op1_momo: rail } }))

test('a name that was given and another holder of its wallet are marked, and approved with a sentence only', async () => {
  const { merchant, caller } = await applicant(service)
  await answerAll(service, caller)
  await submitApplication(service.app, caller)
  const page = `/console/verification/${merchant.publicId}`
  const operator = await operatorSignedIn(service, 'risk')
  assert.doesNotMatch(mainOf(await operator.get(page)), /another name/)
  await operator.send(await operator.get(page), '/ask/settlement')
  const review = await operator.get(page)
  assert.match(mainOf(review), /Nakasero Fresh Foods KATO BROTHERS another name/)
  assert.match(mainOf(review), /Somebody else’s wallet, or none: Settlement account\./)
  const refused = await operator.send(review, '/approve')
  assert.equal(refused.status, 400)
  assert.match(mainOf(refused), /note must say why the wallet of settlement may be somebody else's/)
  const note = 'His brother, seen with both papers'
  assert.equal((await operator.send(review, '/approve', { note })).status, 303)
  assert.match(mainOf(await operator.get(page)), new RegExp(note))
  const owner = await signedInAs(service, { id: merchant.publicId })
  assert.ok(!(await owner.get('/dashboard/verification')).text.includes(note), 'for us alone')
})

test('a number to withdraw to is marked where its holder is not who the business has named', async () => {
  const { merchant, caller } = await applicant(service)
  await answerAll(service, caller)
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: merchant.id, phone: '0772000555' })
  const operator = await operatorSignedIn(service, 'risk')
  const page = await operator.get('/console/numbers')
  assert.doesNotMatch(mainOf(page), /another name/)
  await operator.send(page, `/numbers/${merchant.publicId}/ask`)
  assert.match(mainOf(await operator.get('/console/numbers')), /KATO BROTHERS another name/)
})
