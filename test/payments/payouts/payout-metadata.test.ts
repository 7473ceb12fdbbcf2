import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { PAYOUT, pay } from '../../helpers/payments/payouts.ts'
import { payer, planned, scheduleOf } from '../../helpers/payments/schedules.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))
const shop = made(() => payer(service, 1_000_000))
const METADATA = { order: 'A-17', 10: 'ten', 9: 'nine', text: 'a\n"b"', formula: '=1+1' }

/** Lets what is under way end, and returns the data of the event about this payout. */
async function eventOf(id: string) {
  service.pass(3000)
  await service.run('send-payouts')
  service.pass(3000)
  await service.run('send-payouts')
  await service.run('seal-events')
  const { body } = await shop.api.get('/v1/events?limit=100')
  return body.data.find(({ envelope }: any) => envelope.data.id === id).envelope.data
}

test('metadata of a payout comes back wherever it is shown, and is an empty object where there is none', async () => {
  const { api } = shop
  for (const [metadata, shown] of [
    [METADATA, METADATA],
    [{}, {}],
    [null, {}],
  ]) {
    const { status, body } = await pay(api, { metadata })
    assert.equal(status, 201, JSON.stringify(body))
    const event = await eventOf(body.id)
    const listed = (await api.get('/v1/payouts')).body.data.find(({ id }: any) => id === body.id)
    const read = (await api.get(`/v1/payouts/${body.id}`)).body
    for (const place of [body, read, listed, event]) assert.deepEqual(place.metadata, shown)
  }
})

test('the page of a payout shows it, and its files have it as their last column', async () => {
  const { body } = await pay(shop.api, { metadata: { '<b>clerk</b>': 'Okello', order: 'Z-9' } })
  const owner = await signedInAs(service, shop.merchant)
  const page = await owner.get(`/dashboard/test/payouts/${body.id}`)
  assert.match(mainOf(page), /Metadata .*Okello/)
  assert.doesNotMatch(page.text, /<b>clerk/)
  const list = '/dashboard/test/payouts'
  for (const [fields, name] of [
    [{ for: 'programs' }, 'metadata'],
    [{}, 'Metadata'],
  ] as const) {
    const file = await owner.send(await owner.get(list), `${list}/export`, fields)
    const lines: string[][] = parse(file.text, { bom: true })
    assert.equal(lines[0]?.at(-1), name)
    const line = lines.find((cells) => cells.includes(body.id))
    assert.deepEqual(JSON.parse(line?.at(-1) ?? ''), body.metadata)
  }
})

test('items of a bulk call each have their own, on their payouts and in the result, paid or not', async () => {
  const { api } = shop
  const items = [
    { amount: 5000, phone: '0700000000', metadata: METADATA },
    { amount: 5000, phone: '0700000000' },
    { amount: 0, phone: '0700000000', metadata: { order: 'zero' } },
    { amount: 5000, phone: '0700000000', metadata: { order: 5 } },
  ]
  const key = { 'idempotency-key': 'bulk with metadata' }
  const first = await api.post('/v1/payouts/bulk', { payouts: items }, key)
  assert.deepEqual(
    first.body.results.map(({ ok, metadata, error }: any) => [ok, metadata, error]),
    [
      [true, METADATA, undefined],
      [true, {}, undefined],
      [false, { order: 'zero' }, 'amount must be positive'],
      [false, {}, 'invalid item: metadata.order must be a string; write it in quotes: "5"'],
    ],
  )
  const again = await api.post('/v1/payouts/bulk', { payouts: items }, key)
  assert.deepEqual(again.body.results[0].metadata, METADATA)
  const [paid, plain] = first.body.results
  assert.deepEqual((await eventOf(paid.id)).metadata, METADATA)
  assert.deepEqual((await api.get(`/v1/payouts/${plain.id}`)).body.metadata, {})
})

test('a schedule gives its metadata to each payout that it makes', async () => {
  const { api } = shop
  const schedule = await planned(api, {
    metadata: METADATA,
    recipients: [{ phone: '0700000000' }, { phone: '0700000003' }],
  })
  assert.deepEqual(schedule.metadata, METADATA)
  assert.deepEqual((await planned(api)).metadata, {})
  assert.deepEqual((await scheduleOf(api, schedule.id)).metadata, METADATA)
  await service.run('run-schedules')
  const { body } = await api.get(`/v1/payouts?schedule=${schedule.id}`)
  assert.deepEqual(
    body.data.map(({ metadata }: any) => metadata),
    [METADATA, METADATA],
  )
  assert.deepEqual((await eventOf(body.data[0].id)).metadata, METADATA)
  const owner = await signedInAs(service, shop.merchant)
  assert.match(mainOf(await owner.get(`/dashboard/test/payroll/${schedule.id}`)), /Metadata .*A-17/)
})

test('metadata does not decide whether a reference was paid before', async () => {
  const item = { ...PAYOUT, reference: 'paid once' }
  const send = (metadata: object) => shop.api.post('/v1/payouts/bulk', { payouts: [{ ...item, metadata }] })
  const [first, second] = [await send({ order: 'A' }), await send({ order: 'B' })]
  const [result] = second.body.results
  assert.deepEqual([result.id, result.replayed], [first.body.results[0].id, true])
  assert.deepEqual((await shop.api.get(`/v1/payouts/${result.id}`)).body.metadata, { order: 'A' })
})
