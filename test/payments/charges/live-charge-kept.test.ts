import assert from 'node:assert/strict'
import type { SubmitHow } from '../../fakes/operator.ts'
import { gate } from '../../helpers/database/gate.ts'
import { eventsOf } from '../../helpers/database/money-rows.ts'
import { eventually, newPayer } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { evidenceOf, holdHead, startWiredServices, whileCut } from '../../helpers/service/wired-service.ts'
import { type PayShop, payShop } from '../../helpers/web/checkout-shop.ts'
import { chargeOn, chargesOn } from '../../helpers/web/page-charges.ts'
import { applyCode, pay, visitor } from '../../helpers/web/paying-on-pages.ts'

// Until the operator's answer is stored only one process knows it, whatever the database does meanwhile.
const world = opened(() => startWiredServices())
/** Behind a wire that can be cut. */
const service = made(() => world.service)
/** Another process, connected to the database directly. */
const worker = made(() => world.worker)

const rows = async (sql: string, values: unknown[]) => (await world.beside.query(sql, values)).rows
const rollbacks = async (): Promise<number> =>
  (
    await worker.rows<{ n: number }>(
      'select xact_rollback::int as n from pg_stat_database where datname = current_database()',
    )
  )[0]?.n ?? 0
const chargeBy = async (phone: string) =>
  (await rows('select id, status, failure_reason, voided_at from charges where phone = $1', [phone]))[0]
const isRefused = async (phone: string) => (await chargeBy(phone))?.status === 'failed'

/** A request that the operator has received but not answered until `answers` is opened. */
async function asked(shop: PayShop, how: SubmitHow) {
  const phone = newPayer()
  const answers = gate()
  const key = { 'idempotency-key': `kept ${phone}` }
  service.operator.onSubmit({ ...how, until: answers.opened }, phone)
  const before = service.operator.submits()
  const told = shop.live.charge({ customer: { phone } }, key)
  await eventually('the operator is asked', () => service.operator.submits() > before)
  return { phone, key, told, answers }
}

test('M2: charges refused while a head was locked end when it is free again, even those whose batch gave up', async () => {
  const shop = await payShop(service)
  const requests = []
  for (let nth = 0; nth < 3; nth += 1) requests.push(await asked(shop, { answer: 'refuse', code: 'EXPIRED' }))
  const letGo = await holdHead(world, shop.row.id)
  const before = await rollbacks()
  for (const { answers } of requests) answers.open()
  const told = await Promise.all(requests.map((request) => request.told))
  // First one alone, then the others together, then one of those alone: three tries each, after which the last gets a 503.
  await eventually('every one was given up once', async () => (await rollbacks()) >= before + 10)
  await letGo()
  for (const [nth, { phone }] of requests.entries()) {
    await eventually('the refusal is applied', () => isRefused(phone))
    assert.deepEqual([told[nth]?.status, told[nth]?.body.status], [201, 'authorized'], told[nth]?.text)
    const { id, failure_reason } = await chargeBy(phone)
    assert.equal(failure_reason, 'timeout')
    assert.equal((await eventsOf(worker, id)).length, 1)
    assert.equal((await evidenceOf(worker, id)).length, 1)
  }
})

longTest('M2: a refusal under a locked head frees the link and the gift card of the page', async () => {
  const shop = await payShop(service)
  const id = await shop.link()
  const card = await shop.card(2000)
  const phone = newPayer()
  const answers = gate()
  service.operator.onSubmit({ answer: 'refuse', code: 'NOT_ENOUGH_FUNDS', until: answers.opened }, phone)
  const browser = visitor(service)
  const form = await applyCode(browser, id, card.code)
  const sent = browser.send(form, '/submit', { phone })
  await eventually('the charge is stored', async () => (await chargeBy(phone)) !== undefined)
  const letGo = await holdHead(world, shop.row.id)
  answers.open()
  await sent
  await letGo()
  await eventually('the refusal is applied', () => isRefused(phone))
  const charge = await chargeOn(service, id)
  const uses = 'select state from gift_card_uses where charge_id = $1'
  assert.deepEqual(await rows(uses, [charge.id]), [{ state: 'freed' }])
  await pay(visitor(service), id)
  assert.equal((await chargesOn(service, id)).length, 2, 'somebody else can pay')
})

