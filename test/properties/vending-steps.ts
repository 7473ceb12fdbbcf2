import fc from 'fast-check'

// The last two never report: the test itself decides what became of each of their commands.
export const MACHINES = ['M-OK', 'M-JAM', 'M-REFUSE', 'M-LOST', 'M-1'] as const
export const SILENT = ['M-LOST', 'M-1']

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
export type Doing = (typeof DOINGS)[number]
export type Step =
  | { do: 'one'; order: number; what: Doing }
  | { do: 'two'; order: number; what: Doing; with: Doing | 'sweeps' }
  | { do: 'sweeps' }
  | { do: 'pass'; ms: number }
  | { do: 'vending'; on: boolean; refunds: boolean }
  | { do: 'trust'; profile: 'default' | 'optimistic' }

const order = fc.nat(MACHINES.length - 1)
// Most faults come from claims that wait, so the steps that make and use them are more frequent.
const what = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('claim' as const, 'refund' as const, 'send' as const) },
  { weight: 4, arbitrary: fc.constantFrom(...DOINGS) },
)
/** One random step of a history. */
export const step: fc.Arbitrary<Step> = fc.oneof(
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
