import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount } from '../../src/merchants/account/payout-freeze.ts'
import { buildSweeps } from '../../src/program/sweeps.ts'
import { payNew, richShop } from '../helpers/payments/payouts.ts'
import { payer, planned } from '../helpers/payments/schedules.ts'
import { monthNow, passMonth } from '../helpers/payments/statements.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { DAY, type LiveService, newPayer, startLiveService } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { inTurn } from '../helpers/service/parts.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const WRONG = [SECOND, MINUTE, DAY, 31 * DAY].flatMap((ms) => [ms, -ms])
// It writes what tells of alerts, and nothing about money.
const TELLS = ['raise-alerts']

const twins = [opened(() => startLiveService()), opened(() => startLiveService())] as const

async function runAll(service: LiveService): Promise<void> {
  for (const { name } of buildSweeps(service.app)) if (!TELLS.includes(name)) await service.run(name)
}

/** What a merchant has: an end for each kind of thing that comes with time. */
async function world(service: LiveService) {
  const shop = await richShop(service)
  const own = await payer(service, 100_000)
  const { rows, clock } = service
  const merchantOf = async (handle: string) =>
    (await rows<{ id: number }>('select id from merchants where handle = $1', [handle]))[0]?.id as number
  passMonth(service, 26 * HOUR)
  await runAll(service)
  const last = monthNow(service, -1)
  const closed = await own.api.get(`/v1/statements/${last}`)
  assert.equal(closed.body.complete, true)
  const charge = () => own.api.charge({ reference: 'once' }, { 'idempotency-key': 'once' })
  const first = await charge()
  const open = await shop.live.charge({ amount: 7000, customer: { phone: newPayer() } })
  const held = await shop.live.charge({ amount: 9000, customer: { phone: newPayer() } })
  const sent = await payNew(shop.live)
  assert.equal(sent.status, 201)
  service.operator.pays(held.body.id)
  service.pass(MINUTE)
  await runAll(service)
  await planned(own.api, { start_at: new Date(clock.nowMs() + 3 * DAY).toISOString() })
  const frozen = await merchantOf((await service.merchant({ verified: true })).handle)
  await freezeAccount(service.app, BY_HAND, {
    ...{ merchantId: frozen, reason: 'robbed', until: new Date(clock.nowMs() + 5 * DAY) },
  })

  async function lookWhileWrong(ms: number): Promise<void> {
    clock.beWrong(ms)
    await runAll(service)
    const repeated = await charge()
    assert.deepEqual([repeated.status, repeated.body.id], [201, first.body.id])
    assert.equal((await own.api.get(`/v1/statements/${last}`)).text, closed.text)
    const running = await own.api.get(`/v1/statements/${monthNow(service)}`)
    assert.equal(running.status, 200)
    clock.beWrong(0)
    const { body } = await own.api.get(`/v1/statements/${monthNow(service)}`)
    assert.deepEqual([body.complete, body.closing_balance], [false, await available(service, own.merchantId)])
  }

  async function goOn(): Promise<void> {
    service.operator.pays(open.body.id)
    service.operator.pays(sent.body.id)
    for (const ms of [MINUTE, HOUR, 2 * DAY, 2 * DAY, 3 * DAY]) {
      service.pass(ms)
      await runAll(service)
    }
  }
  return { own, last, lookWhileWrong, goOn }
}

const available = async (service: LiveService, merchantId: number) =>
  (
    await service.rows<{ available: number }>(
      `select (available + pending)::int as available from ledger_heads where merchant_id = $1 and mode = 'test'`,
      [merchantId],
    )
  )[0]?.available

/** Money, keys and what has ended, without ids and times, which differ between the two. */
const SHOWN = {
  heads: `select merchant_id, mode, available, pending, in_flight, seq, payouts_frozen_for, closed_until from ledger_heads order by 1, 2`,
  transfers: `select merchant_id, mode, kind, amount, count(*) from transfers group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  charges: `select merchant_id, mode, amount, status, settled_at is not null as settled, count(*) from charges group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
  payouts: `select merchant_id, mode, amount, status, kind, count(*) from payouts group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
  keys: `select merchant_id, mode, status, count(*) from idempotency_keys group by 1, 2, 3 order by 1, 2, 3`,
  schedules: `select merchant_id, status, last_run_at is not null as ran from schedules order by 1`,
  headers: `select merchant_id, mode, period from statement_headers order by 1, 2, 3`,
}

async function shown(service: LiveService): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const [name, sql] of Object.entries(SHOWN)) found[name] = await service.rows(sql)
  return found
}

test('F47: every sweep and statement by a wrong clock of either sign leaves what an undisturbed twin has', async () => {
  const [disturbed, undisturbed] = twins
  const one = await world(disturbed)
  const other = await world(undisturbed)
  assert.deepEqual(await shown(disturbed), await shown(undisturbed))
  for (const ms of inTurn(WRONG, 2, 2)) await one.lookWhileWrong(ms)
  assert.deepEqual(await shown(disturbed), await shown(undisturbed), 'nothing came of it')
  await one.goOn()
  await other.goOn()
  assert.deepEqual(await shown(disturbed), await shown(undisturbed), 'nor later')
  const figures = async ({ own, last }: Awaited<ReturnType<typeof world>>, service: LiveService) => {
    const texts: unknown[] = []
    for (const month of [last, monthNow(service)]) {
      const { body } = await own.api.get(`/v1/statements/${month}`)
      texts.push([body.complete, body.opening_balance, body.closing_balance, body.totals])
    }
    return texts
  }
  assert.deepEqual(await figures(one, disturbed), await figures(other, undisturbed))
  for (const service of twins) await service.verify()
})
