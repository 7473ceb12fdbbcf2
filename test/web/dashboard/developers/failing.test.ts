import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { act, addAddress, deliveryTo, happening } from '../../../helpers/web/addresses.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'
import { answering, deliver, deliverAll, endedCharge } from '../../../helpers/web/webhooks.ts'

const MINUTE = 60_000
const WEBHOOKS = '/dashboard/test/developers/webhooks'
const receiver = opened(() => startReceiver())
const books = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: `${receiver.place},${books.place}` } }),
)

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

test('Home says which address takes nothing after a day and while it is switched off, and no longer when it goes on', async () => {
  const { merchant, api, owner, cashier } = await shopWithHook()
  for (const each of [receiver, books]) each.behave(answering(200))
  const own = await addAddress(api, books.url, { events: ['charge.succeeded'] })
  const page = `/dashboard/test/developers/webhook-addresses/${own.id}`
  const accountant = await signedInAs(service, merchant, { role: 'accountant' })
  const home = async (person = owner) => mainOf(await person.get('/dashboard/test'))
  const need = new RegExp(`Your address ${books.url.replaceAll('.', '\\.')} takes nothing since .*: look`)
  books.behave(answering(500))
  await happening(service, api)
  await deliverAll(service)
  assert.doesNotMatch(await home(), need, 'not at once')
  const passDay = async () => {
    service.pass(24 * 60 * MINUTE)
    for (const { sessionId } of [owner, accountant, cashier])
      await service.rows(
        `update directory.sessions set seen_at = $1, ends_at = $1::timestamptz + interval '1 hour' where id = $2`,
        [service.clock.now().toISOString(), sessionId],
      )
    await deliverAll(service)
    await service.run('raise-alerts')
  }
  await passDay()
  const told = await owner.get('/dashboard/test')
  assert.match(mainOf(told), need)
  assert.ok(told.text.includes(`href="${page}"`))
  assert.match(await home(accountant), need)
  assert.doesNotMatch(await home(cashier), need)
  assert.doesNotMatch(mainOf(await owner.get('/dashboard')), need, 'of its mode alone')
  assert.match(mainOf(await owner.get(page)), /nothing but errors for a day\. After three days/)
  await passDay()
  await passDay()
  assert.equal((await act(api, own.id, '')).body.state, 'switched_off')
  assert.match(await home(), need)
  const off = await owner.get(page)
  assert.match(mainOf(off), /Switched off, because it answered nothing but errors for three days/)
  books.behave(answering(200))
  assert.equal((await owner.send(off, '/resume')).status, 303)
  assert.doesNotMatch(await home(), need)
  const [{ event_id: eventId } = { event_id: '' }] = await service.rows<{ event_id: string }>(
    'select event_id from address_deliveries where address_id = $1',
    [own.id],
  )
  await deliverAll(service)
  assert.equal((await deliveryTo(api, own.id, eventId)).status, 'sent')
})
