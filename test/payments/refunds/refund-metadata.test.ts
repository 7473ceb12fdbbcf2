import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../../api/http/refused.ts'
import { METADATA_REFUSALS } from '../../helpers/payments/metadata-refusals.ts'
import { payer, sendAll } from '../../helpers/payments/schedules.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_REFUNDS: '0' } }))
const shop = made(() => payer(service, 500_000))
const METADATA = { ticket: 'T-9', clerk: 'Okello' }
const OF_CHARGE = { order: 'A-17' }

async function charged(phone = newPayer()): Promise<string> {
  const { body } = await shop.api.charge({ customer: { phone }, metadata: OF_CHARGE })
  service.pass(2000)
  await service.run('follow-charges')
  return body.id
}
const refund = (id: string, body?: object) => shop.api.post(`/v1/charges/${id}/refund`, body)
const read = async (path: string) => (await shop.api.get(`/v1/${path}`)).body

test('the payout of a refund has the metadata of the refund wherever it is shown, and the charge keeps its own', async () => {
  const charge = await charged()
  const { status, body } = await refund(charge, { metadata: METADATA })
  assert.deepEqual([status, body.refund.metadata], [202, METADATA])
  const { id } = body.refund
  service.pass(3000)
  await sendAll(service)
  await service.run('seal-events')
  const listed = (await read('payouts')).data.find((payout: any) => payout.id === id)
  const events = (await read('events?limit=100')).data
  const told = (type: string, of: string) =>
    events.find(({ envelope }: any) => envelope.event === type && envelope.data.id === of)?.envelope.data.metadata
  const shown = [(await read(`payouts/${id}`)).metadata, listed.metadata, told('payout.succeeded', id)]
  assert.deepEqual(shown, [METADATA, METADATA, METADATA])
  const expanded = await read(`charges/${charge}?expand=refund`)
  assert.deepEqual([expanded.metadata, expanded.refund.metadata], [OF_CHARGE, METADATA])
  assert.deepEqual(told('charge.refunded', charge), OF_CHARGE)
  const owner = await signedInAs(service, shop.merchant)
  assert.match(mainOf(await owner.get(`/dashboard/test/payouts/${id}`)), /Metadata .*T-9/)
})

test('a refund without metadata has none, whatever its charge has', async () => {
  for (const body of [undefined, {}, { metadata: null }, { metadata: {} }]) {
    const { status, body: made } = await refund(await charged(), body)
    assert.deepEqual([status, made.refund.metadata], [202, {}])
    assert.deepEqual((await read(`payouts/${made.refund.id}`)).metadata, {})
  }
})

test('what is wrong with it is refused, and nothing is written', async () => {
  const charge = await charged()
  const before = await service.digest()
  for (const { expected, body } of METADATA_REFUSALS) assertRefused(await refund(charge, body as object), expected)
  assert.equal(await service.digest(), before)
  assert.equal((await read(`charges/${charge}`)).status, 'succeeded')
})

test('forgetting the customer takes it off the refunds of the number, and off no other payout', async () => {
  const [gone, other] = [newPayer(), newPayer()]
  const ids = [await charged(gone), await charged(other)]
  const refunds = await Promise.all(ids.map(async (id) => (await refund(id, { metadata: METADATA })).body.refund.id))
  const plain = await shop.api.post('/v1/payouts', { amount: 5000, recipient: { phone: gone }, metadata: METADATA })
  const owner = await signedInAs(service, shop.merchant)
  const phone = (await read(`charges/${ids[0]}`)).customer.phone
  assert.equal((await owner.send(await owner.get(`/dashboard/test/customers/${phone}`), '/forget')).status, 303)
  const metadata = await Promise.all(
    [...refunds, plain.body.id].map(async (id) => (await read(`payouts/${id}`)).metadata),
  )
  assert.deepEqual(metadata, [{}, METADATA, METADATA])
})
