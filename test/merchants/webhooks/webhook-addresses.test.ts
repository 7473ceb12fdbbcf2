import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed, setMerchant } from '../../../src/merchants/account/set-merchant.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { passUntil } from '../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { answering, deliver, deliverAll, deliveryOf, endedCharge } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const other = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: `${receiver.place},${other.place}` } }),
)

async function shop(webhookUrl: string | null) {
  const merchant = await service.merchant()
  receiver.behave(answering(200))
  if (webhookUrl !== null) await service.set(merchant, { webhookUrl })
  return { merchant, api: service.client(merchant.keys.test) }
}
const sentAbout = (eventIds: string[]) =>
  receiver.received.map(({ event }) => event.id).filter((id) => eventIds.includes(id))

async function charges(api: Awaited<ReturnType<typeof shop>>['api'], count: number): Promise<string[]> {
  const ids = []
  for (let nth = 0; nth < count; nth += 1) ids.push((await endedCharge(service, api)).eventId)
  return ids
}

test('without an address events wait; saving an address sends them all', async () => {
  const { merchant, api } = await shop(null)
  const ids = await charges(api, 7)
  await deliverAll(service)
  for (const id of ids) {
    const row = await deliveryOf(api, id)
    assert.deepEqual(
      [row.status, row.url, row.attempts, row.next_attempt_at, row.last_error],
      ['pending', null, 0, null, null],
    )
  }
  service.pass(86_400_000)
  assert.equal(await deliver(service), 0)
  await service.set(merchant, { webhookUrl: receiver.url })
  await deliverAll(service)
  assert.deepEqual(new Set(sentAbout(ids)), new Set(ids))
  assert.equal(sentAbout(ids).length, ids.length)
  assert.equal((await deliveryOf(api, ids[0] as string)).url, receiver.url)
})

test('waiting events are sent in the order in which they happened, not in which they were requested again', async () => {
  const { merchant, api } = await shop(receiver.url)
  const old = await charges(api, 4)
  await deliverAll(service)
  await service.set(merchant, { webhookUrl: null })
  const young = await charges(api, 4)
  for (const id of old) assert.equal((await api.post(`/v1/webhooks/${id}/resend`)).status, 202)
  await service.set(merchant, { webhookUrl: receiver.url })
  const due = await Promise.all([...old, ...young].map((id) => deliveryOf(api, id)))
  const times = due.map((row) => Date.parse(row.next_attempt_at))
  assert.ok(
    times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0)),
    'each is due after the one that came to be before it',
  )
  assert.equal(await deliver(service), 4)
  const first = sentAbout([...old, ...young]).slice(4)
  assert.deepEqual(first.sort(), [...old].sort(), 'four places, and the four oldest events have them')
  await deliverAll(service)
  assert.deepEqual(new Set(sentAbout(young)), new Set(young))
})

test('an address saved while no worker ran is found by the worker that starts an hour later', async () => {
  const { merchant, api } = await shop(null)
  const [id] = await charges(api, 1)
  // As the command line does it, in a process that runs no background task.
  const found = await getMerchantNamed(service.gateway, merchant.id)
  await setMerchant(found.app, BY_HAND, { merchant: found.merchant, change: { webhookUrl: receiver.url } })
  service.pass(3_600_000)
  await deliverAll(service)
  assert.equal((await deliveryOf(api, id as string)).status, 'sent')
})

test('if the address is removed between attempts the delivery waits, and a new address makes it due', async () => {
  const { merchant, api } = await shop(receiver.url)
  receiver.behave(answering(500))
  const [id] = (await charges(api, 1)) as [string]
  await deliver(service)
  await service.set(merchant, { webhookUrl: null })
  passUntil(service, new Date((await deliveryOf(api, id)).next_attempt_at ?? 0))
  service.pass(60_000)
  await deliver(service)
  const waiting = await deliveryOf(api, id)
  assert.deepEqual([waiting.status, waiting.attempts, waiting.next_attempt_at, waiting.url], ['pending', 1, null, null])
  assert.equal(sentAbout([id]).length, 1)
  receiver.behave(answering(200))
  await service.set(merchant, { webhookUrl: receiver.url })
  await deliver(service)
  const sent = await deliveryOf(api, id)
  assert.deepEqual([sent.status, sent.attempts], ['sent', 2])
})

test('an address changed between attempts gets the next attempt, at its own time', async () => {
  const { merchant, api } = await shop(receiver.url)
  receiver.behave(answering(500))
  other.behave(answering(200))
  const [id] = (await charges(api, 1)) as [string]
  await deliver(service)
  await service.set(merchant, { webhookUrl: other.url })
  assert.equal(await deliver(service), 0, 'the change does not shorten the ladder')
  passUntil(service, new Date((await deliveryOf(api, id)).next_attempt_at))
  await deliver(service)
  assert.equal(other.received.filter(({ event }) => event.id === id).length, 1)
  assert.equal(sentAbout([id]).length, 1)
  assert.equal((await deliveryOf(api, id)).url, other.url)
})

test('an address that is not publicly reachable is refused, and the old one stays', async () => {
  const { merchant, api } = await shop(receiver.url)
  for (const url of [
    'http://127.0.0.1:1/hook',
    'http://localhost/hook',
    'http://10.0.0.1/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/hook',
    'http://2130706433/hook',
    'ftp://93.184.216.34/hook',
    'https://user:secret@93.184.216.34/hook',
    'nothing like an address',
  ])
    await assert.rejects(service.set(merchant, { webhookUrl: url }), {
      message: 'this address is not reachable from the public internet',
    })
  const [id] = (await charges(api, 1)) as [string]
  await deliver(service)
  assert.equal((await deliveryOf(api, id)).url, receiver.url)
})

test('deliveries that ended are kept for 30 days; the events stay for ever', async () => {
  const { api } = await shop(receiver.url)
  const [old] = (await charges(api, 1)) as [string]
  await deliver(service)
  service.pass(29 * 86_400_000)
  await service.run('prune')
  assert.equal((await deliveryOf(api, old)).status, 'sent')
  const [young] = (await charges(api, 1)) as [string]
  await deliver(service)
  service.pass(86_400_000 + 60_000)
  await service.run('prune')
  assert.equal((await deliveryOf(api, young)).status, 'sent')
  const { data } = (await api.get('/v1/webhooks')).body
  assert.deepEqual(
    data.map(({ id }: any) => id),
    [young],
  )
  assert.equal((await api.post(`/v1/webhooks/${old}/resend`)).status, 404)
  assert.equal((await service.rows('select 1 from events where id = $1', [old])).length, 1)
})
