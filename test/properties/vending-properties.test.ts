import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Refusal } from '../../src/platform/refusal.ts'
import { refundCharge } from '../../src/refunds/refund-charge.ts'
import type { Claim } from '../../src/vending/dispensing/claim.ts'
import { claimOrder } from '../../src/vending/dispensing/claim-order.ts'
import { recordAnswer } from '../../src/vending/dispensing/record-answer.ts'
import { sendCommand } from '../../src/vending/dispensing/send-command.ts'
import { stillClock } from '../contracts/still-clock.ts'
import { fullKey } from '../helpers/actors.ts'
import { assertVerified } from '../helpers/live-service.ts'
import { DELIVERED, dieSending, JAM, say } from '../helpers/machine-words.ts'
import { opened } from '../helpers/opened.ts'
import { type PaidOrder, paidOrder } from '../helpers/paid-orders.ts'
import { type Payer, payer } from '../helpers/schedules.ts'
import { startService, type TestService } from '../helpers/test-service.ts'

const service = opened(() => startService({ clock: stillClock() }))
const other = opened(() => startService({ database: service.database, clock: service.clock }))

// Of the last two the test itself says what becomes of each command.
const MACHINES = ['M-OK', 'M-JAM', 'M-REFUSE', 'M-LOST', 'M-1'] as const
const SILENT = ['M-LOST', 'M-1']
const REFUSED = { kind: 'refused', code: '0', message: 'no' } as const
const ACCEPTED = { kind: 'accepted', code: '1', message: 'ok' } as const

const DOINGS = [
  'claim',
  'send',
  'die',
  'retry',
  'accept',
  'refuse',
  'jam',
  'delivered',
  'not delivered',
  'refund',
] as const
type Doing = (typeof DOINGS)[number]
type Step =
  | { do: 'one'; order: number; what: Doing }
  | { do: 'two'; order: number; what: Doing; with: Doing | 'sweeps' }
  | { do: 'sweeps' }
  | { do: 'pass'; ms: number }
  | { do: 'vending'; on: boolean; refunds: boolean }
  | { do: 'trust'; profile: 'default' | 'optimistic' }

const order = fc.nat(MACHINES.length - 1)
// Claims that wait are where most goes wrong.
const what = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('claim' as const, 'refund' as const, 'send' as const) },
  { weight: 4, arbitrary: fc.constantFrom(...DOINGS) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('one' as const), order, what }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('two' as const),
      order,
      what,
      with: fc.constantFrom(...DOINGS, 'sweeps' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'sweeps' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 2000, 60_001, 3_600_001),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('vending' as const), on: fc.boolean(), refunds: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('trust' as const),
      profile: fc.constantFrom('default' as const, 'optimistic' as const),
    }),
  },
)

/** What the test knows of an order, beside the database. */
type Known = PaidOrder & {
  machine: string
  /** Claims that somebody holds, and has not sent. */
  held: Claim[]
  /** Commands whose answer is still to come. */
  unanswered: Claim[]
  /** How often somebody who knows has said that the newest command dropped nothing. */
  freed: number
  before: Seen
}
type Seen = {
  status: string
  confirmed: boolean
  attempts: number
  dispensedAt: string | null
  commands: number
  living: number
  refunded: boolean
  refunds: number
  events: number
}

async function seen({ id, chargeId }: PaidOrder): Promise<Seen> {
  const [row] = await service.rows<Seen>(
    `select o.vending_status as status, o.confirmed, o.attempts, o.dispensed_at::text as "dispensedAt",
       (select count(*)::int from dispense_claims k where k.charge_id = $2 and k.commanded_at is not null) as commands,
       (select count(*)::int from dispense_claims k where k.charge_id = $2 and k.released_at is null) as living,
       (select status = 'refunded' from charges where id = $2) as refunded,
       (select count(*)::int from payouts where charge_id = $2) as refunds,
       (select count(*)::int from events e where e.subject = $1) as events
     from vending_orders o where o.id = $1`,
    [id, chargeId],
  )
  assert.ok(row)
  return row
}

test('whatever happens in whatever order, one payment drops one product', async () => {
  const seed = Math.floor(performance.timeOrigin) % 1_000_000_000
  console.log(`dispenses of seed ${seed}`)
  const runs = fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
    const shop = await payer(service, 10_000_000)
    await service.set(shop.merchant, { vendingEnabled: true, autoRefundOnJam: 'off' })
    const orders: Known[] = []
    for (const machine of MACHINES) {
      const made = await paidOrder(service, shop, { machine })
      orders.push({ ...made, machine, held: [], unanswered: [], freed: 0, before: await seen(made) })
    }
    for (const one of steps) {
      service.pass(1)
      await play(shop, orders, one)
      for (const known of orders) await check(known, one)
    }
    // What a dead process has left is taken up by the next run, and only then nothing is under way for ever.
    await sweeps(service)
    await assertVerified(service)
  })
  await fc.assert(runs, { seed, numRuns: 10, endOnFailure: true, includeErrorInReport: true })
})

