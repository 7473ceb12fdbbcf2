import assert from 'node:assert/strict'
import test from 'node:test'
import { pino } from 'pino'
import { parseTagOfAnyPrefix } from '../../../src/platform/text/ids.ts'
import { closeDispute } from '../../../src/selling/disputes/close-dispute.ts'
import { DESCRIBED_EVENTS } from '../../../src/web/docs/events.ts'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { passUntil, succeed } from '../../helpers/payments/following-charges.ts'
import { openReportedCharges, REPORT } from '../../helpers/payments/reported-charges.ts'
import { addSubaccounts } from '../../helpers/payments/splits.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY, newPayer } from '../../helpers/service/live-service.ts'
import { answering, deliverAll } from '../../helpers/web/webhooks.ts'

const HOUR = 3_600_000
const { receiver, service, processes, shop, paid, disputesOf, dataOf } = openReportedCharges()
const countOf = async (merchantId: number) =>
  (await service.rows<{ n: number }>('select count(*)::int as n from disputes where merchant_id = $1', [merchantId]))[0]
    ?.n

test('a report opens a dispute whose event shows the current charge, in both modes, and moves no money', async () => {
  const { live, test: sandbox, report } = await shop()
  for (const api of [live, sandbox]) {
    const chargeId = await paid(api, { reference: 'order 7' })
    const postings = await transfersOf(service, chargeId)
    assert.equal(await report(chargeId), 'opened')
    const [row] = await disputesOf(chargeId)
    const data = await dataOf(row.id)
    const charge = (await api.get(`/v1/charges/${chargeId}`)).body
    const { rail_transaction_id: _, refund_id: _none, refunded_at: _not, ...shown } = charge
    assert.deepEqual(data, {
      ...shown,
      merchant_reference: 'order 7',
      charge_id: chargeId,
      dispute_id: row.id,
      reason: 'not_delivered',
      details: REPORT.details,
      contact: REPORT.contact,
      opened_at: row.opened_at.toISOString(),
      respond_by: new Date(row.opened_at.getTime() + 72 * HOUR).toISOString(),
    })
    assert.deepEqual(Object.keys(data), Object.keys(data).sort())
    const described = DESCRIBED_EVENTS.find(({ event }) => event === 'dispute.opened')?.data as any
    assert.deepEqual(Object.keys(described.properties).sort(), [...Object.keys(data), 'split'].sort())
    assert.match(row.id, /^dsp_[a-z0-9]{21}$/)
    assert.equal(parseTagOfAnyPrefix(row.id), parseTagOfAnyPrefix(chargeId), 'its id says whose it is')
    assert.deepEqual(await transfersOf(service, chargeId), postings)
    const [listed] = (await api.get('/v1/webhooks?event=dispute.opened')).body.data
    assert.equal(listed.status, 'pending')
  }
})

test('the event of a split charge shows its split, and that of a refunded one its status', async () => {
  const { test: api, report } = await shop()
  const [farm] = await addSubaccounts(api, 'Farm')
  const split = await paid(api, { amount: 90_000, split: [{ subaccount: farm, amount: 10_000 }] })
  assert.equal(await report(split), 'opened')
  const [ofSplit] = await disputesOf(split)
  const [charged] = (await eventsOf(service, split)).map(({ body }) => JSON.parse(body).data)
  assert.ok(charged.split, 'the charge told its split')
  assert.deepEqual((await dataOf(ofSplit.id)).split, charged.split)

  await paid(api, { amount: 50_000 })
  const refunded = await paid(api)
  const back = await api.post(`/v1/charges/${refunded}/refund`)
  assert.ok(back.status < 300, back.text)
  assert.equal(await report(refunded), 'opened')
  const [row] = await disputesOf(refunded)
  assert.equal((await dataOf(row.id)).status, 'refunded')
})

test('the event reaches the receiver with unusual characters intact', async () => {
  const { merchant, live, report } = await shop()
  receiver.behave(answering(200))
  await service.set(merchant, { webhookUrl: receiver.url })
  const chargeId = await paid(live)
  const details = `"quotes" \\ 'and' <script>\u2028 Ñandú 😀`
  await report(chargeId, { reason: 'other', details, contact: null })
  const before = receiver.received.length
  await deliverAll(service)
  const bodies = receiver.received.slice(before - 1).map(({ body }) => JSON.parse(String(body)))
  const told = bodies.find((body) => body.event === 'dispute.opened')
  assert.deepEqual([told?.data.details, told?.data.contact], [details, null])
})

test('while a dispute is open a second report is acknowledged and not stored; after it was closed another opens', async () => {
  const { live, merchantId, report } = await shop()
  const chargeId = await paid(live)
  assert.equal(await report(chargeId), 'opened')
  const before = await service.digest()
  assert.equal(await report(chargeId, { reason: 'other', details: null, contact: null }), 'acknowledged')
  assert.equal(await service.digest(), before)
  const [first] = await disputesOf(chargeId)
  await closeDispute(service.app, BY_HAND, { merchantId, id: first.id })
  assert.equal(await report(chargeId), 'opened')
  const [closed, second] = await disputesOf(chargeId)
  assert.deepEqual([closed.id, closed.reason, second.closed_at], [first.id, 'not_delivered', null])
})

