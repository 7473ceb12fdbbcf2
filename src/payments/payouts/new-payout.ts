import { payoutFee } from '../../ledger/fees.ts'
import { assert } from '../../platform/assert.ts'
import type { Mode } from '../../platform/mode.ts'
import { newAscendingId, uuidFor } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { SENDING_MS } from '../../rails/posting/repost-times.ts'
import type { PayoutFailure } from '../../rails/rail.ts'
import type { Payout } from './payout.ts'
import { type PayoutDetails, readPayoutDetails } from './payout-request.ts'

/** The origin of a payout, with the fields that the payout stores about it. */
export type PayoutOrigin =
  | { kind: 'payout' }
  | { kind: 'bulk'; batchId: string; itemIndex: number }
  | { kind: 'scheduled'; scheduleId: string; cycleAt: Date; itemIndex: number }
  | { kind: 'refund'; chargeId: string; feeToReturn: number }
  | { kind: 'withdrawal' }
  | { kind: 'subaccount'; subaccountId: string }

/** A payout about to be stored. `followAt` is null only for a withdrawal that waits for approval. */
export type NewPayout = Payout & {
  itemIndex: number | null
  cycleAt: Date | null
  feeToReturn: number
  sandboxOutcome: PayoutFailure | null
  published: boolean
  followAt: Date | null
  /** The key whose limit of the day it counts against; null: none. */
  limitedKey: string | null
}

export type PayoutFacts = Partial<PayoutDetails> & {
  origin: PayoutOrigin
  amount: number
  channel: string
  phone: string
  name: string | null
  at: Date
  sandboxOutcome?: PayoutFailure | null
  limitedKey?: string | null
}

const NO_DETAILS = readPayoutDetails({})

/**
 * Makes a payout with its fee and its rail reference, in its first state. Test: `authorized`, due at the sandbox's time; the payouts
 * of a schedule's cycle are `pending` and sent at the next tick (rails.md 2.1). Live: a single payout is hidden until its rail has
 * answered; the others wait in the queue, a refund shown as `authorized` (spec 2.3).
 */
export function newPayout(
  app: App,
  { merchantId, tag, mode }: { merchantId: number; tag: string; mode: Mode },
  { origin, amount, channel, phone, name, at, sandboxOutcome = null, limitedKey = null, ...details }: PayoutFacts,
): NewPayout {
  const id = newAscendingId('pout_', tag, at)
  const firstState = mode === 'test' ? firstTestState(app, origin, at) : firstLiveState(origin, at)
  return {
    merchantId,
    id,
    mode,
    kind: origin.kind,
    ...firstState,
    amount,
    fee: payoutFee(amount),
    channel,
    recipientPhone: phone,
    recipientName: name,
    ...NO_DETAILS,
    ...details,
    railReference: uuidFor(id),
    railTransactionId: null,
    failureReason: null,
    chargeId: origin.kind === 'refund' ? origin.chargeId : null,
    feeToReturn: origin.kind === 'refund' ? origin.feeToReturn : 0,
    batchId: origin.kind === 'bulk' ? origin.batchId : null,
    scheduleId: origin.kind === 'scheduled' ? origin.scheduleId : null,
    cycleAt: origin.kind === 'scheduled' ? origin.cycleAt : null,
    itemIndex: origin.kind === 'bulk' || origin.kind === 'scheduled' ? origin.itemIndex : null,
    subaccountId: origin.kind === 'subaccount' ? origin.subaccountId : null,
    sandboxOutcome,
    limitedKey,
    createdAt: at,
    completedAt: null,
  }
}

type FirstState = Pick<NewPayout, 'status' | 'published' | 'followAt'>

function firstTestState(app: App, { kind }: PayoutOrigin, at: Date): FirstState {
  assert(kind !== 'withdrawal', 'test money is never withdrawn')
  if (kind === 'scheduled') return { status: 'pending', published: true, followAt: at }
  const due = new Date(at.getTime() + app.config.sandboxOutcomeSeconds * 1000)
  return { status: 'authorized', published: true, followAt: due }
}

function firstLiveState({ kind }: PayoutOrigin, at: Date): FirstState {
  if (kind === 'payout') return { status: 'pending', published: false, followAt: new Date(at.getTime() + SENDING_MS) }
  if (kind === 'withdrawal') return { status: 'pending', published: true, followAt: null }
  return { status: kind === 'refund' ? 'authorized' : 'pending', published: true, followAt: at }
}
