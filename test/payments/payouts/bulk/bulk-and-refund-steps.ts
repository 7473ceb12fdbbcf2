import fc from 'fast-check'
import { DAY } from '../../../helpers/service/live-service.ts'

/** Recipients and payers that the sandbox fails. */
export const FAILING = ['256700000001', '256700000002', '256700000003']

export type Item = { amount: number; phone: string; reference: string }
export type Step =
  | { do: 'charge'; amount: number; phone: string }
  | { do: 'payout'; amount: number; phone: string }
  | { do: 'bulk'; items: Item[]; again: boolean }
  | { do: 'refund'; which: number }
  | { do: 'fund'; amount: number }
  | { do: 'hold'; realistic: boolean }
  | { do: 'fail next'; count: number }
  | { do: 'pass'; ms: number }
  | { do: 'sweep'; name: string; twice: boolean }

const phone = fc.oneof(
  { weight: 3, arbitrary: fc.constant('256700000000') },
  { weight: 1, arbitrary: fc.constantFrom(...FAILING) },
)
const amount = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 500_000 }))
const item = fc.record({
  amount: fc.oneof(fc.constantFrom(0, 1000, 5000), amount),
  phone,
  reference: fc.integer({ min: 0, max: 12 }).map((nth) => `r${nth}`),
})
const named = <const Name extends string>(name: Name) => ({ do: fc.constant(name) })
/** One random step of a history. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ...named('charge'), amount: amount.map((one) => one + 200), phone }),
  },
  { weight: 2, arbitrary: fc.record({ ...named('payout'), amount, phone }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...named('bulk'),
      items: fc.array(item, { minLength: 1, maxLength: 8 }),
      again: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ ...named('refund'), which: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ ...named('fund'), amount: fc.integer({ min: 1, max: 300_000 }) }) },
  { weight: 1, arbitrary: fc.record({ ...named('hold'), realistic: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ ...named('fail next'), count: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ ...named('pass'), ms: fc.constantFrom(1000, 2000, 3_600_000, DAY) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      ...named('sweep'),
      name: fc.constantFrom(
        'follow-charges',
        'send-payouts',
        'settle-charges',
        'finish-keys',
        'finish-bulks',
        'checkpoint-ledgers',
      ),
      twice: fc.boolean(),
    }),
  },
)