async function play(shop: Payer, orders: Known[], step: Step): Promise<void> {
  switch (step.do) {
    case 'one':
      return doOne(service, shop, { known: orders[step.order] as Known, what: step.what })
    case 'two': {
      const known = orders[step.order] as Known
      const second = step.with === 'sweeps' ? sweeps(other) : doOne(other, shop, { known, what: step.with })
      await Promise.all([doOne(service, shop, { known, what: step.what }), second])
      return
    }
    case 'sweeps':
      return sweeps(service)
    case 'pass':
      return service.pass(step.ms)
    case 'vending':
      return service.set(shop.merchant, {
        vendingEnabled: step.on,
        autoRefundOnJam: step.refunds ? 'test' : 'off',
      })
    case 'trust':
      await service.rows(
        `insert into vending_profiles (merchant_id, profile, changed_at) values ($1, $2, $3)
         on conflict (merchant_id) do update set profile = $2`,
        [shop.merchantId, step.profile, service.clock.now()],
      )
  }
}

async function sweeps(at: TestService): Promise<void> {
  await at.run('dispense')
  await at.run('refund-jams')
}

type Done = { known: Known; what: Doing }

async function doOne(at: TestService, shop: Payer, { known, what }: Done): Promise<void> {
  switch (what) {
    case 'claim':
    case 'retry': {
      const claimed = await claimOrder(at.app, known)
      if (claimed.kind !== 'claimed') return
      known.held.push(claimed.claim)
      return what === 'retry' ? doOne(at, shop, { known, what: 'send' }) : undefined
    }
    case 'send': {
      const own = known.held.shift()
      if (own === undefined) return
      const answer = await sendCommand(at.app, own)
      if (answer?.kind === 'ambiguous') known.unanswered.push(own)
      return
    }
    case 'die': {
      const own = known.held.shift()
      if (own !== undefined)
        await dieSending(at, own).then(
          () => known.unanswered.push(own),
          () => {},
        )
      return
    }
    case 'accept':
    case 'refuse':
      return answer(at, known, what === 'accept' ? ACCEPTED : REFUSED)
    case 'jam':
    case 'not delivered': {
      const moved = await say(at, known, JAM, what === 'jam' ? 'callback' : 'manual')
      if (moved === 'moved') known.freed += 1
      return
    }
    case 'delivered':
      await say(at, known, DELIVERED)
      return
    case 'refund': {
      const caller = { merchantId: shop.merchantId, tag: shop.tag, cell: at.app.cell, mode: 'test' as const }
      await refundCharge(at.app, fullKey(caller), {
        chargeId: known.chargeId,
      }).catch((error) => assert.ok(error instanceof Refusal, error))
    }
  }
}

/** The answer of a supplier that took very long. A refusal counts for what it is about, and for nothing else. */
async function answer(at: TestService, known: Known, said: typeof ACCEPTED | typeof REFUSED): Promise<void> {
  const own = known.unanswered.shift()
  if (own === undefined) return
  await recordAnswer(at.app, own, said)
  if (said.kind === 'refused') known.freed += 1
}

async function check(known: Known, step: Step): Promise<void> {
  const { before, machine } = known
  const now = await seen(known)
  const where = `${machine} after ${JSON.stringify(step)}: ${JSON.stringify(before)} -> ${JSON.stringify(now)}`
  assert.equal(now.refunds, now.refunded ? 1 : 0, `one refund: ${where}`)
  assert.ok(now.living <= 1, `one claim: ${where}`)
  assert.ok(now.commands <= now.attempts, `each command has its claim: ${where}`)
  // Nobody but the test ends a command of these: what was commanded again had been said not to have dropped anything.
  if (SILENT.includes(machine)) assert.ok(now.commands <= 1 + known.freed, `never twice: ${where}`)
  if (before.refunded) assert.equal(now.commands, before.commands, `none after the refund: ${where}`)
  if (before.status === 'dispensed' && before.confirmed)
    assert.deepEqual(now, { ...before, refunded: now.refunded, refunds: now.refunds }, `final: ${where}`)
  const ended = now.status === 'dispensed' || now.status === 'failed'
  const moved = now.status !== before.status || now.attempts !== before.attempts
  if (step.do !== 'two')
    assert.equal(now.events - before.events, moved && ended ? 1 : 0, `each change is told once: ${where}`)
  known.before = now
}
