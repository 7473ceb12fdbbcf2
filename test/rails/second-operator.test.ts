import assert from 'node:assert/strict'
import test from 'node:test'
import type { Leg } from '../../src/operations/reconciliation/leg.ts'
import { reconcileNow } from '../../src/operations/reconciliation/reconcile.ts'
import { movableClock } from '../../src/platform/time/clock.ts'
import { readOperatorStates } from '../../src/rails/operator-state.ts'
import type { MovementRail, Rail } from '../../src/rails/rail.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { postingsOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { openOf } from '../helpers/payments/reconciling.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { contractOf } from '../helpers/service/http-rail.ts'
import { newPayer } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'
import { operatorSignedIn } from '../helpers/web/console.ts'
import { mainOf } from '../helpers/web/dashboard.ts'

// Two live operators at once, each with an installation of its own. Nothing of the product is told of the second one but its rail.
const MINUTE = 60_000
const SECOND_OPERATOR = 'ug-second'
const METRICS = { authorization: 'Bearer look' }

/** An operator that holds every movement open until it is told what became of it. */
function fakeOperator(id: string) {
  const book = new Map<string, 'paid' | 'refused'>()
  const asked: string[] = []
  const evidence = (operation: 'submit' | 'status') =>
    ({ at: new Date(0), operation, elapsedMs: 0, stage: 'answered' }) as const
  const collect: MovementRail<'rail_rejected'> = {
    submit: async () => ({ kind: 'accepted', repeated: false, evidence: evidence('submit') }),
    status: async ({ reference, publicId: externalId, amount, currency, phone }) => {
      asked.push(externalId)
      const outcome = book.get(externalId)
      if (outcome === undefined) return { kind: 'pending', evidence: evidence('status') }
      if (outcome === 'refused')
        return { kind: 'failed', reason: 'rail_rejected', operatorCode: 'NO', evidence: evidence('status') }
      const facts = { railTransactionId: reference.slice(0, 8), amount, currency, phone, externalId }
      return { kind: 'succeeded', ...facts, evidence: evidence('status') }
    },
  }
  const wallet = { available: 0 }
  const rail: Rail = {
    ...{ name: `operator of ${id}`, simulated: false, collect },
    installations: [{ ...contractOf(id), sides: ['collect'], statusPerSecond: 8 }],
    balance: async () => ({ available: wallet.available, currency: 'UGX', at: new Date(0) }),
    readiness: async () => ({ kind: 'ready', installation: id }),
  }
  return { rail, book, asked, wallet }
}

const first = fakeOperator('ug-first')
const second = fakeOperator(SECOND_OPERATOR)
const person = opened(() => startReceiver())
const service = opened(() =>
  startService({
    clock: movableClock(),
    liveRails: { op1_momo: first.rail, op2_money: second.rail },
    env: { METRICS_TOKEN: 'look', ALERT_WEBHOOK: person.url },
  }),
)
const metrics = async () => (await fetch(`${service.url}/metrics`, { headers: METRICS })).text()
const legOf = (legs: readonly Leg[], name: Leg['leg']) => legs.find(({ leg }) => leg === name) as Leg

async function chargeThrough(channel: string) {
  const merchant = await service.merchant({ verified: true })
  const live = service.client(merchant.keys.live)
  const { status, body } = await live.charge({ amount: 5000, channel, customer: { phone: newPayer() } })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id as string, status: async () => (await live.get(`/v1/charges/${body.id}`)).body.status }
}

async function paidThroughSecond() {
  const charge = await chargeThrough('op2_money')
  second.book.set(charge.id, 'paid')
  second.wallet.available += 5000
  await followUntilEnded(service, charge.id)
  return charge
}

test('the charges of each operator are followed at that operator, and its money stands in an account of its own', async () => {
  await reconcileNow(service.gateway, BY_HAND)
  const [one, two] = [await chargeThrough('op1_momo'), await chargeThrough('op2_money')]
  first.book.set(one.id, 'refused')
  second.book.set(two.id, 'paid')
  second.wallet.available += 5000
  for (const { id } of [one, two]) await followUntilEnded(service, id)
  assert.deepEqual([await one.status(), await two.status()], ['failed', 'succeeded'])
  assert.deepEqual([first.asked.includes(two.id), second.asked.includes(one.id)], [false, false])
  const postings = await postingsOf(service, two.id)
  assert.ok(
    postings.every((posting) => posting.includes('rail:op2_money')),
    `${postings}`,
  )
})

test('what the second operator says later is compared, and what it contradicts is opened; its wallet is read', async () => {
  const { id } = await paidThroughSecond()
  service.pass(16 * MINUTE)
  const agreed = await reconcileNow(service.gateway, BY_HAND)
  assert.equal(legOf(agreed, 'references').agreed, legOf(agreed, 'references').lookedAt)
  assert.ok(second.asked.filter((asked) => asked === id).length > 1, 'it was asked once more')
  assert.deepEqual([legOf(agreed, 'float').lookedAt, legOf(agreed, 'float').agreed], [2, 2])

  const later = await paidThroughSecond()
  second.book.set(later.id, 'refused')
  service.pass(16 * MINUTE)
  assert.equal(legOf(await reconcileNow(service.gateway, BY_HAND), 'references').opened, 1)
  assert.deepEqual(
    (await openOf(service, later.id)).map(({ kind }) => kind),
    ['late_contradiction'],
  )
})

test('metrics and console show the second operator beside the first', async () => {
  const text = await metrics()
  for (const id of ['ug-first', SECOND_OPERATOR]) {
    assert.match(text, new RegExp(`^breaker_state\\{rail="${id}",side="collect"\\} 0$`, 'm'))
    assert.match(text, new RegExp(`^status_budget_left\\{rail="${id}"\\} `, 'm'))
  }
  assert.match(text, new RegExp(`^rail_last_answer_seconds\\{rail="${SECOND_OPERATOR}",product="collect"\\} `, 'm'))
  assert.match(text, new RegExp(`^rail_float_ugx\\{rail="${SECOND_OPERATOR}",product="collect"\\} `, 'm'))
  const staff = await operatorSignedIn(service, 'risk')
  assert.match(mainOf(await staff.get('/console/rails')), new RegExp(SECOND_OPERATOR))
})

test('money that waits at the second operator, and its silence, are told of by its own name', async () => {
  for (let nth = 0; nth < 4; nth += 1) await chargeThrough('op2_money')
  const since = new Date(service.clock.nowMs() + 14 * MINUTE)
  service.pass(16 * MINUTE)
  await service.rows(
    `insert into directory.rail_troubles (installation, side, kind, says, first_at, last_at, count)
     values ($1, 'collect', 'breaker', 'the operator does not answer payments', $2, $3, 5)`,
    [SECOND_OPERATOR, since, service.clock.now()],
  )
  await service.run('raise-alerts')
  const alerts = person.received.flatMap(({ event }) =>
    (event?.alerts ?? []).map((alert: object) => ({ ...alert, kind: event.kind })),
  )
  const says = (kind: string) =>
    alerts
      .filter((alert) => alert.kind === kind)
      .map((alert) => alert.says)
      .join('\n')
  assert.match(says('parked_money'), /^4 live charges of 20000 UGX together/)
  assert.match(says('rail_silent'), new RegExp(`^${SECOND_OPERATOR} \\(collect\\)`))
  assert.deepEqual(
    (await readOperatorStates(service.app)).map(({ channel, side, state }) => [channel, side, state]),
    [['op2_money', 'collect', 'silent']],
  )
})
