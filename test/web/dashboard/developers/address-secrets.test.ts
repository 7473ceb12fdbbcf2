import assert from 'node:assert/strict'
import test from 'node:test'
import { serviceSignature } from '../../../../src/merchants/webhooks/signature.ts'
import { startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { act, addAddress, at, auditsOf, further, happening, pageOf, secretIn } from '../../../helpers/web/addresses.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { answering, deliverAll } from '../../../helpers/web/webhooks.ts'

const WEBHOOKS = '/dashboard/test/developers/webhooks'
const books = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: books.place } }))

async function shop() {
  const merchant = await service.merchant()
  books.behave(answering(200))
  return { api: service.client(merchant.keys.test), owner: await signedInAs(service, merchant) }
}

test('an address whose form is sent twice is added once, and both answers show its secret', async () => {
  const { api, owner } = await shop()
  const page = await owner.get(WEBHOOKS)
  const send = () => owner.send(page, '/webhook-addresses/new', { url: books.url })
  const secrets = (await Promise.all([send(), send()])).map(secretIn)
  const [own, ...others] = await further(api)
  assert.deepEqual(others, [])
  assert.match(secrets[0] ?? '', /^whsec_/)
  assert.deepEqual(secrets, [secrets[0], secrets[0]])
  assert.equal((await auditsOf(service, own.id)).length, 1)
  const reloaded = await owner.send(await owner.get(WEBHOOKS), '/webhook-addresses/new', { url: books.url })
  assert.match(mainOf(reloaded), /this is one of your addresses already/)
  await owner.send(await owner.get(pageOf(own.id)), '/remove')
  assert.equal((await send()).status, 404, 'it does not come back')
  assert.deepEqual(await further(api), [])
})

test('a new secret is shown once, also to who sends the form twice, and for 24 hours the old one signs beside it', async () => {
  const { api, owner } = await shop()
  const own = await addAddress(api, books.url)
  const page = await owner.get(pageOf(own.id))
  const [one, two] = await Promise.all([owner.send(page, '/rotate'), owner.send(page, '/rotate')])
  const shown = one.status === 200 ? one : two
  const secret = secretIn(shown)
  assert.notEqual(secret, own.secret)
  assert.match(mainOf(shown), /it is shown this once\. The old one also signs until/)
  assert.equal(secretIn(await owner.send(page, '/rotate')), secret, 'the same form, the same secret')
  assert.equal((await auditsOf(service, own.id)).filter(({ action }) => action === 'webhook.rotate').length, 1)
  const later = await owner.get(pageOf(own.id))
  assert.match(mainOf(later), /webhook-signature carries two signatures/)
  for (const listed of [later, await owner.get(WEBHOOKS)]) assert.ok(!listed.text.includes(secret))
  const eventId = await happening(service, api)
  await deliverAll(service)
  const [sent] = at(books, eventId)
  assert.ok(sent)
  assert.equal(sent.headers['x-service-signature'], serviceSignature(secret, Buffer.from(sent.body)))
  assert.equal(String(sent.headers['webhook-signature']).split(' ').length, 2)
  const atOnce = await owner.send(later, '/rotate', { atOnce: 'yes' })
  assert.match(mainOf(atOnce), /The old one does not sign any more/)
  assert.notEqual(secretIn(atOnce), secret)
  assert.equal((await act(api, own.id, '/pause')).body.previous_secret_until, null)
})
