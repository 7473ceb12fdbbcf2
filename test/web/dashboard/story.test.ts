import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDispute } from '../../../src/selling/disputes/open-dispute.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { CUSTOMER } from '../../helpers/service/actors.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop = made(() => service.merchant())
const CHARGES = '/dashboard/test/charges'

async function decided() {
  service.pass(3000)
  await service.run('follow-charges')
}

/** The words of a page in which each must come after the one before. */
function inOrder(text: string, ...parts: RegExp[]): void {
  let rest = text
  for (const part of parts) {
    const at = rest.search(part)
    assert.ok(at >= 0, `${part} is missing in: ${rest}`)
    rest = rest.slice(at + 1)
  }
}

test('the page of a charge tells its whole story, in one order', async () => {
  const owner = await signedInAs(service, shop)
  await service.set(shop, { webhookUrl: receiver.url })
  const client = service.client(shop.keys.test)
  await client.charge({ amount: 50_000 })
  const { body: charge } = await client.charge({ amount: 10_000, reference: 'STORY' })
  await decided()
  await deliverAll(service)
  const address = `${CHARGES}/${charge.id}`
  await owner.send(await owner.get(address), '/refund')
  await deliverAll(service)
  const page = await owner.get(address)
  const story = mainOf(page)
  inOrder(
    story,
    /What happened/,
    /Payment begun/,
    /Paid: the operator’s number is \d+/,
    /Payment received, after its fee: UGX 9,800/,
    /Message to your server made: paid/,
    /Your server has the message: paid first attempt, answered 200/,
    new RegExp(`Refund a charge: ${owner.email}`),
    /Given back/,
    /What it is/,
    /Where the money went/,
    /Payment received, after its fee the operator your available balance UGX 9,800/,
    /What we told you/,
    /charge\.succeeded sent 1/,
    /Raw JSON, as the API gives it/,
  )
  const refund = /\/dashboard\/test\/payouts\/(pout_\w+)/.exec(page.text)?.[1]
  const payout = mainOf(await owner.get(`/dashboard/test/payouts/${refund}`))
  inOrder(payout, /What happened/, /Payout made/, /Set aside for a payout, with its fee/, /Where the money went/)
})

test('a report of the customer stands in the story of its charge, and nothing of others does', async () => {
  const owner = await signedInAs(service, shop)
  const client = service.client(shop.keys.test)
  const { body: charge } = await client.charge({ amount: 10_000 })
  await decided()
  const [row] = await service.rows<{ id: number }>('select id from merchants where public_id = $1', [shop.id])
  await openDispute(service.app, CUSTOMER, {
    merchantId: row?.id ?? 0,
    chargeId: charge.id,
    report: { reason: 'not_delivered', details: 'no soda came', contact: null },
  })
  const story = mainOf(await owner.get(`${CHARGES}/${charge.id}`))
  inOrder(
    story,
    /Paid/,
    /The customer reported a problem not delivered/,
    /Message to your server made: a customer reported a problem/,
  )
  assert.doesNotMatch(story, /STORY|Refund a charge:/)
})

test('the part of a charge under way ends with what can be done with it now', async () => {
  const owner = await signedInAs(service, shop)
  const { body: charge } = await service.client(shop.keys.test).charge({ amount: 10_000 })
  const part = `${CHARGES}/${charge.id}?part=story`
  const open = await owner.get(part)
  assert.equal(open.headers.get('x-part'), 'open')
  assert.match(mainOf(open), /No money has moved\..*No event was made yet/)
  assert.doesNotMatch(open.text, /refund[#"]/)
  await decided()
  const final = await owner.get(part)
  assert.equal(final.headers.get('x-part'), 'final')
  const refunded = await owner.send(final, '/refund')
  assert.match(mainOf(await owner.follow(refunded)), /The charge is refunded/)
})
