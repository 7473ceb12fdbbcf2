import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freezeAccount, freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { gate } from '../../helpers/database/gate.ts'
import { lookOnce, submitsOf } from '../../helpers/payments/following-payouts.ts'
import { attemptOf } from '../../helpers/payments/operator-heard.ts'
import { pay, payNew, payoutOf, queueBulk, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { eventually, type LiveService, newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { startService } from '../../helpers/service/test-service.ts'

// However long one merchant's queue is, it must not delay another merchant's payout.
const FUNDS = 500_000
const QUEUE = 100_000
const MERCHANTS = 600
// A merchant that only fills the tables has no keys of its own.
const KEYS = { public_key_test: 'public_key_test || n::text', public_key_live: 'public_key_live || n::text' }

/** Copies the row `where` this many times; `changed` sets columns with SQL over the number n. */
async function copy(
  service: LiveService,
  { table, where, times }: { table: string; where: string; times: number },
  changed: Record<string, string>,
): Promise<void> {
  const columns = await service.rows<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2`,
    [service.app.cell, table],
  )
  const names = columns.map(({ name }) => name)
  await service.rows(
    `insert into ${table} (${names}) select ${names.map((name) => changed[name] ?? name)}
     from ${table} cross join generate_series(1, ${times}) n where ${where}`,
  )
}

/** Copies this payout this many times, all due for an hour. */
async function multiply(service: LiveService, id: string, times: number): Promise<void> {
  const own = { id: 'id || n::text', rail_reference: 'rail_reference || n::text' }
  const due = {
    follow_at: "(follow_at at time zone 'UTC' - interval '1 hour') at time zone 'UTC'",
    item_index: 'case when item_index is not null then n end',
  }
  await copy(service, { table: 'payouts', where: `id = '${id}'`, times }, { ...own, ...due })
  const attempt = { id: 'id || n::text', subject: 'subject || n::text' }
  await copy(service, { table: 'rail_attempts', where: `subject = '${id}'`, times }, attempt)
  await service.rows('analyze payouts, rail_attempts')
}

const dueTimes = async (service: LiveService, shop: Shop) =>
  JSON.stringify(
    await service.rows(
      `select p.follow_at, count(*)::int from payouts p join merchants m on m.id = p.merchant_id
       where m.public_id = $1 group by p.follow_at order by p.follow_at`,
      [shop.merchant.id],
    ),
  )

async function merchantOf(service: LiveService, { merchant }: Shop): Promise<number> {
  const [row] = await service.rows<{ id: number }>('select id::float8 as id from merchants where public_id = $1', [
    merchant.id,
  ])
  return row?.id ?? 0
}

/** Ways to hold an account's payouts back, and to release them. */
const STOPS: Record<string, (service: LiveService, shop: Shop, stopped: boolean) => Promise<unknown>> = {
  'an operator has frozen': async (service, shop, stopped) =>
    freezeAccount(service.app, BY_HAND, {
      merchantId: await merchantOf(service, shop),
      reason: stopped ? 'a review' : null,
    }),
  'an open exception pauses': async (service, shop, stopped) =>
    service.rows(`update ledger_heads set payouts_paused_by = $2 where merchant_id = $1 and mode = 'live'`, [
      await merchantOf(service, shop),
      stopped ? 'exc_planted' : null,
    ]),
}

describe('queues side by side', { concurrency: 1 }, () => {
  for (const [how, stop] of Object.entries(STOPS))
    test(`S1: beside the long queue of an account that ${how} another account's payout leaves with the next run`, async () => {
      await withService(async (service) => {
        const paused = await richShop(service, FUNDS)
        const other = await richShop(service, FUNDS)
        const [queued = ''] = await queueBulk(paused)
        await stop(service, paused, true)
        await multiply(service, queued, how.includes('frozen') ? QUEUE : 2000)
        const before = await dueTimes(service, paused)
        const ids = await queueBulk(other, [newPayer(), newPayer(), newPayer()])
        const started = performance.now()
        await service.run('send-payouts')
        const tookMs = performance.now() - started
        for (const id of ids) assert.equal(await submitsOf(service, id), 1)
        assert.equal(await dueTimes(service, paused), before, 'what is held back is not even touched')
        // The issue says one second; machines that run tests are slower.
        assert.ok(tookMs < 5000, `one run took ${tookMs} ms`)
        await service.run('send-payouts')
        assert.equal(service.rail.submitted.filter(({ publicId }) => publicId.startsWith(queued)).length, 0)
        await stop(service, paused, false)
        await service.run('send-payouts')
        assert.equal(service.rail.submitted.filter(({ publicId }) => publicId.startsWith(queued)).length, 16)
      })
    })

  test('S1: under a freeze of the platform and a pause, payouts that may have been sent are asked about, and end', async () => {
    await withService(async (service) => {
      const shop = await richShop(service, FUNDS)
      const { body } = await payNew(shop.live)
      const [queued = ''] = await queueBulk(shop)
      await freezePlatform(service.gateway, BY_HAND, 'a review')
      await freezeAccount(service.app, BY_HAND, {
        merchantId: await merchantOf(service, shop),
        reason: 'a review',
      })
      service.operator.pays(body.id)
      await lookOnce(service, body.id)
      assert.equal((await payoutOf(shop.live, body.id)).status, 'succeeded')
      service.pass(3_600_000)
      await service.run('send-payouts')
      assert.equal(await submitsOf(service, queued), 0)
      await freezeAccount(service.app, BY_HAND, { merchantId: await merchantOf(service, shop), reason: null })
      await service.run('send-payouts')
      assert.equal(await submitsOf(service, queued), 0)
      await freezePlatform(service.gateway, BY_HAND, null)
      await service.run('send-payouts')
      assert.equal(await attemptOf(service, queued), 'accepted', 'it leaves as soon as nothing holds it')
      await service.verify()
    })
  })

  test('S1: a merchant whose payouts hang at the operator leaves places for others, in every lane', async () => {
    await withService(async (service) => {
      const busy = await richShop(service, 900_000)
      const other = await richShop(service, FUNDS)
      const held = gate()
      const phones = Array.from({ length: 80 }, () => newPayer())
      for (const phone of phones) service.operator.onSubmit({ answer: 'accept', until: held.opened }, phone)
      const hanging = await queueBulk(busy, phones)
      const asked = await Promise.all(Array.from({ length: 40 }, () => payNew(busy.live)))
      for (const { body } of asked)
        service.operator.onQuestion({ answer: 'pending', until: held.opened }, body.rail_reference)
      service.pass(6000)
      const worker = await startService({
        role: 'worker',
        database: service.database,
        clock: service.clock,
        liveRails: { op1_momo: service.rail },
      })
      try {
        const sent = () => service.rail.submitted.filter(({ publicId }) => hanging.includes(publicId)).length
        await eventually('its places are taken', () => sent() >= 16)
        const [id = ''] = await queueBulk(other)
        const { body } = await payNew(other.live)
        service.operator.pays(body.id)
        service.pass(7000)
        await eventually('the other one is sent', async () => (await submitsOf(service, id)) === 1)
        await eventually(
          'the other one is asked about',
          async () => (await payoutOf(other.live, body.id)).status === 'succeeded',
        )
        assert.equal(sent(), 16)
      } finally {
        held.open()
        await worker.close()
      }
    })
  })

  test("S1: beside 100,000 test payouts of one merchant, another merchant's payout ends with the next run", async () => {
    await withService(async (service) => {
      const [busy, other] = [await richShop(service, FUNDS), await richShop(service, FUNDS)]
      for (const { test: api } of [busy, other]) await api.charge({ amount: 20_000 })
      service.pass(2000)
      await service.run('follow-charges')
      const { body: first } = await pay(busy.test)
      await multiply(service, first.id, QUEUE)
      const { body } = await pay(other.test)
      service.pass(3000)
      await service.run('send-payouts')
      assert.equal((await payoutOf(other.test, body.id)).status, 'succeeded')
    })
  })

  test('S1: a run with six hundred merchants that have open payouts also sends those of the last one', async () => {
    await withService(async (service) => {
      const shop = await richShop(service, FUNDS)
      const [id = ''] = await queueBulk(shop)
      const times = MERCHANTS
      const name = (column: string) => ({ [column]: `${column} || n::text` })
      await copy(
        service,
        { table: 'merchants', where: 'true', times },
        { id: 'id + n', tag: `lpad(n::text, 5, '0')`, ...name('public_id'), ...name('handle'), ...KEYS },
      )
      const of = { merchant_id: 'merchant_id + n' }
      await copy(service, { table: 'ledger_heads', where: 'true', times }, of)
      const own = { ...of, ...name('id') }
      const where = `id = '${id}'`
      await copy(service, { table: 'payouts', where, times }, { ...own, ...name('rail_reference') })
      const about = `subject = '${id}'`
      await copy(service, { table: 'rail_attempts', where: about, times }, { ...own, ...name('subject') })
      await service.rows('analyze')
      const left = async () =>
        (await service.rows(`select 1 from rail_attempts where state in ('queued', 'not_sent')`)).length
      for (let run = 0; run < 60 && (await left()) > 0; run += 1) {
        await service.run('send-payouts')
        // Payouts that found no free connection on a busy machine are taken up again when their lease is over.
        if (run > 20) service.pass(31_000)
      }
      assert.equal(await left(), 0)
    })
  })
})

async function withService(work: (service: LiveService) => Promise<void>): Promise<void> {
  const service = await startPayingService()
  try {
    await work(service)
  } finally {
    await service.close()
  }
}