longTest('M2: a refusal that meets a closed month is applied in the next one', async () => {
  const shop = await payShop(service)
  const { phone, told, answers } = await asked(shop, { answer: 'refuse', code: 'EXPIRED' })
  const until = new Date(service.clock.nowMs() + 3_600_000).toISOString()
  await rows(`update ledger_heads set closed_until = $2 where merchant_id = $1 and mode = 'live'`, [shop.row.id, until])
  answers.open()
  assert.equal((await told).status, 201)
  service.pass(3_600_001)
  await eventually('the refusal is applied', () => isRefused(phone))
})

for (const where of ['before the server hears of it', 'before its answer'] as const) {
  longTest(`M2: a refusal is applied once although a COMMIT was lost ${where}`, async () => {
    const shop = await payShop(service)
    const { phone, told, answers } = await asked(shop, { answer: 'refuse', code: 'EXPIRED' })
    world.wired.proxy.cutNextCommit(where)
    answers.open()
    const { status, body } = await told
    assert.deepEqual([status, body.status], [201, 'authorized'])
    await eventually('the refusal is applied', () => isRefused(phone))
    assert.equal((await eventsOf(worker, body.id)).length, 1)
    assert.equal((await evidenceOf(worker, body.id)).length, 1)
  })

  for (const which of [1, 2])
    longTest(
      `M2, M6: a charge that the operator did not take is a 502 and gone although COMMIT ${which} was lost ${where}`,
      async () => {
        const shop = await payShop(service)
        const { phone, key, told, answers } = await asked(shop, { answer: 'refuse to serve' })
        world.wired.proxy.cutNextCommit(where, which - 1)
        answers.open()
        const { status, body } = await told
        assert.deepEqual([status, body.code], [502, 'rail_unavailable'])
        assert.notEqual((await chargeBy(phone))?.voided_at, null)
        assert.deepEqual((await shop.live.get('/v1/charges')).body.data, [])
        service.operator.onSubmit({ answer: 'accept' }, phone)
        const anew = await shop.live.charge({ customer: { phone } }, key)
        assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null])
      },
    )

  longTest(
    `M2: a charge that the operator took is answered as taken although the COMMIT was lost ${where}`,
    async () => {
      const shop = await payShop(service)
      const { key, phone, told, answers } = await asked(shop, { answer: 'accept' })
      world.wired.proxy.cutNextCommit(where)
      answers.open()
      const { status, body, text } = await told
      assert.deepEqual([status, body.status], [201, 'authorized'])
      assert.equal((await shop.live.charge({ customer: { phone } }, key)).text, text)
      const attempts = await rows('select state from rail_attempts where subject = $1', [body.id])
      assert.deepEqual(attempts, [{ state: 'accepted' }])
      assert.equal((await evidenceOf(worker, body.id)).length, 1)
    },
  )
}

longTest(
  'M2: when its process has lost the database for good, another one applies the stored refusal and asks nobody',
  async () => {
    const shop = await payShop(service)
    const { phone, told, answers } = await asked(shop, { answer: 'refuse', code: 'NOT_ENOUGH_FUNDS' })
    const letGo = await holdHead(world, shop.row.id)
    answers.open()
    const { id } = await chargeBy(phone)
    // Read outside the transaction that holds the head.
    await eventually('the answer is stored', async () => (await evidenceOf(worker, id)).length === 1)
    await whileCut(world, async () => {
      await letGo()
      service.pass(31_000)
      await worker.run('follow-charges')
      const [row] = await worker.rows('select status, failure_reason, rail_reference from charges where id = $1', [id])
      assert.deepEqual([row?.status, row?.failure_reason], ['failed', 'insufficient_funds'])
      const asking = service.operator.journal.filter(({ what }) => what === 'question')
      assert.ok(!asking.some(({ reference }) => reference === row?.rail_reference))
      assert.equal((await eventsOf(worker, id)).length, 1)
    })
    await told.catch(() => {})
  },
)
