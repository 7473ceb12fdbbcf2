import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { CHANNELS, CHARGE_FAILURES } from '../../rails/rail.ts'
import { CHARGE_STATUSES, type Charge, presentCharge } from './charge.ts'
import { chargeEventData } from './charge-event.ts'
import { chargeEventJson, chargeJson } from './charge-json.ts'

const id = fc.stringMatching(/^[a-z0-9]{1,24}$/)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
const foreign = maybe(
  fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('"', '\\', '\u2028', '\ud800', '\n')),
)
const whole = fc.nat(Number.MAX_SAFE_INTEGER)
const amounts = fc.tuple(whole, whole, whole).map((three) => three.sort((a, b) => b - a) as [number, number, number])
const share = fc.record({
  merchantId: fc.constant(1),
  chargeId: id,
  subaccountId: id.map((one) => `sub_${one}`),
  amount: whole,
})

const charge = fc
  .record({
    merchantId: fc.constant(1),
    id: id.map((one) => `txn_${one}`),
    mode: fc.constantFrom('test', 'live'),
    status: fc.constantFrom(...CHARGE_STATUSES),
    amounts,
    channel: fc.constantFrom(...CHANNELS),
    reference: foreign,
    phone: maybe(fc.stringMatching(/^256[0-9]{9}$/)),
    email: foreign,
    customerName: foreign,
    metadata: fc.option(fc.dictionary(fc.string(), fc.string(), { minKeys: 1, maxKeys: 3 }), { nil: null, freq: 2 }),
    railReference: maybe(fc.uuid()),
    railTransactionId: foreign,
    failureReason: maybe(fc.constantFrom(...CHARGE_FAILURES)),
    paymentLinkId: maybe(id.map((one) => `pl_${one}`)),
    refundId: maybe(id.map((one) => `pout_${one}`)),
    createdAt: time,
    completedAt: maybe(time),
    refundedAt: maybe(time),
    holdUntil: maybe(time),
    settledAt: maybe(time),
    split: fc.option(fc.array(share, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  })
  .map(({ amounts: [amount, giftCardAmount, fee], split, ...rest }) => ({
    ...{ ...rest, amount, giftCardAmount, fee, split },
    shares: split === undefined ? null : 5,
  })) as unknown as fc.Arbitrary<Charge>

test('the texts of any charge are exactly what its views come to', (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  fc.assert(
    fc.property(charge, (chargeFacts) => {
      assert.equal(chargeJson(chargeFacts), JSON.stringify(presentCharge(chargeFacts)))
      assert.equal(chargeEventJson(chargeFacts), JSON.stringify(chargeEventData(chargeFacts)))
    }),
    { seed, numRuns: 2000 },
  )
})

test('a charge with shares is not written without them, as it is not shown without them', () => {
  const [one] = fc.sample(charge, 1)
  const without = { ...one, shares: 5, split: undefined } as unknown as Charge
  for (const write of [chargeJson, chargeEventJson]) assert.throws(() => write(without), /shown with its shares/)
})
