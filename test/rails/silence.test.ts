import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { endLost } from '../../src/operations/reconciliation/end-lost.ts'
import { reconcileNow } from '../../src/operations/reconciliation/reconcile.ts'
import { importStatement } from '../../src/operations/reconciliation/statements/import-statement.ts'
import { fromPath } from '../../src/operations/reconciliation/statements/statement-file.ts'
import { resolveException } from '../../src/payments/exceptions/resolve-exception.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { paidBy } from '../helpers/payments/reconciling.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { newPayer } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { commandsOn } from '../program/commands/commands-on.ts'

// Movements of which the operator says nothing, or nothing but "not found", for a day (rails.md 4.7, 5.2).
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const service = openedAndVerified(() =>
  startOp1Service({ entry: { breaker: ONLY_BY_TEST }, env: { LIVE_HOLD_HOURS: '0' } }),
)
const { run } = commandsOn(service)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Told = { id: string; kind: string; merchantId: number }
const openOf = (subject: string) =>
  service.rows<Told>(
    `select id, kind, merchant_id::float8 as "merchantId" from exceptions where subject = $1 and closed_at is null order by kind`,
    [subject],
  )
async function told(subject: string): Promise<string[]> {
  await reconcileNow(service.gateway, BY_HAND)
  return (await openOf(subject)).map(({ kind }) => kind)
}
/** What the posts to these phones meet: they are lost on their way. */
const lost = (phone: string) => ({
  match: { phone },
  onSubmit: { wire: 'dropBeforeRead' as const, record: false },
})
/** Asks about what is open once after each of these times. */
async function ask(sweep: 'follow-charges' | 'send-payouts', ...after: number[]): Promise<void> {
  for (const ms of after) {
    service.pass(ms)
    await service.run(sweep)
  }
}
const stateOf = async (subject: string) =>
  (
    await service.rows<{ state: string; reposts: number }>(
      'select state, reposts from rail_attempts where subject = $1',
      [subject],
    )
  )[0]

async function lostCharge(...rules: object[]): Promise<string> {
  const shop = await service.shop()
  const phone = newPayer()
  service.emulator.setRules([lost(phone), ...rules])
  return (await shop.live.charge({ customer: { phone } })).body.id
}

async function importAll(from: number): Promise<void> {
  const path = join(mkdtempSync(join(tmpdir(), 'silence-')), 'statement.csv')
  const at = (ms: number) => new Date(ms).toISOString()
  const lines = [from, service.clock.nowMs()].map((ms, nth) => `${nth},x,collect,1,0,0,UGX,${at(ms)},FAILED`)
  const head = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
  writeFileSync(path, `${[head, ...lines].join('\n')}\n`)
  const file = { source: fromPath(path), installation: 'ug-1', period: null, dryRun: false }
  await importStatement(service.gateway, BY_HAND, file)
}

test('an operator that is silent for a day and then knows nothing: both are told, and the movement can be ended', async () => {
  const sentAt = service.clock.nowMs()
  const id = await lostCharge({ on: { status: { http: { status: 503 } } } })
  await ask('follow-charges', MINUTE, DAY)
  assert.deepEqual(await told(id), ['unresolved'])
  service.emulator.setRules([])
  await ask('follow-charges', 2 * HOUR, 13 * HOUR, 13 * HOUR)
  assert.deepEqual(await told(id), ['never_arrived', 'unresolved'])
  await importAll(sentAt - 3 * HOUR)
  const [never] = await openOf(id)
  assert.ok(never)
  const { merchantId } = never
  await endLost(service.app, BY_HAND, { merchantId, id: never.id, note: 'not in the statement' })
  assert.deepEqual(await told(id), [])
})

test('what was told as never arrived, and is then pending without an end, is told as unresolved too', async () => {
  const id = await lostCharge()
  await ask('follow-charges', MINUTE, 8 * HOUR, 9 * HOUR, 9 * HOUR)
  assert.deepEqual(await told(id), ['never_arrived'])
  await service.rows(
    `update rail_attempts set state = 'accepted', last_answer = 'pending', not_found_count = 0 where subject = $1`,
    [id],
  )
  assert.deepEqual(await told(id), ['never_arrived', 'unresolved'])
})

test('what somebody closed while it is still open is told again after another week', async () => {
  const id = await lostCharge({ on: { status: { http: { status: 503 } } } })
  await ask('follow-charges', MINUTE, DAY)
  assert.deepEqual(await told(id), ['unresolved'])
  const [{ id: exception = '', merchantId = 0 } = {}] = await openOf(id)
  const how = { note: 'they look', resolution: 'no_difference' } as const
  await resolveException(service.app, BY_HAND, { merchantId, id: exception, ...how })
  assert.deepEqual(await told(id), [])
  service.pass(7 * DAY)
  assert.deepEqual(await told(id), ['unresolved'])
})

test('a lost payout is told after a day: while it waits in its queue again, and while it is posted again every hour', async () => {
  service.emulator.setRules([])
  const [one, other] = [await paidBy(service), await paidBy(service)]
  const [held, posted] = [newPayer(), newPayer()]
  service.emulator.setRules([lost(held), lost(posted)])
  const waiting = (await pay(one.shop.live, { amount: 10_000, recipient: { phone: held } })).body.id
  const again = (await pay(other.shop.live, { amount: 10_000, recipient: { phone: posted } })).body.id
  const frozen = await run('payouts', 'freeze', '--merchant', one.shop.merchant.id, '--reason', 'a look')
  assert.equal(frozen.code, 0, frozen.stderr)
  // Three answers that nothing is known of it; when each is asked for is drawn.
  for (let asked = 0; asked < 20 && (await stateOf(waiting))?.state !== 'not_sent'; asked += 1)
    await ask('send-payouts', MINUTE)
  assert.equal((await stateOf(waiting))?.state, 'not_sent')
  service.pass(23 * HOUR)
  await ask('send-payouts', ...Array.from({ length: 4 }, () => 16 * MINUTE))
  const last = await stateOf(again)
  assert.ok(last && last.reposts > 0)
  assert.deepEqual(await told(waiting), ['never_arrived'])
  assert.equal((await stateOf(again))?.state, last.state)
  assert.deepEqual(await told(again), ['never_arrived'])
})
