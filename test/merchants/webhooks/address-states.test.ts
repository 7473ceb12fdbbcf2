import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { act, addAddress, at, deliveryTo, happening } from '../../helpers/web/addresses.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'
import { answering, deliverAll } from '../../helpers/web/webhooks.ts'

const DAY_MS = 86_400_000
const first = opened(() => startReceiver())
const books = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: `${first.place},${books.place}` } }),
)

async function shop() {
  const merchant = await service.merchant()
  for (const receiver of [first, books]) receiver.behave(answering(200))
  await service.set(merchant, { webhookUrl: first.url })
  return { merchant, api: service.client(merchant.keys.test) }
}

test('the events of a paused address wait, and are all sent, oldest first, when it goes on', async () => {
  const { api } = await shop()
  const own = await addAddress(api, books.url)
  assert.equal((await act(api, own.id, '/pause')).body.state, 'paused')
  const ids = [await happening(service, api), await happening(service, api), await happening(service, api)]
  await deliverAll(service)
  for (const id of ids) {
    const waiting = await deliveryTo(api, own.id, id)
    assert.deepEqual([waiting.status, waiting.attempts, waiting.next_attempt_at], ['pending', 0, null])
    assert.deepEqual([at(books, id).length, at(first, id).length], [0, 1])
  }
  service.pass(DAY_MS)
  assert.equal((await act(api, own.id, '/resume')).body.state, 'active')
  await deliverAll(service)
  const sent = books.received.map(({ event }) => event.id).filter((id) => ids.includes(id))
  assert.equal(sent.length, ids.length)
  assert.deepEqual([...sent].sort(), [...ids].sort())
  const [mark] = await service.rows<{ waits: boolean }>('select waits from webhook_addresses where id = $1', [own.id])
  assert.equal(mark?.waits, true, 'for five minutes one may still be stored')
  service.pass(301_000)
  await deliverAll(service)
  const [settled] = await service.rows<{ waits: boolean }>('select waits from webhook_addresses where id = $1', [
    own.id,
  ])
  assert.equal(settled?.waits, false)
})

test('addresses that were paused and go on again keep no place of one at which something waits', async () => {
  for (let nth = 0; nth < 6; nth += 1) {
    const { api } = await shop()
    for (const more of ['/1', '/2', '/3', '/4']) {
      const busy = await addAddress(api, `${books.url}${more}`)
      for (const what of ['/pause', '/resume']) assert.equal((await act(api, busy.id, what)).status, 200)
    }
  }
  const { api } = await shop()
  const own = await addAddress(api, books.url)
  await act(api, own.id, '/pause')
  const eventId = await happening(service, api)
  await act(api, own.id, '/resume')
  assert.ok((await service.run('tend-addresses')) > 0)
  await deliverAll(service)
  assert.equal(at(books, eventId).length, 1)
})

test('a paused address keeps also what was due already, and one that was removed gets nothing and leaves nothing', async () => {
  const { api } = await shop()
  const own = await addAddress(api, books.url)
  const eventId = await happening(service, api)
  await act(api, own.id, '/pause')
  await deliverAll(service)
  assert.equal(at(books, eventId).length, 0)
  await act(api, own.id, '/resume')
  await act(api, own.id, '/remove')
  await deliverAll(service)
  assert.equal(at(books, eventId).length, 0)
  assert.equal((await api.get(`/v1/webhook-addresses/${own.id}`)).status, 404)
  service.pass(600_000)
  await service.run('prune')
  await service.run('prune')
  const left = await service.rows(
    'select 1 from address_deliveries where address_id = $1 union all select 1 from webhook_addresses where id = $1',
    [own.id],
  )
  assert.equal(left.length, 0)
})

test('what is over is deleted after 30 days', async () => {
  const { api } = await shop()
  const own = await addAddress(api, books.url)
  const eventId = await happening(service, api)
  await deliverAll(service)
  service.pass(29 * DAY_MS)
  await service.run('prune')
  assert.ok(await deliveryTo(api, own.id, eventId))
  service.pass(DAY_MS + 60_000)
  await service.run('prune')
  assert.equal(await deliveryTo(api, own.id, eventId), undefined)
})

/** An address that answers every event with an error, and who hears of it. */
async function failing() {
  const { merchant, api } = await shop()
  const own = await addAddress(api, books.url)
  const owner = await signedInAs(service, merchant)
  books.behave(answering(500))
  const told = async () =>
    (await mailsTo(service, owner.email)).filter(({ template }) => template === 'address-failing')
  const state = async () => (await api.get(`/v1/webhook-addresses/${own.id}`)).body.state
  /** An event at once, a look, and 24 hours. */
  const day = async () => {
    const eventId = await happening(service, api)
    await deliverAll(service)
    await service.run('raise-alerts')
    service.pass(DAY_MS)
    await deliverAll(service)
    await service.run('raise-alerts')
    return eventId
  }
  return { merchant, api, own, told, state, day }
}

test('an address that answers nothing but errors is switched off after three days and two mails; its events wait, and one call sends them', async () => {
  const { api, own, told, state, day } = await failing()
  const ids = [await day()]
  assert.deepEqual([(await told()).map(({ values }) => values.left), await state()], [['2'], 'active'])
  await service.run('raise-alerts')
  assert.equal((await told()).length, 1, 'once')
  ids.push(await day())
  assert.deepEqual([(await told()).length, await state()], [2, 'active'])
  ids.push(await day())
  assert.deepEqual([(await told()).length, await state()], [2, 'switched_off'])
  const waits = await happening(service, api)
  const before = books.received.length
  await deliverAll(service)
  assert.equal(books.received.length, before, 'nothing more is sent there')
  assert.equal(at(first, waits).length, 1, 'the others go on')
  const waiting = await deliveryTo(api, own.id, waits)
  assert.deepEqual([waiting.status, waiting.next_attempt_at], ['pending', null])
  const [row] = await service.rows<{ actor: string }>(
    `select actor from audit where action = 'webhook.switch' and subject = $1`,
    [own.id],
  )
  assert.equal(row?.actor, 'switch-off')
  books.behave(answering(200))
  assert.equal((await act(api, own.id, '/resume')).body.state, 'active')
  await deliverAll(service)
  for (const id of [...ids, waits]) assert.equal((await deliveryTo(api, own.id, id)).status, 'sent', id)
})

test('one success in between begins the three days anew', async () => {
  const { told, state, day, api } = await failing()
  await day()
  await day()
  assert.equal((await told()).length, 2)
  books.behave(answering(200))
  await happening(service, api)
  await deliverAll(service)
  books.behave(answering(500))
  await day()
  assert.deepEqual([(await told()).length, await state()], [3, 'active'])
})

test('an address that is switched on while it is still dead has three days and two mails again', async () => {
  const { api, own, told, state, day } = await failing()
  for (let days = 0; days < 3; days += 1) await day()
  assert.equal(await state(), 'switched_off')
  await act(api, own.id, '/resume')
  await day()
  assert.deepEqual([(await told()).length, await state()], [3, 'active'])
  await day()
  await day()
  assert.deepEqual([(await told()).length, await state()], [4, 'switched_off'])
})

test('who looks after days of standstill is warned twice all the same, a day apart', async () => {
  const { api, told, state } = await failing()
  await happening(service, api)
  await deliverAll(service)
  service.pass(10 * DAY_MS)
  for (let looks = 0; looks < 3; looks += 1) await service.run('raise-alerts')
  assert.deepEqual([(await told()).length, await state()], [1, 'active'])
})
