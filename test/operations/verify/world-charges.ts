import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import { addKeys, freeAnsweredKey } from '../../../src/api/idempotency/keys.ts'
import { chargeFee } from '../../../src/ledger/fees.ts'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { addCharges, type NewCharge } from '../../../src/payments/charges/write-charges.ts'
import { addShares } from '../../../src/payments/subaccounts/shares.ts'
import { assert } from '../../../src/platform/assert.ts'
import { numberColumn, textColumn, timeColumn } from '../../../src/platform/db/columns.ts'
import { type Call, call, type Database } from '../../../src/platform/db/database.ts'
import { listStatements } from '../../../src/platform/db/statement.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import { uuidFor } from '../../../src/platform/text/ids.ts'
import type { App } from '../../../src/program/app.ts'
import { addAttempts, endAttempt, moveAttempt } from '../../../src/rails/attempts.ts'
import { addEvidence } from '../../../src/rails/evidence.ts'
// Imported so that their statements are registered; `product` finds them by name.
import '../../../src/payments/charges/submit-live-charge.ts'
import '../../../src/ledger/balances.ts'
import '../../../src/ledger/checkpoints.ts'
import { idOf, type MerchantId } from './names.ts'

export function newCharge(
  app: App,
  merchantId: MerchantId,
  { mode, name, amount }: { mode: Mode; name: string; amount: number },
): NewCharge {
  const id = idOf(merchantId, name)
  return {
    merchantId,
    id,
    mode,
    status: mode === 'live' ? 'pending' : 'authorized',
    amount,
    fee: chargeFee(amount),
    giftCardAmount: 0,
    shares: null,
    channel: 'op1_momo',
    phone: '256700000000',
    email: null,
    customerName: null,
    metadata: null,
    reference: null,
    railReference: uuidFor(id),
    railTransactionId: null,
    failureReason: null,
    paymentLinkId: null,
    refundId: null,
    createdAt: app.clock.now(),
    completedAt: null,
    refundedAt: null,
    holdUntil: null,
    settledAt: null,
    published: mode === 'test',
    endChosen: false,
    followAt: new Date(app.clock.nowMs() + 5000),
  }
}

type Paid = [mode: Mode, name: string, amount: number, shares?: readonly [subaccountId: string, amount: number][]]

/** The same with shares for subaccounts, whole UGX. */
export function splitCharge(app: App, merchantId: MerchantId, [mode, name, amount, parts]: Paid): NewCharge {
  const charge = newCharge(app, merchantId, { mode, name, amount })
  if (parts === undefined) return charge
  const split = parts.map(([subaccountId, share], index) => ({
    merchantId,
    chargeId: charge.id,
    index,
    mode,
    subaccountId,
    amount: share,
    reversed: false,
    holdUntil: null,
    settledAt: null,
    settlementId: null,
  }))
  return { ...charge, shares: split.reduce((sum, share) => sum + share.amount, 0), split }
}

/** Charge and key with its answer; that of a live one counts once the charge is shown. */
export const storeCharge = (charge: NewCharge): Call[] => {
  const { id, createdAt } = charge
  const answer = { status: 201, body: JSON.stringify({ id }), objectId: id }
  return [
    ...addKeys([{ ...keyOf(charge), answer, objectId: id }], createdAt),
    ...addCharges([charge]),
    ...addShares(charge.split ?? []),
  ]
}

export async function pay(app: App, merchantId: MerchantId, paid: Paid): Promise<void> {
  const [, name] = paid
  const charge = await create(app, merchantId, paid)
  await moveCharge(app, {
    charge,
    to: { status: 'succeeded', railTransactionId: `rail-${name}` },
    alongside: wordOf(charge, 'succeeded', `rail-${name}`),
  })
}

export async function fail(app: App, merchantId: MerchantId, paid: Paid): Promise<void> {
  const charge = await create(app, merchantId, paid)
  await moveCharge(app, {
    charge,
    to: { status: 'failed', reason: 'user_cancelled' },
    alongside: wordOf(charge, 'failed'),
  })
}

/** The operator's answer about a live charge, with its number, stored as the evidence for its end. */
export const wordOf = (
  {
    merchantId,
    mode,
    railReference,
    createdAt: at,
  }: Pick<NewCharge, 'merchantId' | 'mode' | 'railReference' | 'createdAt'>,
  word: 'succeeded' | 'failed',
  number: string | null = null,
): Call[] =>
  mode === 'test' || railReference === null
    ? []
    : [
        addEvidence(
          { merchantId, reference: railReference },
          word,
          { at, operation: 'status', stage: 'answered', elapsedMs: 5 },
          number,
        ),
      ]

async function create(app: App, merchantId: MerchantId, paid: Paid): Promise<NewCharge> {
  const [mode, name, amount, parts] = paid
  if (mode === 'live') return createLive(app, merchantId, { name, amount, parts })
  const charge = splitCharge(app, merchantId, paid)
  await write(app.db, ...storeCharge(charge))
  return charge
}

type End = 'accepted' | 'voided' | 'sending'

/** Key, charge and attempt in one commit; then the answer of the rail, unless it has not come yet. */
export async function createLive(
  app: App,
  merchantId: MerchantId,
  { name, amount, parts, end = 'accepted' }: { name: string; amount: number; parts?: Paid[3]; end?: End },
): Promise<NewCharge> {
  const charge = splitCharge(app, merchantId, ['live', name, amount, parts])
  const attempt = {
    ...attemptOf(charge),
    installation: 'one',
    state: 'sending' as const,
    at: charge.createdAt,
  }
  await write(app.db, ...storeCharge(charge), ...addAttempts(app, [attempt]))
  if (end === 'voided') await write(app.db, ...takeBack(charge))
  if (end === 'accepted') await write(app.db, ...publish(charge))
  return charge
}

/** Nothing was sent: the charge is voided and its key is freed. */
export function takeBack(charge: NewCharge): Call[] {
  const { merchantId, id, createdAt } = charge
  return [
    freeAnsweredKey({ ...keyOf(charge), objectId: id }),
    call(product('void live charge'), merchantId, id, createdAt.toISOString()),
    endAttempt(attemptOf(charge), { state: 'void', at: createdAt }),
  ]
}

/** The rail accepted it: the charge is published. */
export function publish(charge: NewCharge): Call[] {
  const { merchantId, id, createdAt: at, followAt } = charge
  return [
    call(product('publish live charges'), numberColumn([merchantId]), textColumn([id]), timeColumn([followAt])),
    moveAttempt(attemptOf(charge), 'accepted', at),
    addEvidence(attemptOf(charge), 'accepted', { at, operation: 'submit', stage: 'answered', elapsedMs: 5 }),
  ]
}

export function attemptOf({ merchantId, id, channel, railReference }: NewCharge) {
  assert(railReference, 'a charge of the world has a reference')
  return { merchantId, reference: railReference, subject: id, side: 'collect' as const, channel }
}

function keyOf(charge: NewCharge) {
  const { merchantId, mode, id } = charge
  return {
    merchantId,
    mode,
    key: `key-${id}`,
    fingerprint: fingerprintRequest('POST', '/v1/charges', { id }),
  }
}

/** A statement of the product that its file does not export, found by name. */
export function product(name: string) {
  const found = listStatements().find((statement) => statement.name === name)
  assert(found, `the product has a statement called ${name}`)
  return found
}

export async function write(db: Database, ...calls: Call[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.send(...calls)
    return { value: null }
  })
}
