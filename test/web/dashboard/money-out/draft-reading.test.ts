import assert from 'node:assert/strict'
import test from 'node:test'
import { chooseColumns } from '../../../../src/payments/payouts/bulk/drafts/choose-columns.ts'
import { draftBulk } from '../../../../src/payments/payouts/bulk/drafts/draft-bulk.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { crewed, sendSeenDraft } from '../../../helpers/payments/preparing.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const FUNDS = 200_000
const NET = ['phone', 'amount', 'ignore', 'ignore'] as const
const GROSS = ['phone', 'ignore', 'amount', 'ignore'] as const

/** A list with two columns that may be the amount, drafted by an owner, whose net one was chosen. */
async function draftedList() {
  const crew = await crewed(service, { above: null, funds: FUNDS })
  const lines = ['Who;Net;Gross;Ref', `${newPayer()};1000;1500;r-1`, `${newPayer()};2000;2500;r-2`]
  const id = await draftBulk(service.app, crew.anna, { name: 'wages.csv', bytes: Buffer.from(lines.join('\n')) })
  const choose = (uses: readonly (typeof NET)[number][] | typeof GROSS) =>
    chooseColumns(service.app, crew.anna, { id, uses, firstLine: 2 })
  await choose(NET)
  return { ...crew, id, choose }
}

test('what is sent is what its sender has seen: columns that were changed meanwhile are refused, and nothing is paid', async () => {
  const { merchant, live, id, choose } = await draftedList()
  const owner = await signedInAs(service, merchant)
  const seen = await owner.get(`/dashboard/bulk/drafts/${id}`)
  assert.match(mainOf(seen), /Would be paid 2 Amount UGX 3,000/)
  await choose(GROSS)
  const before = await service.digest()
  const refused = await owner.send(seen, '/send')
  assert.equal(refused.status, 409)
  assert.match(mainOf(refused), /the columns of this list were changed since you looked at it/)
  assert.match(
    mainOf(refused),
    /Would be paid 2 Amount UGX 4,000/,
    'the lines as they are read now stand above the form',
  )
  assert.equal(await service.digest(), before)
  assert.equal(await availableOf(live), FUNDS)
  assert.equal((await owner.send(refused, '/send')).status, 303)
  assert.equal(await availableOf(live), FUNDS - 4000 - 400)
})

test('columns that are changed in the moment of sending: one of both is refused, and every line is paid once as it was seen', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { anna, live, id, choose } = await draftedList()
    const [sent] = await Promise.allSettled([sendSeenDraft(service.app, anna, id), choose(GROSS)])
    const available = await availableOf(live)
    if (sent.status === 'fulfilled') assert.ok([FUNDS - 3400, FUNDS - 4400].includes(available), `${available}`)
    else assert.equal(available, FUNDS)
    await sendSeenDraft(service.app, anna, id)
    const paid = FUNDS - (await availableOf(live))
    assert.ok([3400, 4400].includes(paid), `paid once, ${paid}`)
    if (sent.status === 'fulfilled') assert.equal(paid, FUNDS - available, 'sending it again pays nothing')
  }
})

test('a list whose sending was begun is read as it was, so that sending it again after a crash pays nobody twice', async () => {
  const { anna, live, merchantId, id, choose } = await draftedList()
  await sendSeenDraft(service.app, anna, id)
  // As if the process was killed before it had marked the draft.
  await service.rows('update bulk_drafts set object_id = null where merchant_id = $1 and id = $2', [merchantId, id])
  await assert.rejects(choose(GROSS), /its sending was begun/)
  await sendSeenDraft(service.app, anna, id)
  assert.equal(await availableOf(live), FUNDS - 3400)
})

test('what was said about a list without headings is offered for the next one, and not taken for granted', async () => {
  const { merchant } = await crewed(service, { above: null })
  const owner = await signedInAs(service, merchant)
  const give = async () => {
    const { fields, action } = formOf(await owner.get('/dashboard/bulk'), '/paste')
    return owner.follow(
      await owner.post(action, { ...fields, lines: `${newPayer()};1000;1500\n${newPayer()};2000;2500` }),
    )
  }
  const asked = await owner.follow(await give())
  const said = { c1: 'phone', c2: 'ignore', c3: 'amount' }
  assert.match(mainOf(await owner.follow(await owner.send(asked, '/columns', said))), /Amount UGX 4,000/)
  const again = await owner.follow(await give())
  assert.match(mainOf(again), /What is in these columns\?/)
  const { c1, c2, c3 } = formOf(again, '/columns').fields
  assert.deepEqual({ c1, c2, c3 }, said)
})
