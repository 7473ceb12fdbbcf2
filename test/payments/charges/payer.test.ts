import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { newPayer } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())
const FULL = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`${'n'.repeat(38)}${10 + index}`, '\u{1f34d}"\\'.repeat(166)]),
)
const METADATA = { order: 'A-17', 10: 'ten', 9: 'nine', lines: 'one\ttwo\nthree', formula: '=1+1', empty: '' }

/** Charges a new number with this customer and metadata, and lets the charge end. */
async function pay(body: { customer?: object; metadata?: unknown }) {
  const api = service.client(shop.keys.test)
  const phone = newPayer()
  const key = { 'idempotency-key': `pay-${phone}` }
  const sent = { ...body, customer: { phone, ...body.customer } }
  const made = await api.charge(sent, key)
  assert.equal(made.status, 201, made.text)
  service.pass(3000)
  await service.run('follow-charges')
  await service.run('seal-events')
  return { api, phone, made, again: () => api.charge(sent, key) }
}

/** Every place where a program meets the charge. */
async function placesOf({ api, phone, made }: Awaited<ReturnType<typeof pay>>) {
  const { id } = made.body
  const events = (await api.get('/v1/events?limit=100')).body.data
  const found = events.find(({ envelope }: any) => envelope.data.id === id)
  return {
    made: made.body,
    read: (await api.get(`/v1/charges/${id}`)).body,
    listed: (await api.get(`/v1/charges?phone=${phone}`)).body.data[0],
    event: found.envelope.data,
  }
}

test('who pays and what the merchant keeps with a charge come back wherever it is shown', async () => {
  const paid = await pay({ customer: { name: 'Aisha \u{1f34d} "N"', email: 'a@b.ug' }, metadata: METADATA })
  const customer = { phone: paid.phone, name: 'Aisha \u{1f34d} "N"', email: 'a@b.ug' }
  const places = await placesOf(paid)
  for (const [place, shown] of Object.entries(places))
    assert.deepEqual([shown.customer, shown.metadata], [customer, METADATA], place)
  assert.deepEqual(Object.keys(places.event.customer), ['email', 'name', 'phone'])
  const again = await paid.again()
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [paid.made.text, 'true'])
  const { body: refunded } = await paid.api.post(`/v1/charges/${places.read.id}/refund`)
  assert.equal(refunded.error?.startsWith('insufficient'), true, 'refused for money alone')
})

test('what was not given is null, and metadata an empty object', async () => {
  for (const metadata of [undefined, null, {}]) {
    const paid = await pay({ metadata })
    for (const [place, shown] of Object.entries(await placesOf(paid)))
      assert.deepEqual([shown.customer, shown.metadata], [{ phone: paid.phone, name: null, email: null }, {}], place)
  }
  const stored = await service.rows('select 1 from charges where metadata is not null and metadata::text = $1', ['{}'])
  assert.equal(stored.length, 0)
})

test('the largest metadata is kept whole, and no member of it is called ignored', async () => {
  const paid = await pay({ metadata: FULL })
  for (const [place, shown] of Object.entries(await placesOf(paid))) assert.deepEqual(shown.metadata, FULL, place)
  assert.equal(paid.made.headers.get('ignored-parameters'), null)
})

test('another name or metadata under the same key is another request', async () => {
  const { api, phone } = await pay({ metadata: { order: 'A' } })
  const other = await api.charge(
    { customer: { phone }, metadata: { order: 'B' } },
    { 'idempotency-key': `pay-${phone}` },
  )
  assert.equal(other.status, 409, other.text)
})

test('the page of a charge shows both, safely, and its files have them as their last columns', async () => {
  const { made } = await pay({
    customer: { name: '=cmd()<b>' },
    metadata: { '<script>alert(1)</script>': '\u202egnol', order: 'Z-9' },
  })
  const owner = await signedInAs(service, shop)
  const page = await owner.get(`/dashboard/test/charges/${made.body.id}`)
  assert.match(mainOf(page), /=cmd\(\)/)
  assert.match(mainOf(page), /Metadata .*Z-9/)
  assert.doesNotMatch(page.text, /<script>alert|<b>/)
  const list = '/dashboard/test/charges'
  for (const [reader, name, metadata] of [
    ['programs', 'customer_name', 'metadata'],
    [undefined, 'Name', 'Metadata'],
  ] as const) {
    const file = await owner.send(await owner.get(list), `${list}/export`, reader ? { for: reader } : {})
    assert.deepEqual((parse(file.text, { bom: true })[0] as string[]).slice(-2), [name, metadata])
    const rows: Record<string, string>[] = parse(file.text, { bom: true, columns: true })
    const row = rows.find(({ [name]: payer }) => payer === "'=cmd()<b>")
    assert.deepEqual(JSON.parse(row?.[metadata] ?? ''), made.body.metadata)
    assert.ok(
      rows.some((other) => other[metadata] === '' && other[name] === ''),
      'a charge without them has empty cells',
    )
  }
})

test('forgetting a customer takes name, email and metadata off every charge of the number, and of no other', async () => {
  const said = { customer: { name: 'Okello', email: 'o@b.ug' }, metadata: { order: 'A' } }
  const [gone, kept] = [await pay(said), await pay(said)]
  const open = await gone.api.charge({ ...said, customer: { ...said.customer, phone: gone.phone } })
  const owner = await signedInAs(service, shop)
  const page = await owner.get(`/dashboard/test/customers/${gone.phone}`)
  assert.equal((await owner.send(page, '/forget')).status, 303)
  for (const id of [gone.made.body.id, open.body.id]) {
    const { body } = await gone.api.get(`/v1/charges/${id}`)
    assert.deepEqual([body.customer, body.metadata], [{ phone: gone.phone, name: null, email: null }, {}])
  }
  const { body: other } = await kept.api.get(`/v1/charges/${kept.made.body.id}`)
  assert.deepEqual([other.customer.name, other.metadata], ['Okello', { order: 'A' }])
  service.pass(3000)
  await service.run('follow-charges')
  await service.run('seal-events')
  const { body } = await gone.api.get('/v1/events?limit=100')
  const told = body.data.find(({ envelope }: any) => envelope.data.id === open.body.id)
  assert.deepEqual([told.envelope.data.customer.name, told.envelope.data.metadata], [null, {}])
})
