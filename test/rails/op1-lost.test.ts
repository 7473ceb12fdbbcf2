import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { endLost } from '../../src/operations/reconciliation/end-lost.ts'
import { reconcileNow } from '../../src/operations/reconciliation/reconcile.ts'
import { importStatement } from '../../src/operations/reconciliation/statements/import-statement.ts'
import { fromPath } from '../../src/operations/reconciliation/statements/statement-file.ts'
import { findStuck } from '../../src/operations/verify/stuck.ts'
import { balanceOf, eventsOf, transfersOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { topUpShop } from '../helpers/payments/top-ups.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { assertRefused } from '../helpers/service/command-line.ts'
import { newPayer, type Shop } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { commandsOn } from '../program/commands/commands-on.ts'

// A movement that its operator never had is ended by a person, with the operator's own statement as proof (rails.md 5.4).
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const service = openedAndVerified(() =>
  startOp1Service({ entry: { breaker: ONLY_BY_TEST, repostHours: 1 }, env: { LIVE_HOLD_HOURS: '0' } }),
)
const { run } = commandsOn(service)
const HOUR = 3_600_000

const folder = mkdtempSync(join(tmpdir(), 'lost-'))
let files = 0
/** Imports a statement of this contract that goes from 3 hours before `sentAt` to now, with lines of this kind. */
async function importing(
  type: 'collect' | 'disburse',
  {
    sentAt,
    installation = 'ug-1',
    period = null,
    about = 'somebody else',
  }: { sentAt: number; installation?: string; about?: string; period?: { from: Date; to: Date } | null },
): Promise<void> {
  files += 1
  const path = join(folder, `${files}.csv`)
  const line = (number: string, at: number, id: string) =>
    `${files}${number},${id},${type},1,0,0,UGX,${new Date(at).toISOString()},FAILED`
  const lines = [line('1', sentAt - 3 * HOUR, 'x'), line('2', sentAt, about), line('3', service.clock.nowMs(), 'x')]
  writeFileSync(path, `rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status\n${lines.join('\n')}\n`)
  await importStatement(service.gateway, BY_HAND, {
    source: fromPath(path),
    installation,
    period,
    dryRun: false,
  })
}

const wait = async (hours: number) => {
  for (let step = 0; step < 60 + hours; step += 1) {
    service.pass(step < 60 ? HOUR / 60 : HOUR)
    await service.run('follow-charges')
    await service.run('send-payouts')
    await service.run('follow-top-ups')
  }
}
async function exceptionOf(subject: string): Promise<{ id: string; merchantId: number }> {
  await reconcileNow(service.gateway, BY_HAND)
  const [row] = await service.rows<{ id: string; merchant_id: number; kind: string }>(
    'select id, merchant_id, kind from exceptions where subject = $1 and closed_at is null',
    [subject],
  )
  assert.equal(row?.kind, 'never_arrived')
  return { id: row.id, merchantId: Number(row.merchant_id) }
}
const end = async (subject: string) =>
  endLost(service.app, BY_HAND, { ...(await exceptionOf(subject)), note: 'not in the statement' })
const refusing = (subject: string, message: RegExp) => assert.rejects(end(subject), { message })

/** A charge or payout whose every post is lost on its way to the operator. */
const losing = (phone: string) =>
  service.emulator.setRules([{ match: { phone }, onSubmit: { wire: 'dropBeforeRead', record: false } }])

async function shopWithMoney(): Promise<Shop> {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount: 500_000, customer: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  return shop
}

test('a payout is called stuck for good when the window of its own installation is over, not after a day', async () => {
  const shop = await shopWithMoney()
  const phone = newPayer()
  losing(phone)
  const { body } = await pay(shop.live, { recipient: { phone } })
  const whyStuck = async () => {
    await service.rows('update payouts set follow_at = $2 where id = $1', [body.id, service.clock.now()])
    const found = await findStuck(
      { ...service.app, config: { ...service.app.config, stuckHours: 0 } },
      service.clock.now(),
    )
    return found.filter(({ id }) => id === body.id).map(({ why }) => why)
  }
  const halfAnHour = async () => {
    for (let minute = 0; minute < 30; minute += 1) {
      service.pass(HOUR / 60)
      await service.run('send-payouts')
    }
  }
  await halfAnHour()
  assert.deepEqual(await whyStuck(), ['the operator has not said how it ended'])
  for (let times = 0; times < 3; times += 1) await halfAnHour()
  assert.deepEqual(await whyStuck(), ['the operator does not know it, and its time to be posted again is over'])
})

test('a charge that never arrived: refused without proof, and then it fails once', async () => {
  const shop = await service.shop()
  const phone = newPayer()
  losing(phone)
  const { body } = await shop.live.charge({ customer: { phone } })
  const sentAt = service.clock.nowMs()
  assert.equal(body.status, 'authorized')
  // Whatever somebody says: a statement knows nothing of the time after it.
  await importing('collect', {
    sentAt,
    period: { from: new Date(sentAt - 3 * HOUR), to: new Date(sentAt + 900 * HOUR) },
  })
  await wait(27)
  await refusing(body.id, /^no imported statement of ug-1 with collect lines covers 20.*Z to 20.*Z$/)
  await importing('disburse', { sentAt })
  await refusing(body.id, /with collect lines covers/)
  await importing('collect', { sentAt, installation: 'another' })
  await refusing(body.id, /of ug-1 with collect lines covers/)
  const exception = await exceptionOf(body.id)
  assertRefused(await run('exceptions', 'end-lost', '--id', exception.id, '--note', 'n'), {
    code: 1,
    says: /its operator has not answered "not found", and nothing else, for 24 hours/,
  })
  await importing('collect', { sentAt })
  assert.equal((await shop.live.get(`/v1/charges/${body.id}`)).body.status, 'authorized', 'nothing moved so far')
  const resolved = await end(body.id)
  assert.notEqual(resolved.closedAt, null)
  const shown = (await shop.live.get(`/v1/charges/${body.id}`)).body
  assert.deepEqual([shown.status, shown.failure_reason], ['failed', 'timeout'])
  assert.deepEqual([(await eventsOf(service, body.id)).length, (await transfersOf(service, body.id)).length], [1, 0])
  await assert.rejects(endLost(service.app, BY_HAND, { ...exception, note: 'again' }), {
    message: 'this exception was already resolved',
  })
})

test('a payout that never arrived gives back its amount and fee', async () => {
  const shop = await shopWithMoney()
  const before = await balanceOf(shop.live)
  const phone = newPayer()
  losing(phone)
  const { body } = await pay(shop.live, { amount: 10_000, recipient: { phone } })
  const sentAt = service.clock.nowMs()
  await wait(30)
  const [post] = await service.rows<{ first_sent_at: Date; sending_since: Date; reposts: number }>(
    'select first_sent_at, sending_since, reposts from rail_attempts where subject = $1',
    [body.id],
  )
  assert.ok(post && post.reposts > 0, 'it was posted again')
  assert.ok(post.sending_since.getTime() - post.first_sent_at.getTime() < HOUR, 'as long as the contract says')
  await importing('disburse', { sentAt })
  await end(body.id)
  const shown = (await shop.live.get(`/v1/payouts/${body.id}`)).body
  assert.deepEqual([shown.status, shown.failure_reason], ['failed', 'timeout'])
  assert.deepEqual(await balanceOf(shop.live), before)
})

test('a top-up that never arrived fails, and nothing was credited', async () => {
  const shop = await topUpShop(service)
  losing(shop.phone)
  const { id } = await shop.ask()
  const sentAt = service.clock.nowMs()
  await wait(30)
  await importing('collect', { sentAt })
  await end(id)
  const [ended] = await shop.listed()
  assert.deepEqual([ended?.status, ended?.failureReason], ['failed', 'timeout'])
  assert.deepEqual(await transfersOf(service, id), [])
})

test('two people end a payout at once, while it is asked about: the money comes back once', async () => {
  const shop = await shopWithMoney()
  const before = await balanceOf(shop.live)
  const phone = newPayer()
  losing(phone)
  const { body } = await pay(shop.live, { amount: 10_000, recipient: { phone } })
  const sentAt = service.clock.nowMs()
  await wait(30)
  await importing('disburse', { sentAt })
  const place = { ...(await exceptionOf(body.id)), note: 'at once' }
  service.pass(16 * HOUR)
  await service.run('send-payouts')
  service.pass(16 * HOUR)
  const [one, other] = await Promise.allSettled([
    endLost(service.app, BY_HAND, place),
    endLost(service.app, BY_HAND, place),
    service.run('send-payouts'),
  ])
  assert.deepEqual([one.status, other.status].sort(), ['fulfilled', 'rejected'])
  assert.equal((await shop.live.get(`/v1/payouts/${body.id}`)).body.status, 'failed')
  assert.deepEqual(await balanceOf(shop.live), before)
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

test('a statement with a line about it, or an answer in the last day, keeps it open', async () => {
  const shop = await service.shop()
  const phone = newPayer()
  losing(phone)
  const { body } = await shop.live.charge({ customer: { phone } })
  const sentAt = service.clock.nowMs()
  await wait(27)
  await importing('collect', { sentAt, about: body.rail_reference.toUpperCase() })
  await refusing(body.id, new RegExp(`^a statement of its operator has a line about ${body.id}$`))
  service.emulator.setRules([{ on: { status: { http: { status: 503 } } } }])
  await wait(5)
  await refusing(body.id, /^its operator has not answered "not found", and nothing else, for 24 hours$/)
})
