import type { Actor } from '../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { inOpenMonth } from '../../ledger/book.ts'
import { type MerchantTerms, merchantInactive } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, notFound, Refusal } from '../../platform/refusal.ts'
import { uuidFor } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { endAttempt } from '../../rails/attempts.ts'
import { acceptPayout, type CommandPayoutInput } from '../payouts/accept-payout.ts'
import { finishPayoutsIn } from '../payouts/move-payout.ts'
import type { NewPayout } from '../payouts/new-payout.ts'
import { judgeVerification } from '../payouts/payout-rules.ts'
import { releaseWithdrawal } from '../payouts/write-payouts.ts'
import { judgeWithdrawalApproval } from './judge-approving.ts'
import { mayWithdraw } from './may-withdraw.ts'
import { findWaitReason, shareWithdrawalNumber, type WithdrawalNumber } from './withdrawal-number.ts'

export type WithdrawalDecision = 'approved' | 'rejected' | 'cancelled'
type WithdrawalDecisionInput = {
  merchantId: number
  id: string
  decision: WithdrawalDecision
  note: string | null
}
/** What requests a withdrawal: a person, a command or the service, or the run of a standing order. */
export type WithdrawalInput = Pick<CommandPayoutInput, 'amount' | 'key' | 'claim'> & {
  merchantId: number
  /** The smallest amount that may be requested, when the claim has been made. */
  least(): number
  /** Judges more than the rules of every withdrawal. Throws Refusal. */
  judge?(terms: MerchantTerms): void
  judgeNumber?(own: WithdrawalNumber): void
  /** What the audit says besides, and what else the commit writes. */
  facts?: object
  alongside?(payout: NewPayout): Call[]
}
type Row = { merchantId: number; id: string; state: 'requested' | WithdrawalDecision; phone: string }

const ADD_WITHDRAWAL = statement('add withdrawal', 'insert into withdrawals (merchant_id, id) values ($1, $2)')
const LOCK_WITHDRAWAL = statement<Row>(
  'lock withdrawal',
  `select w.merchant_id as "merchantId", w.id, w.state, p.recipient_phone as phone
   from withdrawals w join payouts p on p.merchant_id = w.merchant_id and p.id = w.id
   where w.merchant_id = $1 and w.id = $2 for no key update of w`,
)
const DECIDE_WITHDRAWAL = statement(
  'decide withdrawal',
  'update withdrawals set state = $3, note = $4, decided_at = $5 where merchant_id = $1 and id = $2',
)
// The merchant may cancel its own request; approving and rejecting are for staff.
const ACTION_OF = {
  approved: 'withdrawal.decide',
  rejected: 'withdrawal.decide',
  cancelled: 'withdrawal.cancel',
} as const satisfies Record<WithdrawalDecision, string>
// The failure reasons of a withdrawal that was not approved.
const FAILURE_REASONS = { rejected: 'rail_rejected', cancelled: 'user_cancelled' } as const

type DecisionRow = { decision: WithdrawalDecision; note: string | null; at: Date }

/** Writes a decision that was made on locked rows. */
export const decideWithdrawalRow = (merchantId: number, id: string, { decision, note, at }: DecisionRow): Call =>
  call(DECIDE_WITHDRAWAL, merchantId, id, decision, note, at.toISOString())

/**
 * Requests a withdrawal of live money to the merchant's own verified number (spec 8; G66): amount and fee leave available
 * now, and nothing is sent before staff approve. `least`: the smallest amount that may be requested. Throws Refusal with nothing written.
 */
export const requestWithdrawal = (
  app: App,
  actor: Actor,
  {
    least = app.config.withdrawalMin,
    ...input
  }: { merchantId: number; amount: number; key?: string | undefined; least?: number },
): Promise<NewPayout> => acceptWithdrawal(app, actor, { ...input, least: () => least })

