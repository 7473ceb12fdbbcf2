import assert from 'node:assert/strict'
import test from 'node:test'
import type { Told } from '../../emulator/rules.ts'
import type { Attempt, StatusAnswer } from '../../src/rails/rail.ts'
import { NEVER_OPENS, wireUp } from '../helpers/payments/op1.ts'
import { opened } from '../helpers/service/opened.ts'
import { attemptAt, EACH_SIDE, movementOf, type Side, soon } from './rail-attempts.ts'

// What the answers to questions mean (rails.md 3.5, 3.7, 3.10).
const wired = opened(() => wireUp({ contract: { breaker: NEVER_OPENS } }))

/** Submits one, lets the operator tell `told` about it, and asks. */
async function askWith(
  side: Side,
  told: Told,
  more: { object?: boolean } = {},
): Promise<[Attempt, StatusAnswer<string>]> {
  const one = attemptAt(wired.clock, { installation: 'ug-1' })
  const match = { reference: one.reference }
  wired.emulator.setRules([{ match, onStatus: [told], ...(more.object ? { reasonAsObject: true } : {}) }])
  await movementOf(wired.rail, side).submit(one, soon())
  return [one, await movementOf(wired.rail, side).status(one, soon())]
}

const FAILS = {
  NOT_ENOUGH_FUNDS: ['insufficient_funds', 'insufficient_funds'],
  INSUFFICIENT_BALANCE: ['insufficient_funds', 'insufficient_funds'],
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: ['insufficient_funds', 'rail_rejected'],
  APPROVAL_REJECTED: ['user_cancelled', 'user_cancelled'],
  PAYMENT_NOT_APPROVED: ['user_cancelled', 'user_cancelled'],
  REJECTED: ['user_cancelled', 'user_cancelled'],
  CUSTOMER_INPUT_REJECTION: ['user_cancelled', 'user_cancelled'],
  CANCEL_REQUEST: ['user_cancelled', 'user_cancelled'],
  TRANSACTION_CANCELED: ['user_cancelled', 'rail_rejected'],
  EXPIRED: ['timeout', 'timeout'],
  COULD_NOT_PERFORM_TRANSACTION: ['timeout', 'rail_rejected'],
  PAYER_NOT_FOUND: ['rail_rejected', 'rail_rejected'],
  PAYEE_NOT_FOUND: ['rail_rejected', 'recipient_not_found'],
  PAYEE_NOT_ALLOWED_TO_RECEIVE: ['rail_rejected', 'wallet_locked'],
  PAYER_LIMIT_REACHED: ['rail_rejected', 'rail_rejected'],
  PAYEE_LIMIT_REACHED: ['rail_rejected', 'rail_rejected'],
  SENDER_ACCOUNT_NOT_ACTIVE: ['rail_rejected', 'rail_rejected'],
  NOT_ALLOWED: ['rail_rejected', 'rail_rejected'],
  INVALID_CURRENCY: ['rail_rejected', 'rail_rejected'],
  TRANSFER_TYPE_UNKNOWN: ['rail_rejected', 'rail_rejected'],
  INTERNAL_PROCESSING_ERROR: ['rail_rejected', 'rail_rejected'],
  SERVICE_UNAVAILABLE: ['rail_rejected', 'rail_rejected'],
  A_WORD_NOBODY_KNOWS: ['rail_rejected', 'rail_rejected'],
} as const

for (const [nth, side] of EACH_SIDE.entries())
  for (const object of [false, true])
    test(`${side}: every word of failure has its reason, as ${object ? 'an object' : 'text'}`, async () => {
      for (const [word, reasons] of Object.entries(FAILS)) {
        const [, status] = await askWith(side, { status: 'FAILED', reason: word }, { object })
        assert.deepEqual(
          [status.kind, status.kind === 'failed' && status.reason, status.kind === 'failed' && status.operatorCode],
          ['failed', reasons[nth], word],
        )
      }
    })

