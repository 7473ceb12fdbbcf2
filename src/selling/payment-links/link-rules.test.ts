import assert from 'node:assert/strict'
import test from 'node:test'
import type { Mode } from '../../platform/mode.ts'
import { Refusal } from '../../platform/refusal.ts'
import { judgeLink } from './link-rules.ts'

const VERIFICATION =
  'live charges require a verified business - complete verification on your dashboard (test keys work immediately)'

type Given = {
  amount?: number
  currency?: string
  active?: boolean
  chargeLimit?: number | null
  kycStatus?: 'pending' | 'verified' | 'rejected'
  mode?: Mode
}

/** The code and text of the refusal, or that there is none. */
function judged(given: Given): string {
  const { amount = 5000, currency = 'UGX', mode = 'test' } = given
  const terms = {
    active: given.active ?? true,
    chargeLimit: given.chargeLimit ?? null,
    kycStatus: given.kycStatus ?? 'pending',
  }
  try {
    judgeLink({ amount, currency }, { terms, mode, config: { amountMax: 1_000_000 } })
    return 'passes'
  } catch (error) {
    assert.ok(error instanceof Refusal)
    assert.deepEqual([error.status, error.stored], [400, true])
    return `${error.code}: ${error.message}`
  }
}

const CASES: [string, Given, string][] = [
  ['5000 in test', {}, 'passes'],
  ['0', { amount: 0 }, 'amount_not_positive: amount must be positive'],
  ['less than nothing', { amount: -1 }, 'amount_not_positive: amount must be positive'],
  ['the least amount above its fee', { amount: 201 }, 'passes'],
  ['an amount that is its fee', { amount: 200 }, 'fee_exceeds_amount: fee exceeds amount'],
  ['1', { amount: 1 }, 'fee_exceeds_amount: fee exceeds amount'],
  ['the ceiling', { amount: 1_000_000 }, 'passes'],
  ['above it', { amount: 1_000_001 }, 'amount_too_large: amount exceeds the maximum of 1000000'],
  ['1e30', { amount: 1e30 }, 'amount_too_large: amount exceeds the maximum of 1000000'],
  ['1e999', { amount: Infinity }, 'amount_too_large: amount exceeds the maximum of 1000000'],
  ['the limit of the account', { amount: 700, chargeLimit: 700 }, 'passes'],
  [
    'above it',
    { amount: 701, chargeLimit: 700 },
    "amount_too_large: amount exceeds this account's per-charge limit of 700",
  ],
  ['another currency', { currency: 'KES' }, 'unsupported_currency: demo only supports UGX'],
  ['another spelling', { currency: 'ugx' }, 'unsupported_currency: demo only supports UGX'],
  ['live of a verified merchant', { mode: 'live', kycStatus: 'verified' }, 'passes'],
  ['live of one that waits', { mode: 'live' }, `verification_required: ${VERIFICATION}`],
  ['live of a rejected one', { mode: 'live', kycStatus: 'rejected' }, `verification_required: ${VERIFICATION}`],
  ['an inactive merchant', { active: false }, 'merchant_inactive: merchant is not active'],
]
for (const [what, given, answer] of CASES)
  test(`a link over ${what}: ${answer}`, () => assert.equal(judged(given), answer))

test('of several refusals the first in the order of the rules is reported', () => {
  const worst: Given = { amount: 0, currency: 'KES', active: false, chargeLimit: 100, mode: 'live' }
  const order: [Given, RegExp][] = [
    [{}, /^merchant_inactive/],
    [{ active: true }, /^amount_not_positive/],
    [{ amount: 2_000_000 }, /maximum of 1000000$/],
    [{ amount: 150 }, /limit of 100$/],
    [{ chargeLimit: 150 }, /^unsupported_currency/],
    [{ currency: 'UGX' }, /^fee_exceeds_amount/],
    [{ chargeLimit: 201, amount: 201 }, /^verification_required/],
    [{ kycStatus: 'verified' }, /^passes$/],
  ]
  let given = worst
  for (const [mended, answer] of order) {
    given = { ...given, ...mended }
    assert.match(judged(given), answer)
  }
})