/** The one door of withdrawals: every rule is judged here, whoever asks. */
export async function acceptWithdrawal(
  app: App,
  actor: Actor,
  { merchantId, amount, key, claim, least, judge, judgeNumber, facts, alongside }: WithdrawalInput,
): Promise<NewPayout> {
  allow(actor, 'withdrawal.request', merchantId)
  requireLiveMode(actor)
  const act = { actor, action: 'withdrawal.request', at: app.clock.now(), merchantId, mode: 'live' } as const
  return acceptPayout(app, {
    holder: { merchantId, mode: 'live' },
    origin: { kind: 'withdrawal' },
    ...{ amount, key, claim },
    before(terms) {
      judge?.(terms)
      if (!mayWithdraw(terms)) throw merchantInactive(terms)
      judgeVerification({ terms, mode: 'live' })
    },
    async payee(tx, chosen) {
      const [[own]] = await tx.send(shareWithdrawalNumber(merchantId))
      if (!own?.verified) throw domainRefusal('no_withdrawal_number', 'no verified withdrawal number')
      const waitReason = findWaitReason(app, own)
      if (waitReason !== null) throw domainRefusal('withdrawal_number_waits', waitReason)
      judgeNumber?.(own)
      const minimum = least()
      if (chosen < minimum)
        throw domainRefusal('amount_too_small', `amount is below the withdrawal minimum of ${minimum}`, {
          field: 'amount',
        })
      return { phone: own.phone, name: null }
    },
    alongside: (payout) => [
      call(ADD_WITHDRAWAL, merchantId, payout.id),
      auditRow({
        ...act,
        subject: payout.id,
        after: { amount: payout.amount, fee: payout.fee, phone: payout.recipientPhone, ...facts },
      }),
      ...(alongside?.(payout) ?? []),
    ],
  })
}

/**
 * Approves (then it is sent like any payout), rejects or cancels a waiting withdrawal; the last two return amount and fee.
 * The first decision counts: a repeat of it changes nothing, another decision is refused. An approval is also refused, and the withdrawal
 * keeps waiting, if the facts that the request was judged by have changed.
 */
export async function decideWithdrawal(app: App, actor: Actor, input: WithdrawalDecisionInput): Promise<void> {
  allow(actor, ACTION_OF[input.decision], input.merchantId)
  requireLiveMode(actor)
  await inOpenMonth(() => decideInTransaction(app, actor, input))
  app.nudge('send-payouts')
  app.nudge('send-deliveries')
}

function decideInTransaction(
  app: App,
  actor: Actor,
  { merchantId, id, decision, note }: WithdrawalDecisionInput,
): Promise<null> {
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[row]] = await tx.send(call(LOCK_WITHDRAWAL, merchantId, id))
    if (!row) throw notFound('withdrawal')
    if (row.state === decision) return { value: null }
    if (row.state !== 'requested') throw alreadyDecided(row.state)
    if (decision === 'approved') await judgeWithdrawalApproval(app, tx, row)
    const decisionWrite = decideWithdrawalRow(merchantId, id, { decision, note, at })
    const act = { actor, action: ACTION_OF[decision], at, merchantId, mode: 'live', subject: id } as const
    const audit = auditRow({ ...act, before: { state: row.state }, after: { state: decision, note } })
    if (decision === 'approved')
      return { value: null, last: [decisionWrite, releaseWithdrawal(merchantId, id, at), audit] }
    const payout = { merchantId, id, mode: 'live' as const, subaccountId: null }
    const failure = {
      payout,
      to: { status: 'failed' as const, reason: FAILURE_REASONS[decision] },
      alongside: [endAttempt({ merchantId, reference: uuidFor(id) }, { at })],
    }
    const { missed, writes } = await finishPayoutsIn(app, tx, { moves: [failure], at })
    assert(missed.size === 0, 'a withdrawal that waits is open')
    return { value: null, last: [...writes, decisionWrite, audit] }
  })
}

const alreadyDecided = (state: string) =>
  new Refusal(409, 'conflict', `this withdrawal was already ${state}`, { stored: true })