test('a hundred reports of one payment at the same moment open one dispute with one event', async () => {
  const { live, report } = await shop()
  const chargeId = await paid(live)
  const fleet = processes(4)
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, at) => report(chargeId, REPORT, fleet[at % fleet.length])),
  )
  assert.equal(outcomes.filter((outcome) => outcome === 'opened').length, 1)
  const rows = await disputesOf(chargeId)
  assert.equal(rows.length, 1)
  await dataOf(rows[0].id)
})

test('a payment that never succeeded, or belongs to another merchant, is not found, and nothing is written', async () => {
  const { live, test: sandbox, report } = await shop()
  const stranger = await shop()
  const open = (await live.charge({ customer: { phone: newPayer() } })).body.id
  const failed = (await sandbox.charge({ customer: { phone: '0700000001' } })).body.id
  service.pass(2000)
  await service.run('follow-charges')
  const foreign = await paid(stranger.live)
  const before = await service.digest()
  for (const id of [open, failed, foreign, foreign.replace(/^txn_...../, open.slice(0, 9)), '', 'txn_', 'txn_\0', "'"])
    await assert.rejects(report(id), { status: 404, message: 'charge not found' }, JSON.stringify(id))
  assert.equal(await service.digest(), before)
  await succeed(service, open)
  assert.equal(await report(open), 'opened')
})

test('fifty a day are stored for each merchant, however fast and from wherever; the rest is acknowledged with one log line', async () => {
  const busy = await shop()
  const calm = await shop()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const app = { ...service.app, log }
  const charges: string[] = []
  for (let made = 0; made < 60; made += 1)
    charges.push((await busy.test.charge({ customer: { phone: newPayer() } })).body.id)
  service.pass(2000)
  await service.run('follow-charges')
  const started = service.clock.now()
  for (const id of charges.slice(0, 40)) assert.equal(await busy.report(id, REPORT, app), 'opened')
  const fleet = processes(4)
  const outcomes = await Promise.all(
    charges.slice(40).map((id, at) => busy.report(id, REPORT, fleet[at % fleet.length])),
  )
  assert.equal(outcomes.filter((outcome) => outcome === 'opened').length, 10)
  assert.equal(await countOf(busy.merchantId), 50)
  const left = charges[outcomes.indexOf('acknowledged') + 40] as string
  assert.equal(lines.length, 0)
  for (let times = 0; times < 3; times += 1) assert.equal(await busy.report(left, REPORT, app), 'acknowledged')
  assert.equal(lines.length, 1, lines.join(''))
  assert.ok(!lines.join('').includes('Nothing came'), 'what customers write is in no log')
  await assert.rejects(busy.report('txn_nobody0000000000000000'), { status: 404 }, 'no more is said than before')
  assert.equal(await calm.report(await paid(calm.live)), 'opened')

  passUntil(service, new Date(started.getTime() + DAY - 60_000))
  assert.equal(await busy.report(left, REPORT, app), 'acknowledged')
  passUntil(service, new Date(service.clock.nowMs() + 120_000))
  assert.equal(await busy.report(left, REPORT, app), 'opened')
  assert.equal(lines.length, 1)
})

test('a closed dispute never changes, and no dispute can be deleted', async () => {
  const { live, merchantId, report } = await shop()
  const chargeId = await paid(live)
  await report(chargeId)
  const [{ id }] = await disputesOf(chargeId)
  await assert.rejects(service.rows('delete from disputes where id = $1', [id]), {
    message: /disputes(_\d+)? is append-only: delete is refused/,
  })
  const first = await closeDispute(service.app, BY_HAND, { merchantId, id })
  service.pass(HOUR)
  const again = await closeDispute(service.app, BY_HAND, { merchantId, id })
  assert.deepEqual([first.closed, again.closed], [true, false])
  assert.deepEqual(again.dispute, first.dispute)
  await assert.rejects(service.rows(`update disputes set details = 'x' where id = $1`, [id]), {
    message: /disputes(_\d+)? is append-only: update is refused/,
  })
  await assert.rejects(closeDispute(service.app, BY_HAND, { merchantId: merchantId + 1, id }), {
    status: 404,
    message: 'dispute not found',
  })
})

test('two people who close one dispute at the same moment: only one of them did it', async () => {
  const { live, merchantId, report } = await shop()
  const chargeId = await paid(live)
  await report(chargeId)
  const [{ id }] = await disputesOf(chargeId)
  const ends = await Promise.all(
    Array.from({ length: 6 }, () => closeDispute(service.app, BY_HAND, { merchantId, id })),
  )
  assert.equal(ends.filter(({ closed }) => closed).length, 1)
  assert.equal(new Set(ends.map(({ dispute }) => dispute.closedAt?.getTime())).size, 1)
})
