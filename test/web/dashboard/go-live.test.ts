import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { askFor } from '../../helpers/web/asking.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startLiveService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const PAGE = '/dashboard/go-live'
const HOUR = 3_600_000

/** The steps that a page calls done, by the words that begin their names. */
const STEPS = [
  'verified',
  'machines',
  'webhook',
  'live key',
  'real payment',
  'first money',
  'second owner',
  'second factor',
]
const stepsOn = (text: string) =>
  [...text.matchAll(/<li><div class="head"><h2>(.*?)<\/h2>.*?<\/li>/gs)].map(([item, name = '']) => ({
    step: STEPS.find((step) => name.includes(step)) ?? name,
    done: item.includes('status good'),
  }))
const doneOn = (text: string) => stepsOn(text).flatMap(({ step, done }) => (done ? [step] : []))
const askedOn = (text: string) => stepsOn(text).map(({ step }) => step)

test('the checklist follows what has happened, and leads to where each step is done', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const [live, api] = [service.client(merchant.keys.live), service.client(merchant.keys.test)]
  await api.get('/v1/me')
  await service.gateway.requests.flush()
  const first = await owner.get(PAGE)
  assert.deepEqual(doneOn(first.text), [])
  assert.match(mainOf(first), /You take payments by a program of your own\./)
  for (const path of [
    'verification',
    'developers/webhooks',
    'developers',
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

const PEOPLE_STEPS = ['second owner', 'second factor']

test('a shop without a programmer is asked neither for a webhook nor for a key, whatever it sells by', async () => {
  const merchant = await service.merchant()
  const owner = await signedInAs(service, merchant)
  const none = await owner.get(PAGE)
  assert.deepEqual(askedOn(none.text), ['verified', 'real payment', 'first money', ...PEOPLE_STEPS])
  assert.match(mainOf(none), /0 of 5 done .*You take payments in no way yet\./)
  assert.match(mainOf(none), /Not needed for how you work Machines: .* A webhook address: .* A live key: /)
  assert.ok(none.text.includes('href="/dashboard/ask"'), 'the counter comes first')
  assert.equal((await owner.get('/dashboard/ask')).status, 200)
  await service.set(merchant, { kycStatus: 'verified' })
  const link = await owner.get('/dashboard/test/links/new')
  await owner.send(link, '/links/new', { amount: '5,000' })
  const linked = await owner.get(PAGE)
  assert.match(mainOf(linked), /You take payments by payment links\. .*Pay a small amount on one of your links/)
  const asked = await askFor(owner, { amount: '5,000', phone: newPayer() })
  await succeed(service, asked.location.split('/').at(-1) ?? '')
  const paid = await (await signedInAs(service, merchant)).get(PAGE)
  assert.match(mainOf(paid), /You take payments by payment links, asking at the counter\./)
  assert.deepEqual(doneOn(paid.text), ['verified', 'real payment', 'second owner'])
})

test('an owner of machines is asked for a key and a supplier, and not for a webhook', async () => {
  const merchant = await service.merchant({ vending: true })
  const owner = await signedInAs(service, merchant)
  const steps = ['verified', 'machines', 'live key', 'real payment', 'first money', ...PEOPLE_STEPS]
  assert.deepEqual(askedOn((await owner.get(PAGE)).text), steps)
  await owner.send(await owner.get('/dashboard/vending/add'), '/vending/add', { machine: 'M1', name: '' })
  assert.deepEqual(doneOn((await owner.get(PAGE)).text), [], 'no supplier yet')
  const supplier = { base_url: 'https://1.1.1.1/api', shbh: '7', key: 'k', secret: 's' }
  await owner.send(await owner.get('/dashboard/vending/settings'), '/settings/supplier', supplier)
  await service.client(merchant.keys.live_collections).get('/v1/me')
  await service.gateway.requests.flush()
  const ready = await owner.get(PAGE)
  assert.deepEqual([askedOn(ready.text), doneOn(ready.text)], [steps, ['machines', 'live key']])
  assert.match(mainOf(ready), /You take payments by machines, a program of your own\. .*Buy something at your machine/)
  await service.set(merchant, { webhookUrl: receiver.url })
  assert.ok(askedOn((await owner.get(PAGE)).text).includes('webhook'), 'an address that is set must answer')
})
