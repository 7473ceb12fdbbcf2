import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { act, addAddress, at, auditsOf, further, happening, pageOf, secretIn } from '../../../helpers/web/addresses.ts'
import { formOf, hasForm, type Page } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { answering, deliverAll } from '../../../helpers/web/webhooks.ts'
import { sendForm } from '../whole/send-form.ts'

const MINUTE = 60_000
const WEBHOOKS = '/dashboard/test/developers/webhooks'
const FIRST = 'https://first.example/hook'
const books = opened(() => startReceiver())
const stock = opened(() => startReceiver())
const service = openedAndVerified(() =>
  startService({ env: { WEBHOOK_ALLOW_PRIVATE: `first.example:443,${books.place},${stock.place}` } }),
)

async function shop() {
  const merchant = await service.merchant()
  for (const receiver of [books, stock]) receiver.behave(answering(200))
  await service.set(merchant, { webhookUrl: FIRST })
  const api = service.client(merchant.keys.test)
  return { merchant, api, owner: await signedInAs(service, merchant) }
}

test('an owner adds an address for some events, sees how it does, changes it and removes it', async () => {
  const { api, owner } = await shop()
  const before = await owner.get(WEBHOOKS)
  assert.match(mainOf(before), /Other addresses/)
  assert.equal(formOf(before, '/webhook-addresses/new').fields.which, 'all')
  const made = await owner.send(before, '/webhook-addresses/new', {
    ...{ url: books.url, which: 'some', 'payout.failed': 'yes', 'charge.succeeded': 'yes' },
  })
  assert.match(mainOf(made), /it is shown this once/)
  assert.match(made.headers.get('cache-control') ?? '', /no-store/)
  const [own] = await further(api)
  assert.deepEqual([own.url, own.events], [books.url, ['charge.succeeded', 'payout.failed']])
  const listed = await owner.get(WEBHOOKS)
  assert.ok(mainOf(listed).includes(`${books.url} Gets charge.succeeded, payout.failed`), mainOf(listed))
  assert.ok(!listed.text.includes(secretIn(made)))
  const page = await owner.get(pageOf(own.id))
  assert.match(mainOf(page), /Address 2 .* Gets charge\.succeeded, payout\.failed .* No event has come here yet/)
  const { fields } = formOf(page, '/change')
  assert.deepEqual([fields.url, fields.which, fields['payout.failed']], [books.url, 'some', 'yes'])
  assert.equal(fields['charge.failed'], undefined)
  const eventId = await happening(service, api)
  await deliverAll(service)
  assert.equal(at(books, eventId).length, 1)
  assert.match(mainOf(await owner.get(pageOf(own.id))), /charge\.succeeded sent 200 1/)
  const changed = await owner.send(page, '/change', { url: stock.url, which: 'all' })
  assert.equal(changed.status, 303)
  assert.match(mainOf(await owner.follow(changed)), /The address is saved\. .* Gets every event/)
  const [after] = await further(api)
  assert.deepEqual([after.id, after.url, after.events], [own.id, stock.url, null])
  const row = (await auditsOf(service, own.id)).at(-1)
  assert.deepEqual(row, {
    ...{ action: 'webhook.address', actor_kind: 'person' },
    before: { url: books.url, events: ['charge.succeeded', 'payout.failed'] },
    after: { url: stock.url, events: null },
  })
  assert.equal((await owner.send(page, '/remove')).status, 303)
  assert.ok(!(await owner.get(WEBHOOKS)).text.includes(own.id))
  assert.equal((await owner.get(pageOf(own.id))).status, 404)
})

test('what the API refuses the page refuses too, beside the field, and nothing is changed', async () => {
  const { api, owner } = await shop()
  const own = await addAddress(api, books.url, { events: ['payout.failed'] })
  const [list, page] = [await owner.get(WEBHOOKS), await owner.get(pageOf(own.id))]
  const taken = 'this is one of your addresses already'
  const unreachable = 'this address is not reachable from the public internet'
  const none = 'Tick at least one event, or choose every event'
  const untick = { which: 'some', 'payout.failed': '' }
  const rows: [Page, string, Record<string, string>, string][] = [
    [list, '/webhook-addresses/new', { url: '' }, 'Address of the other receiver: fill this in'],
    [list, '/webhook-addresses/new', { url: 'nowhere' }, unreachable],
    [list, '/webhook-addresses/new', { url: 'https://10.0.0.1/' }, unreachable],
    [list, '/webhook-addresses/new', { url: `https://x.example/${'x'.repeat(2048)}` }, 'At most 2048 characters'],
    [list, '/webhook-addresses/new', { url: FIRST }, taken],
    [list, '/webhook-addresses/new', { url: books.url }, taken],
    [list, '/webhook-addresses/new', { url: stock.url, which: 'some' }, none],
    [list, '/webhook-addresses/new', { url: stock.url, which: 'few' }, 'Choose one of the options'],
    [page, '/change', { url: '' }, 'Address of the other receiver: fill this in'],
    [page, '/change', { url: 'https://10.0.0.1/' }, unreachable],
    [page, '/change', { url: FIRST }, taken],
    [page, '/change', untick, none],
  ]
  const before = [await further(api), await auditsOf(service, own.id)]
  for (const [from, end, fields, text] of rows) {
    const refused = await owner.send(from, end, fields)
    assert.equal(refused.status, 400, text)
    assert.ok(mainOf(refused).includes(text), `${end} ${JSON.stringify(fields)}: ${mainOf(refused)}`)
    assert.ok(hasForm(refused, end), 'the form is there again')
  }
  assert.deepEqual([await further(api), await auditsOf(service, own.id)], before)
  for (const more of ['/3', '/4', '/5']) await addAddress(api, `${books.url}${more}`)
  const full = await owner.send(list, '/webhook-addresses/new', { url: stock.url })
  assert.match(mainOf(full), /you have 5 addresses for webhooks already/)
})

