import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'
import { answering, deliver, deliverAll, endedCharge } from '../../../helpers/web/webhooks.ts'

const MINUTE = 60_000
const WEBHOOKS = '/dashboard/test/developers/webhooks'
const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))

async function shopWithHook() {
  const merchant = await service.merchant()
  await service.set(merchant, { webhookUrl: receiver.url })
  const owner = await signedInAs(service, merchant)
  const developer = await signedInAs(service, merchant, { role: 'developer' })
  const cashier = await signedInAs(service, merchant, { role: 'cashier' })
  return { merchant, owner, developer, cashier, api: service.client(merchant.keys.test) }
}

test('a receiver that fails is told of on Home and on Webhooks at once, with what it answers, and a delivery that fails says so', async () => {
  const own = await shopWithHook()
  receiver.behave((response) => void response.writeHead(500).end('Fatal error: Uncaught PDOException in pay.php'))
  const { eventId } = await endedCharge(service, own.api)
  await endedCharge(service, own.api)
  await deliver(service)
  const home = mainOf(await own.owner.get('/dashboard/test'))
  assert.match(home, /Needs you.*Your address has not taken 2 events since .*The last attempt: answered 500/)
  const page = await own.developer.get(WEBHOOKS)
  const said = mainOf(page)
  assert.match(said, /Your address has not taken 2 events since/)
  assert.match(said, /Fatal error: Uncaught PDOException in pay\.php/)
  assert.match(said, /charge\.succeeded failing 1 attempt, next /)
  assert.match(page.text, /class="status warn"/)
  const delivery = await own.developer.get(`${WEBHOOKS}/${eventId}`)
  assert.match(mainOf(delivery), /failing 1 attempt, next .*Your server has not taken it/)
  assert.match(delivery.text, /<details class="raw" open><summary>How the answer began/)
  receiver.behave(answering(200))
  service.pass(2 * MINUTE)
  await deliverAll(service)
  assert.doesNotMatch(mainOf(await own.owner.get('/dashboard/test')), /has not taken/)
  assert.doesNotMatch(mainOf(await own.developer.get(WEBHOOKS)), /failing/)
})

test('owners and developers hear of an outage by one mail within minutes; the first success ends it, and the next one is told anew', async () => {
  const own = await shopWithHook()
  const told = async (email: string) =>
    (await mailsTo(service, email)).filter(({ template }) => template === 'receiver-outage')
  const look = () => service.run('raise-alerts')
  const fail = async () => {
    receiver.behave(answering(503))
    await endedCharge(service, own.api)
    await deliver(service)
  }
  await fail()
  service.pass(4 * MINUTE)
  await look()
  assert.deepEqual(await told(own.owner.email), [])
  service.pass(2 * MINUTE)
  await Promise.all([look(), look()])
  for (let later = 0; later < 3; later += 1) {
    service.pass(60 * MINUTE)
    await deliver(service)
    await look()
  }
  for (const { email } of [own.owner, own.developer]) {
    const [mail, ...more] = await told(email)
    assert.deepEqual(more, [], email)
    assert.deepEqual([mail?.values.code, mail?.values.waiting], ['503', '1'])
  }
  assert.deepEqual(await told(own.cashier.email), [])
  receiver.behave(answering(200))
  service.pass(24 * 60 * MINUTE)
  await deliverAll(service)
  await fail()
  service.pass(6 * MINUTE)
  await look()
  assert.equal((await told(own.owner.email)).length, 2)
})

test('a receiver that takes every other event is no outage', async () => {
  const own = await shopWithHook()
  for (const status of [500, 200, 500]) {
    receiver.behave(answering(status))
    await endedCharge(service, own.api)
    await deliver(service)
    service.pass(4 * MINUTE)
  }
  await service.run('raise-alerts')
  assert.deepEqual(
    (await mailsTo(service, own.owner.email)).filter(({ template }) => template === 'receiver-outage'),
    [],
  )
})
