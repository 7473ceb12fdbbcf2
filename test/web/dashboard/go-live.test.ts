import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startLiveService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const PAGE = '/dashboard/go-live'
const HOUR = 3_600_000

/** The steps that a page calls done, by the words that begin their names. */
const STEPS = ['verified', 'webhook', 'live key', 'real payment', 'first money', 'second owner', 'second factor']
const doneOn = (text: string) => {
  const items = [...text.matchAll(/<li><div class="head"><h2>(.*?)<\/h2>.*?<\/li>/gs)]
  assert.equal(items.length, STEPS.length)
  return items.flatMap(([item, name = '']) =>
    item.includes('status good') ? [STEPS.find((step) => name.includes(step)) ?? name] : [],
  )
}

test('the checklist follows what has happened, and leads to where each step is done', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const [live, api] = [service.client(merchant.keys.live), service.client(merchant.keys.test)]
  const first = await owner.get(PAGE)
  assert.deepEqual(doneOn(first.text), [])
  for (const path of [
    'verification',
    'developers/webhooks',
    'developers',
    'links',
    'wallet',
    'settings/people',
    'settings/security',
  ]) {
    assert.ok(first.text.includes(`href="/dashboard/${path}"`), path)
    assert.equal((await owner.get(`/dashboard/${path}`)).status, 200, path)
  }
  // Time passes, and a session ends with it.
  const look = async () => (await signedInAs(service, merchant, { role: 'viewer' })).get(PAGE)
  const before = async (happens: () => Promise<unknown>, ...now: string[]) => {
    await happens()
    assert.deepEqual(doneOn((await look()).text), now)
  }
  await before(() => service.set(merchant, { kycStatus: 'verified' }), 'verified')
  receiver.behave((response) => void response.writeHead(500).end())
  await before(async () => {
    await service.set(merchant, { webhookUrl: receiver.url })
    await api.charge({ customer: { phone: newPayer() } })
    service.pass(2000)
    await service.run('follow-charges')
    await deliverAll(service)
  }, 'verified')
  receiver.behave((response) => void response.writeHead(204).end())
  await before(
    async () => {
      service.pass(HOUR)
      await deliverAll(service)
    },
    'verified',
    'webhook',
  )
  const { body } = await live.charge({ customer: { phone: newPayer() } })
  await service.gateway.requests.flush()
  await before(async () => service.run('follow-charges'), 'verified', 'webhook', 'live key')
  await before(() => succeed(service, body.id), 'verified', 'webhook', 'live key', 'real payment')
  service.pass(DAY + HOUR)
  await service.run('settle-charges')
  const other = await signedInAs(service, merchant)
  const seen = await other.get(PAGE)
  assert.deepEqual(doneOn(seen.text), [
    'verified',
    'webhook',
    'live key',
    'real payment',
    'first money',
    'second owner',
  ])
  assert.match(mainOf(seen), /6 of 7 done/)
  await service.rows(
    `insert into factors (id, person_id, kind, name, sealed, created_at, confirmed_at)
     select 'fac_' || lpad(person_id::text, 21, 'a'), person_id, 'totp', 'App', '\\x00', $2, $2
     from memberships w join directory.merchants m on m.id = w.merchant_id where m.public_id = $1`,
    [merchant.id, service.clock.now()],
  )
  assert.match(mainOf(await other.get(PAGE)), /7 of 7 done .*Everything is done/)
  await service.set(merchant, { webhookUrl: `${receiver.url}/elsewhere` })
  assert.equal(doneOn((await other.get(PAGE)).text).includes('webhook'), false, 'another address has not answered yet')
  const stranger = await signedInAs(service, await service.merchant())
  assert.deepEqual(doneOn((await stranger.get(PAGE)).text), [])
})