test('a pause lets events wait, and going on sends them', async () => {
  const { api, owner } = await shop()
  const own = await addAddress(api, books.url)
  const page = await owner.get(pageOf(own.id))
  assert.equal(hasForm(page, '/resume'), false, 'nothing waits')
  const paused = await owner.send(page, '/pause')
  assert.match(
    mainOf(await owner.follow(paused)),
    /The address is paused\. Its events wait\. .*Paused: its events wait/,
  )
  assert.match(mainOf(await owner.get(WEBHOOKS)), /Paused: its events wait here/)
  const eventId = await happening(service, api)
  await deliverAll(service)
  assert.equal(at(books, eventId).length, 0)
  const waiting = await owner.get(pageOf(own.id))
  assert.equal(hasForm(waiting, '/pause'), false, 'it is paused already')
  const on = await owner.send(waiting, '/resume')
  const after = mainOf(await owner.follow(on))
  assert.match(after, /The address is on, and what waited is on its way/)
  assert.doesNotMatch(after, /Paused/)
  await deliverAll(service)
  assert.equal(at(books, eventId).length, 1)
  assert.deepEqual(
    (await auditsOf(service, own.id)).slice(1).map(({ action, before, after: next }) => [action, before, next]),
    [
      ['webhook.switch', { state: 'active' }, { state: 'paused' }],
      ['webhook.switch', { state: 'paused' }, { state: 'active' }],
    ],
  )
})

test('a test event from the page of an address goes there alone', async () => {
  const { api, owner } = await shop()
  const own = await addAddress(api, books.url, { events: ['payout.failed'] })
  await addAddress(api, stock.url)
  const heard = [books.received.length, stock.received.length] as const
  const sent = await owner.send(await owner.get(pageOf(own.id)), '/test')
  assert.match(mainOf(await owner.follow(sent)), /The test event is on its way/)
  await deliverAll(service)
  assert.deepEqual([books.received.length, stock.received.length], [heard[0] + 1, heard[1]])
  assert.equal(books.received.at(-1)?.event.event, 'test.ping')
  assert.match(mainOf(await owner.get(pageOf(own.id))), /test\.ping sent 200 1/)
})

test('who may not change addresses only looks, and secrets, addresses and events need the factor', async () => {
  const { merchant, api, owner } = await shop()
  const own = await addAddress(api, books.url)
  const ends = ['/change', '/pause', '/rotate', '/test', '/remove']
  const ofOwner = await owner.get(pageOf(own.id))
  for (const end of ends) assert.ok(hasForm(ofOwner, end), end)
  const developer = await signedInAs(service, merchant, { role: 'developer' })
  assert.equal((await developer.send(await developer.get(pageOf(own.id)), '/change', { which: 'all' })).status, 303)
  for (const role of ['accountant', 'viewer'] as const) {
    const person = await signedInAs(service, merchant, { role })
    const page = await person.get(pageOf(own.id))
    assert.equal(page.status, 200, role)
    for (const end of [...ends, '/resume']) {
      assert.equal(hasForm(page, end), false, `${role} ${end}`)
      const fields = { url: stock.url, which: 'all' }
      const refused = await sendForm(service, person, { address: `${pageOf(own.id)}${end}`, fields })
      assert.equal(refused.status, 403, `${role} ${end}`)
      assert.ok(mainOf(refused).includes(`your role (${role}) may not do this`), mainOf(refused))
    }
    assert.equal(hasForm(await person.get(WEBHOOKS), '/webhook-addresses/new'), false)
  }
  const cashier = await signedInAs(service, merchant, { role: 'cashier' })
  assert.equal((await cashier.get(pageOf(own.id))).status, 403)
  const stale = await signedInAs(service, merchant, { steppedUpMs: 6 * MINUTE })
  const page = await stale.get(pageOf(own.id))
  for (const end of ['/change', '/rotate', '/remove']) {
    const refused = await stale.send(page, end)
    assert.equal(refused.status, 400, end)
    assert.match(mainOf(refused), /Confirm with this before anything is done/)
  }
  assert.equal((await stale.send(page, '/pause')).status, 303, 'a pause gives nothing away')
  const [now] = await further(api)
  assert.deepEqual([now.url, now.secret_since, now.state], [books.url, own.secret_since, 'paused'])
})

test('the page is of one further address of its merchant and mode, and no other', async () => {
  const { api, owner } = await shop()
  const own = await addAddress(api, books.url)
  const [first] = (await api.get('/v1/webhook-addresses')).body.data
  const stranger = await signedInAs(service, await service.merchant())
  for (const [person, address] of [
    [owner, pageOf(first.id)],
    [owner, pageOf('wha_absent')],
    [owner, pageOf(own.id).replace('/test', '')],
    [stranger, pageOf(own.id)],
  ] as const) {
    const page = await person.get(address)
    assert.equal(page.status, 404, address)
    assert.match(mainOf(page), /There is nothing here/)
  }
  const foreign = await sendForm(service, stranger, { address: `${pageOf(own.id)}/pause`, fields: {} })
  assert.equal(foreign.status, 404)
  assert.equal((await act(api, own.id, '')).body.state, 'active')
})
