import assert from 'node:assert/strict'
import test from 'node:test'
import type { SubmitHow } from '../../../fakes/operator.ts'
import { gate } from '../../../helpers/database/gate.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { settle } from '../../../helpers/payments/following-payouts.ts'
import { COST, postingsOf, RETURNED } from '../../../helpers/payments/payout-money.ts'
import { pay, queueBulk, richShop } from '../../../helpers/payments/payouts.ts'
import { eventually, newPayer } from '../../../helpers/service/live-service.ts'
import { made, opened } from '../../../helpers/service/opened.ts'
import { evidenceOf, holdHead, startWiredServices, whileCut } from '../../../helpers/service/wired-service.ts'

// Until the operator's answer about a payout is stored, only one process knows it.
const world = opened(() => startWiredServices({ LIVE_HOLD_HOURS: '0', RATE_LIMIT_PAYOUTS: '0' }))
/** Behind a wire that can be cut. */
const service = made(() => world.service)
/** Another process, connected to the database directly. */
const worker = made(() => world.worker)

const FUNDS = 500_000

type Shop = Awaited<ReturnType<typeof richShop>>
type Asked = {
  id: string
  merchantId: number
  reference: string
  answers: ReturnType<typeof gate>
  told: Promise<unknown>
}

/** A payout that the operator was asked for and does not answer until `answers` is opened. */
async function asked(shop: Shop, how: SubmitHow, kind: 'single' | 'queued'): Promise<Asked> {
  const phone = newPayer()
  const answers = gate()
  service.operator.onSubmit({ ...how, until: answers.opened }, phone)
  const before = service.operator.submits()
  if (kind === 'queued') await queueBulk(shop, [phone])
  const told = kind === 'queued' ? service.run('send-payouts') : pay(shop.live, { recipient: { phone } })
  await eventually('the operator is asked', () => service.operator.submits() > before)
  const found = await worker.rows<{ id: string; merchantId: number; reference: string }>(
    'select id, merchant_id as "merchantId", rail_reference as reference from payouts where recipient_phone = $1',
    [phone],
  )
  const [row] = found
  assert.ok(row, 'the payout is stored')
  return { ...row, answers, told }
}

const statusOf = async (id: string) =>
  (await worker.rows('select status, failure_reason from payouts where id = $1', [id]))[0]

const FAILED = { status: 'failed', failure_reason: 'wallet_locked' }

for (const kind of ['single', 'queued'] as const)
  test(`M2: the refusal of a ${kind} payout is applied by another process when its own has lost the database, without asking again`, async () => {
    const shop = await richShop(service, FUNDS)
    const { id, merchantId, reference, answers, told } = await asked(
      shop,
      { answer: 'refuse', code: 'PAYEE_LOCKED' },
      kind,
    )
    const letGo = await holdHead(world, merchantId)
    answers.open()
    await eventually('the refusal is stored', async () => (await evidenceOf(worker, id)).length === 1)
    await whileCut(world, async () => {
      await letGo()
      service.pass(31_000)
      await worker.run('send-payouts')
      await eventually('the payout has failed', async () => (await statusOf(id))?.status === 'failed')
      assert.deepEqual(await statusOf(id), FAILED)
      const asking = service.operator.journal.filter(({ what }) => what === 'question')
      assert.ok(!asking.some((one) => one.reference === reference))
      assert.deepEqual(await postingsOf(worker, id), RETURNED)
      assert.equal((await eventsOf(worker, id)).length, 1)
    })
    await told.catch(() => {})
    await eventually('its own process finds it done', async () => (await evidenceOf(worker, id)).length === 1)
    assert.deepEqual(await worker.rows('select 1 from exceptions where subject = $1', [id]), [])
  })

for (const where of ['before the server hears of it', 'before its answer'] as const) {
  for (const which of [1, 2])
    test(`M2: a refusal is applied once although COMMIT ${which} was lost ${where}`, async () => {
      const shop = await richShop(service, FUNDS)
      const { id, answers, told } = await asked(shop, { answer: 'refuse', code: 'PAYEE_LOCKED' }, 'single')
      world.wired.proxy.cutNextCommit(where, which - 1)
      answers.open()
      const { status, body } = (await told) as Awaited<ReturnType<typeof pay>>
      assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', null])
      await eventually('the refusal is applied', async () => (await statusOf(id))?.status === 'failed')
      assert.deepEqual(await statusOf(id), FAILED)
      assert.equal((await evidenceOf(worker, id)).length, 1)
      assert.equal((await eventsOf(worker, id)).length, 1)
      assert.deepEqual(await balanceOf(shop.live), { available: FUNDS, pending: 0 })
    })

  test(`M2: an acceptance is recorded once although the COMMIT was lost ${where}`, async () => {
    const shop = await richShop(service, FUNDS)
    const { id, answers, told } = await asked(shop, { answer: 'accept' }, 'single')
    world.wired.proxy.cutNextCommit(where)
    answers.open()
    const { status, body } = (await told) as Awaited<ReturnType<typeof pay>>
    assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', null])
    assert.deepEqual(await evidenceOf(worker, id), [{ answer: 'accepted' }])
    await settle(service, id)
    assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - COST, pending: 0 })
  })
}
