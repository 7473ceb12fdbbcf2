import fc from 'fast-check'
import type { Mode } from '../../../src/platform/mode.ts'
import type { SubmitHow } from '../../fakes/operator.ts'

/** One step that somebody takes. A history is any sequence of them. */
export type StepOut =
  | { do: 'charge'; shop: number; mode: Mode; amount: number; fails: boolean; shares: number[] }
  | { do: 'payout'; shop: number; mode: Mode; amount: number; fails: boolean; how: SubmitHow['answer'] }
  | { do: 'bulk'; shop: number; mode: Mode; items: { amount: number; reference: number }[]; again: boolean }
  | { do: 'refund'; shop: number; mode: Mode; nth: number; twice: boolean }
  | { do: 'schedule'; shop: number; mode: Mode; amount: number; recipients: number }
  | { do: 'change'; shop: number; mode: Mode; what: 'pause' | 'resume' | 'cancel' }
  | { do: 'subaccount'; shop: number; active: boolean }
  | { do: 'pay out'; shop: number; mode: Mode; amount: number }
  | { do: 'withdraw'; shop: number; amount: number; decision: 'approved' | 'rejected' | 'cancelled' | null }
  | { do: 'decide'; pays: boolean }
  | { do: 'pass'; ms: number }
  | { do: 'sweep'; name: string; twice: boolean }

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SWEEPS = [
  'follow-charges',
  'send-payouts',
  'run-schedules',
  'settle-charges',
  'finish-keys',
  'finish-bulks',
  'checkpoint-ledgers',
]
export const OUT_SHOPS = 2

const own = { shop: fc.nat(OUT_SHOPS - 1), mode: fc.constantFrom<Mode>('test', 'live') }
const amount = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 60_000 }))
const kind = <K extends string>(name: K) => fc.constant(name)
const item = fc.record({ amount, reference: fc.nat(9) })

export const stepOut: fc.Arbitrary<StepOut> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: kind('charge'),
      ...own,
      amount: fc.integer({ min: 300, max: 1_000_000 }),
      fails: fc.boolean(),
      shares: fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 2 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: kind('payout'),
      ...own,
      amount,
      fails: fc.boolean(),
      how: fc.constantFrom<SubmitHow['answer']>(
        'accept',
        'accept',
        'refuse',
        'refuse to serve',
        'bar the account',
        'reset late',
        'garbage',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: kind('bulk'),
      ...own,
      items: fc.array(item, { minLength: 1, maxLength: 4 }),
      again: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: kind('refund'), ...own, nth: fc.nat(9), twice: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: kind('schedule'),
      ...own,
      amount,
      recipients: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: kind('change'), ...own, what: fc.constantFrom('pause', 'resume', 'cancel') }),
  },
  { weight: 1, arbitrary: fc.record({ do: kind('subaccount'), shop: own.shop, active: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: kind('pay out'), ...own, amount }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: kind('withdraw'),
      shop: own.shop,
      amount,
      decision: fc.constantFrom('approved', 'approved', 'rejected', 'cancelled', null),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: kind('decide'), pays: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: kind('pass'), ms: fc.constantFrom(2000, 6000, MINUTE, HOUR, 25 * HOUR) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: kind('sweep'), name: fc.constantFrom(...SWEEPS), twice: fc.boolean() }),
  },
) as fc.Arbitrary<StepOut>
