import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openReportedCharges } from '../../helpers/payments/reported-charges.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const { service, shop, paid, disputesOf } = openReportedCharges()

test('a report shows what was paid and by whom, is answered first, and is closed only by somebody who says that it is settled', async () => {
  const made = await shop()
  const id = await paid(made.test, { customer: { phone: '0772123456' }, reference: 'order_9' })
  await made.report(id)
  const [dispute] = await disputesOf(id)
  const owner = await signedInAs(service, made.merchant)
  const base = '/dashboard/test'
  const path = `${base}/disputes/${dispute.id}`
  const open = await owner.get(path)
  const said = mainOf(open)
  assert.match(said, /^Disputes not delivered waits for your answer /)
  for (const word of ['UGX 5,000', '0772 123 456', 'order_9', id]) assert.ok(said.includes(word), word)
  assert.ok(open.text.includes(`href="${base}/charges/${id}#refund"`), 'the way to the refund')
  assert.deepEqual(
    open.forms.map(({ action }) => action.split('/').at(-1)).filter((end) => end === 'answer' || end === 'close'),
    ['answer', 'close'],
  )
  const needs = async () => /Needs you.*1 open dispute/.test(mainOf(await owner.get(base)))
  assert.equal(await needs(), true)
  const unsure = await owner.send(open, '/close')
  assert.equal(unsure.status, 400)
  assert.match(mainOf(unsure), /Say that it is settled before it is closed/)
  await owner.send(open, '/answer', { says: 'It was at the gate.' })
  assert.equal(await needs(), false)
  const listed = async () =>
    Promise.all(
      ['open', 'answered', 'closed'].map(async (state) =>
        (await owner.get(`${base}/disputes?state=${state}`)).text.includes(id),
      ),
    )
  assert.deepEqual(await listed(), [false, true, false])
  const answered = await owner.get(path)
  assert.match(mainOf(answered), /^Disputes not delivered answered /)
  assert.equal((await owner.send(answered, '/close', { settled: 'yes' })).status, 303)
  assert.deepEqual(await listed(), [false, false, true])
  assert.doesNotMatch((await owner.get(path)).text, /disputes[^"]*\/(?:answer|close)[#"]/)
})