const OTHERS: [string, Told, StatusAnswer<string>['kind']][] = [
  ['PENDING', { status: 'PENDING' }, 'pending'],
  ['CREATED', { status: 'CREATED' }, 'pending'],
  ['FAILED without a reason', { status: 'FAILED' }, 'failed'],
  ['FAILED with ONGOING', { status: 'FAILED', reason: 'ONGOING' }, 'pending'],
  ['FAILED with PAYER_DELAYED', { status: 'FAILED', reason: 'PAYER_DELAYED' }, 'pending'],
  ['a word nobody knows', { status: 'IN_REVIEW' }, 'unknown'],
  ['404', { http: { status: 404, code: 'RESOURCE_NOT_FOUND' } }, 'not_found'],
  ['400', { http: { status: 400 } }, 'unknown'],
  ['429', { http: { status: 429 } }, 'unknown'],
  ['500', { http: { status: 500, code: 'INTERNAL_PROCESSING_ERROR' } }, 'unknown'],
  ['a page', { wire: 'htmlWith200' }, 'unknown'],
  ['garbage', { wire: 'garbage' }, 'unknown'],
  ['a reset', { wire: 'resetAfterRead' }, 'unknown'],
  ['a cut body', { wire: 'truncateBody' }, 'unknown'],
  ['a body of 10 MB', { wire: 'hugeBody' }, 'unknown'],
]
for (const side of EACH_SIDE)
  for (const [name, told, kind] of OTHERS)
    test(`${side}: ${name} is ${kind}`, async () => {
      const [, status] = await askWith(side, told)
      assert.equal(status.kind, kind)
    })

for (const side of EACH_SIDE) {
  test(`${side}: success repeats what was asked for, with the operator's own number`, async () => {
    const one = attemptAt(wired.clock, { installation: 'ug-1' })
    wired.emulator.setRules([{ numbers: side === 'collect' }])
    await movementOf(wired.rail, side).submit(one, soon())
    await wired.emulator.resolve(one.reference, { status: 'SUCCESSFUL' })
    const status = await movementOf(wired.rail, side).status(one, soon())
    assert.equal(status.kind, 'succeeded')
    if (status.kind !== 'succeeded') return
    const { amount, currency, phone, externalId, railTransactionId } = status
    assert.deepEqual(
      { amount, currency, phone, externalId },
      { amount: one.amount, currency: 'UGX', phone: one.phone, externalId: one.publicId },
    )
    assert.match(railTransactionId ?? '', /^[0-9]+$/)
  })

  test(`${side}: success with a reason of failure contradicts itself; with ONGOING it is success`, async () => {
    const [, status] = await askWith(side, { status: 'SUCCESSFUL', reason: 'NOT_ENOUGH_FUNDS' })
    assert.deepEqual(
      [status.kind, status.kind === 'unknown' && status.contradicts],
      ['unknown', 'SUCCESSFUL with NOT_ENOUGH_FUNDS'],
    )
    assert.equal((await askWith(side, { status: 'SUCCESSFUL', reason: 'ONGOING' }))[1].kind, 'succeeded')
  })

  for (const [amount, read] of [
    ['5000', 5000],
    ['5000.0', 5000],
    ['5000.5', null],
    ['five', null],
  ] as const)
    test(`${side}: an amount of ${amount} is ${read ?? 'no answer'}`, async () => {
      const [, status] = await askWith(side, { status: 'SUCCESSFUL', lies: { amount } })
      assert.equal(status.kind === 'succeeded' ? status.amount : null, read)
    })
}

test('what is kept of an answer holds no whole phone number', async () => {
  const [one, status] = await askWith('collect', { status: 'PENDING' })
  assert.match(status.evidence.bodyHead ?? '', /\*\*\*678/)
  assert.ok(!JSON.stringify(status.evidence).includes(one.phone))
  assert.match(status.evidence.bodySha256 ?? '', /^[0-9a-f]{64}$/)
})

test('who holds a wallet: active with a name, inactive, not there; a denied name is null; trouble is unknown', async () => {
  const look = (phone: string) => wired.rail.lookupAccountHolder?.(phone, soon())
  assert.deepEqual(await look('256772000001'), { active: true, name: 'Holder Of 0001' })
  assert.deepEqual(await look('256770000050'), { active: false, name: null })
  assert.deepEqual(await look('256770000051'), { active: false, name: null })
  assert.equal((await look('256770000054'))?.active, 'unknown')
  await wired.emulator.fault('kycDenied')
  assert.deepEqual(await look('256772000001'), { active: true, name: null })
})

test('the balance of a side is whole shillings', async () => {
  wired.emulator.setWallet('collection', 123_456)
  const float = await wired.rail.balance?.('collect', soon(), 'ug-1')
  assert.deepEqual([float?.available, float && 'currency' in float && float.currency], [123_456, 'UGX'])
})
