import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeServiceDays } from '../../../src/operations/overview/service-days.ts'
import { kampalaDay } from '../../../src/platform/time/kampala.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { DAY, newPayer, type Shop, startBeside, startLiveService } from '../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { CHARGE } from '../../helpers/service/test-service.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'

const receiver = opened(() => startReceiver())
const service = openedAndVerified(() => startLiveService({ env: { WEBHOOK_ALLOW_PRIVATE: receiver.place } }))
const shop: Shop = made(async () => {
  const one = await service.shop()
  await service.set(one.merchant, { webhookUrl: receiver.url })
  await settled()
  return one
})
/** Until the address counts as one that was there all the time. */
async function settled(): Promise<void> {
  service.pass(301_000)
  await service.run('tend-addresses')
}

type Row = { day: string; kind: string; channel: string; good: number; counted: number }
/** What is stored once all is written, of this kind. */
async function stored(kind: string): Promise<Row[]> {
  await writeServiceDays(service.gateway)
  const rows = await service.rows<Row>(
    'select day::text as day, kind, channel, good::int as good, counted::int as counted from service_days where kind = $1 order by day',
    [kind],
  )
  return rows
}
const today = () => kampalaDay(service.clock.now())
const get = async (path: string) => {
  const response = await fetch(`${service.url}${path}`)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const measureOf = async (kind: string) =>
  JSON.parse((await get('/status.json')).text).measures.find((measure: { kind: string }) => measure.kind === kind)
const readAgain = () => service.pass(61_000)

/** A live charge, decided by its operator. */
async function decided(decide: (id: string) => void): Promise<void> {
  const { body } = await shop.live.charge({ ...CHARGE, customer: { phone: newPayer() } })
  decide(body.id)
  service.pass(5000)
  await service.run('follow-charges')
}

test('answers are counted for live keys alone: a fault of ours is none that is good, a refusal is', async () => {
  await shop.live.get('/v1/balance')
  await shop.live.get('/v1/charges/txn_0000000000000000')
  await shop.test.get('/v1/balance')
  await service.client(`${shop.merchant.keys.live}x`).get('/v1/balance')
  await fetch(`${service.url}/docs`)
  assert.deepEqual(await stored('answers'), [{ day: today(), kind: 'answers', channel: '', good: 2, counted: 2 }])
  await service.rows('alter table ledger_heads rename to ledger_heads_away')
  await shop.live.get('/v1/balance')
  await service.rows('alter table ledger_heads_away rename to ledger_heads')
  assert.deepEqual(await stored('answers'), [{ day: today(), kind: 'answers', channel: '', good: 2, counted: 3 }])
  assert.deepEqual(await stored('answers'), [{ day: today(), kind: 'answers', channel: '', good: 2, counted: 3 }])
})

test('prompts are counted when they end: yes and no are answers, a time-out is none', async () => {
  await decided(service.operator.pays)
  await decided((id) => service.operator.refuses(id, 'APPROVAL_REJECTED'))
  await decided((id) => service.operator.refuses(id, 'EXPIRED'))
  await shop.test.charge()
  service.pass(5000)
  await service.run('follow-charges')
  assert.deepEqual(await stored('prompts'), [
    { day: today(), kind: 'prompts', channel: 'op1_momo', good: 2, counted: 3 },
  ])
})

test('a webhook is on time when its first attempt began within ten seconds; receivers that do not answer do not count', async () => {
  await deliverAll(service)
  const [{ good, counted } = { good: 0, counted: 0 }] = await stored('webhooks')
  assert.equal(counted, 3, 'live ones alone')
  await decided(service.operator.pays)
  service.pass(20_000)
  await deliverAll(service)
  const [late] = await stored('webhooks')
  assert.deepEqual([late?.good, late?.counted], [good, counted + 1])
})

test('what has waited for an address of its merchant is not late, and not counted', async () => {
  const before = await stored('webhooks')
  await service.set(shop.merchant, { webhookUrl: null })
  await decided(service.operator.pays)
  service.pass(60_000)
  await service.set(shop.merchant, { webhookUrl: receiver.url })
  assert.ok((await deliverAll(service)) > 0)
  assert.deepEqual(await stored('webhooks'), before)
  await settled()
  await decided(service.operator.pays)
  await deliverAll(service)
  assert.equal((await stored('webhooks'))[0]?.counted, (before[0]?.counted ?? 0) + 1)
})

test('two processes add to the same rows, and one that stops writes what it has', async () => {
  const before = await stored('answers')
  const beside = await startBeside(service)
  await beside.client(shop.merchant.keys.live).get('/v1/balance')
  await shop.live.get('/v1/balance')
  await beside.close()
  const after = await stored('answers')
  assert.equal(after[0]?.counted, (before[0]?.counted ?? 0) + 2)
})

test('the page shows shares, "few" for a day with few and "no data" for a day on which nothing ran', async () => {
  await service.rows('delete from service_days')
  for (let nth = 0; nth < 20; nth += 1) await shop.live.get('/v1/balance')
  await stored('answers')
  const measured = today()
  service.pass(2 * DAY)
  await shop.live.get('/v1/balance')
  await stored('answers')
  readAgain()
  const measure = await measureOf('answers')
  assert.equal(measure.percent, 100)
  assert.equal(measure.days.length, 90)
  assert.deepEqual(measure.days.slice(-4), [
    { day: kampalaDay(new Date(service.clock.nowMs() - 3 * DAY)), state: 'no_data' },
    { day: measured, state: 'measured', percent: 100 },
    { day: kampalaDay(new Date(service.clock.nowMs() - DAY)), state: 'no_data' },
    { day: today(), state: 'few' },
  ])
  const page = await get('/status')
  assert.match(page.text, new RegExp(`<i class="good" title="${measured}: 100 %"`))
  assert.match(page.text, new RegExp(`<i class="few" title="${today()}: few"`))
  assert.match(page.text, /1 days? measured, 1 with few, 88 without data/)
  assert.ok(page.text.length < 60_000)
  assert.ok(!page.text.includes(shop.merchant.id) && !page.text.includes('Shop'))
})

test('however many ask, the figures are read once a minute, and shown with their time while the database is away', async () => {
  readAgain()
  const first = await get('/status')
  assert.equal(first.headers.get('cache-control'), 'public, max-age=60')
  await service.rows('alter table service_days rename to service_days_away')
  assert.equal((await get('/status')).text, first.text, 'not read again')
  readAgain()
  assert.equal((await get('/status')).text, first.text, 'nor readable')
  await service.rows('alter table service_days_away rename to service_days')
  readAgain()
  assert.notEqual((await get('/status')).text, first.text)
})

test('counts that could not be written are written later, and days before the last 90 are forgotten', async () => {
  const [before] = (await stored('answers')).slice(-1)
  await service.rows('alter table service_days rename to service_days_away')
  await shop.live.get('/v1/balance')
  await assert.rejects(writeServiceDays(service.gateway))
  await service.rows('alter table service_days_away rename to service_days')
  const [after] = (await stored('answers')).slice(-1)
  assert.equal(after?.counted, (before?.counted ?? 0) + 1)
  service.pass(89 * DAY)
  await service.run('prune')
  assert.deepEqual(
    (await stored('answers')).map(({ day }) => day),
    [after?.day],
  )
  service.pass(DAY)
  await service.run('prune')
  assert.deepEqual(await stored('answers'), [])
})
