import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { endLost } from '../../src/operations/reconciliation/end-lost.ts'
import { reconcileNow } from '../../src/operations/reconciliation/reconcile.ts'
import { importStatement } from '../../src/operations/reconciliation/statements/import-statement.ts'
import { fromPath } from '../../src/operations/reconciliation/statements/statement-file.ts'
import { balanceOf } from '../helpers/database/money-rows.ts'
import { postingsOf, RETURNED } from '../helpers/payments/payout-money.ts'
import { pay, payoutOf, queueBulk, richShop } from '../helpers/payments/payouts.ts'
import { refusalOf, topUpShop } from '../helpers/payments/top-ups.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { FIRST_INSTALLATION } from '../helpers/service/http-rail.ts'
import { eventually, newPayer } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import type { Client, Reply } from '../helpers/service/test-service.ts'
import { startWiredServices } from '../helpers/service/wired-service.ts'

// A process stands still between the commit that marks a post as sending and the post: the answer to that commit comes late.
// What was decided meanwhile relies on nothing leaving any more.
const FUNDS = 500_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const COMMIT = /commit\0/i

const services = opened(() => startWiredServices({ LIVE_HOLD_HOURS: '0', RATE_LIMIT_PAYOUTS: '0' }))
const submitted = (phone: string) => services.service.rail.submitted.filter((attempt) => attempt.phone === phone).length

/** Begins something whose next commit is answered only when the process goes on. */
async function standingStill<T>(begin: () => Promise<T>, asked = COMMIT) {
  const held = services.wired.proxy.holdNextAnswer(asked)
  const ended = begin()
  await eventually('it is marked', () => held.held())
  return {
    goOn: () => {
      held.letThrough()
      return ended
    },
  }
}

test('a lost charge that is marked to be posted again is not posted when the process goes on an hour later', async () => {
  const { service, worker } = services
  const { live } = await service.shop()
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'error', takes: false }, phone)
  const { body } = await live.charge({ customer: { phone } })
  service.operator.onSubmit({ answer: 'accept' }, phone)
  const look = async () => {
    service.pass(8000)
    await service.run('follow-charges')
  }
  await look()
  const still = await standingStill(look, /ask about live charge again/)
  service.pass(HOUR)
  await still.goOn()
  assert.equal(submitted(phone), 1)
  await worker.run('follow-charges')
  assert.equal((await live.get(`/v1/charges/${body.id}`)).body.status, 'authorized')
})

const STARTS: [what: string, refused: number, (client: Client, phone: string, key: string) => Promise<Reply>][] = [
  ['charge', 502, (client, phone, key) => client.charge({ customer: { phone } }, { 'idempotency-key': key })],
  ['payout', 503, (client, phone, key) => pay(client, { recipient: { phone } }, { 'idempotency-key': key })],
]
for (const [what, refused, start] of STARTS)
  test(`a ${what} whose process stands still for an hour before its post is not sent, and its key is free`, async () => {
    const { service } = services
    const { live } = await richShop(service, FUNDS)
    const phone = newPayer()
    const still = await standingStill(() => start(live, phone, `${what} stood still`))
    service.pass(HOUR)
    assert.equal((await still.goOn()).status, refused)
    assert.equal(submitted(phone), 0)
    assert.deepEqual(await balanceOf(live), { available: FUNDS, pending: 0 })
    assert.equal((await start(live, phone, `${what} stood still`)).status, 201)
    assert.equal(submitted(phone), 1)
  })

test('a charge that another process has shown meanwhile fails, and its customer is not asked an hour later', async () => {
  const { service, worker } = services
  const { live } = await service.shop()
  const phone = newPayer()
  const still = await standingStill(() => live.charge({ customer: { phone } }, { 'idempotency-key': 'shown' }))
  service.pass(31_000)
  await worker.run('follow-charges')
  service.pass(HOUR)
  const { status, body } = await still.goOn()
  assert.equal(status, 201)
  const shown = (await live.get(`/v1/charges/${body.id}`)).body
  assert.deepEqual([shown.status, shown.failure_reason, submitted(phone)], ['failed', 'rail_rejected', 0])
})

test('a top-up whose process stands still before its post is not asked for', async () => {
  const { service } = services
  const { ask, phone, listed } = await topUpShop(service)
  const still = await standingStill(() => refusalOf(ask()))
  service.pass(HOUR)
  assert.equal((await still.goOn()).status, 502)
  assert.deepEqual([submitted(phone), await listed()], [0, []])
})

const PAYOUTS: [what: string, asked: RegExp, (client: Client, phone: string) => Promise<unknown>][] = [
  ['single payout', COMMIT, (live, phone) => pay(live, { recipient: { phone } })],
  [
    'queued payout',
    /look at payout later/,
    async (live, phone) => {
      await queueBulk({ live }, [phone])
      await services.service.run('send-payouts')
    },
  ],
]
for (const [what, asked, start] of PAYOUTS)
  test(`a ${what} that was ended as lost is not paid by a process that goes on days later`, async () => {
    const { service, worker } = services
    const { live, merchant } = await richShop(service, FUNDS)
    const phone = newPayer()
    const sentAt = service.clock.nowMs()
    service.operator.onSubmit({ answer: 'error', takes: false }, phone)
    const still = await standingStill(() => start(live, phone), asked)
    for (let look = 0; look < 20; look += 1) await lookAfter(look < 4 ? 31_000 : 4 * HOUR)
    const id = (await worker.client(merchant.keys.live).get('/v1/payouts')).body.data[0].id
    await endAsLost(id, sentAt)
    assert.deepEqual(await balanceOf(live), { available: FUNDS, pending: 0 })
    service.operator.onSubmit({ answer: 'accept' }, phone)
    const posts = submitted(phone)
    await still.goOn()
    // On a crowded machine the caller may have left before; then the finisher answers for it.
    await service.run('finish-keys')
    assert.equal(submitted(phone), posts, 'nothing left')
    assert.equal(service.entryOf(id), undefined)
    assert.equal((await payoutOf(live, id)).status, 'failed')
    assert.deepEqual(await postingsOf(service, id), RETURNED)
    assert.deepEqual(await balanceOf(live), { available: FUNDS, pending: 0 })
  })

async function lookAfter(ms: number): Promise<void> {
  services.service.pass(ms)
  await services.worker.run('send-payouts')
}

/** A person ends it with the operator's own statement of that time (rails.md 5.4). */
async function endAsLost(subject: string, sentAt: number): Promise<void> {
  const { worker, service } = services
  const line = (number: number, at: number) =>
    `${sentAt}${number},x,disburse,1,0,0,UGX,${new Date(at).toISOString()},FAILED`
  const path = join(mkdtempSync(join(tmpdir(), 'slept-')), 'statement.csv')
  const lines = [line(1, sentAt - 3 * HOUR), line(2, service.clock.nowMs())]
  writeFileSync(path, `rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status\n${lines.join('\n')}\n`)
  const source = fromPath(path)
  await importStatement(worker.gateway, BY_HAND, {
    ...{ source, installation: FIRST_INSTALLATION, period: null, dryRun: false },
  })
  await reconcileNow(worker.gateway, BY_HAND)
  const [row] = await worker.rows<{ id: string; merchant_id: number; kind: string }>(
    'select id, merchant_id, kind from exceptions where subject = $1 and closed_at is null',
    [subject],
  )
  assert.equal(row?.kind, 'never_arrived')
  await endLost(worker.app, BY_HAND, { id: row.id, merchantId: Number(row.merchant_id), note: 'not listed' })
}
