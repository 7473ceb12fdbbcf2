import assert from 'node:assert/strict'
import test from 'node:test'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../helpers/payments/following-payouts.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { newPayer } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { mainOf, signedInAs } from '../helpers/web/dashboard.ts'

// Why a payment takes long: every question, when, and what was answered (rails.md 4.8).
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const MINUTE = 60_000

type Line = {
  at: string
  kind: string
  summary: string
  repeated: number
  http_status?: number
  operator_code?: string
}
const kindsOf = (lines: readonly Line[]) => lines.map(({ kind }) => kind)

async function charged() {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  const story = async (query = '') => (await shop.live.get(`/v1/charges/${body.id}/timeline${query}`)).body
  return { shop, id: body.id as string, reference: body.rail_reference as string, story }
}

test('a charge that waits for its customer: one line for equal answers, with their number and the next check', async () => {
  const { shop, id, story, reference } = await charged()
  for (let question = 0; question < 6; question += 1) {
    service.pass(2 * MINUTE)
    await service.run('follow-charges')
  }
  const asked = service.emulator.journal(reference).filter(({ method }) => method === 'GET').length
  assert.ok(asked >= 4, `asked ${asked} times`)
  const told = await story()
  assert.deepEqual(kindsOf(told.data), ['question', 'answer', 'sent', 'created'])
  const [question] = told.data as Line[]
  assert.deepEqual(
    [question?.summary, question?.repeated],
    ['asked the operator: still waiting for the customer', asked],
  )
  assert.ok(new Date(told.next_check_at).getTime() > service.clock.nowMs())
  const kept = await service.rows('select 1 from rail_evidence where attempt_id = $1', [reference])
  assert.equal(kept.length, 2, 'equal answers are kept once')
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, id)
  const ended = await story()
  assert.deepEqual(kindsOf(ended.data), ['changed', 'question', 'question', 'answer', 'sent', 'created'])
  assert.match(ended.data[0].summary, /^succeeded, transaction [0-9]+ of the operator$/)
  const page = mainOf(await (await signedInAs(service, shop.merchant)).get(`/dashboard/charges/${id}`))
  assert.match(
    page,
    /Payment begun.*Sent to the operator.*Asked the phone: waiting for the PIN.*We asked the operator: still waiting for the PIN \d+ times.*We asked the operator: paid.*Paid: the operator’s number is \d+ today/,
  )
  assert.deepEqual([ended.data[2].repeated, ended.next_check_at], [asked, null])
})

test('pages of a timeline, newest first, and a cursor that is none of its lines', async () => {
  const { story } = await charged()
  const first = await story('?limit=2')
  assert.deepEqual([kindsOf(first.data), first.has_more], [['answer', 'sent'], true])
  const second = await story(`?limit=2&starting_after=${first.next_cursor}`)
  assert.deepEqual([kindsOf(second.data), second.has_more, second.next_cursor], [['created'], false, null])
  assert.equal((await story('?starting_after=nothing')).error, 'invalid starting_after cursor')
})

test('a payout in doubt tells what was heard, in the words of the operator', async () => {
  const { shop, id, reference } = await charged()
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, id)
  await service.emulator.fault('http', {
    params: { status: 500, code: 'INTERNAL_PROCESSING_ERROR', record: true },
  })
  const { body } = await pay(shop.live, { amount: 600, recipient: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'FAILED', reason: 'PAYEE_NOT_FOUND' })
  await sendUntilEnded(service, body.id)
  const path = `/v1/payouts/${body.id}/timeline`
  const lines = (await shop.live.get(path)).body.data as Line[]
  assert.deepEqual(kindsOf(lines), ['changed', 'question', 'answer', 'sent', 'created'])
  assert.equal(lines[0]?.summary, 'failed: recipient_not_found; amount and fee are back')
  assert.deepEqual([lines[1]?.http_status, lines[1]?.operator_code], [200, 'PAYEE_NOT_FOUND'])
  assert.deepEqual([lines[2]?.http_status, lines[2]?.operator_code], [500, 'INTERNAL_PROCESSING_ERROR'])
  assert.equal((await service.client(shop.merchant.keys.live_collections).get(path)).status, 403)
})

test('a test charge has the lines of its own row only', async () => {
  const shop = await service.shop()
  const { body } = await shop.test.charge({ customer: { phone: newPayer() } })
  const told = (await shop.test.get(`/v1/charges/${body.id}/timeline`)).body
  assert.deepEqual(kindsOf(told.data), ['created'])
})
