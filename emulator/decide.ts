import { isOver, type Transaction } from './book.ts'
import type { Desk } from './payments.ts'
import { EXPIRY_MS } from './profiles.ts'
import type { Rule } from './rules.ts'

/** Who decides about a payment: at once, by the profile's own times, or when it is told. */
export type Decide = 'at once' | 'profile' | 'when told'

/** A transfer asks nobody for a PIN. */
const TRANSFER_MS = 500
const DOUBLE_MS = 180_000

/** Plans how the payment ends: by its rule, by the profile, at once, or when somebody says so. */
export function decideLater(desk: Desk, transaction: Transaction): void {
  const { clock, decide } = desk
  const { rule } = transaction
  if (rule?.resolve === 'never') return
  if (rule?.reversal !== undefined) {
    reverseLater(desk, transaction, rule.reversal)
    return
  }
  if (rule?.resolve !== undefined) {
    const { afterMs = 0, status, reason } = rule.resolve
    const decided = () => end(desk, transaction, { status, reason: reason ?? null })
    if (afterMs === 0) void decided()
    else clock.after(afterMs, decided)
    return
  }
  if (decide === 'at once') void end(desk, transaction, { status: 'SUCCESSFUL' })
  if (decide === 'profile') decideByProfile(desk, transaction)
}

function decideByProfile(desk: Desk, transaction: Transaction): void {
  const { clock, profile, chance } = desk
  const isApproved = transaction.operation === 'requesttopay' || transaction.operation === 'requesttowithdraw'
  const approval = isApproved ? profile.approvalMs(chance) : TRANSFER_MS
  if (approval === null) clock.after(EXPIRY_MS, () => end(desk, transaction, { status: 'FAILED', reason: 'EXPIRED' }))
  else clock.after(approval, () => end(desk, transaction, { status: 'SUCCESSFUL' }))
}

/** The operator tells one end and later the other; the money follows the last. */
function reverseLater(desk: Desk, transaction: Transaction, { first, afterMs }: NonNullable<Rule['reversal']>): void {
  const last = first === 'FAILED' ? 'SUCCESSFUL' : 'FAILED'
  const reasonOf = (status: 'FAILED' | 'SUCCESSFUL') => (status === 'FAILED' ? 'EXPIRED' : null)
  void end(desk, transaction, { status: first, reason: reasonOf(first) })
  desk.clock.after(afterMs, () => {
    desk.book.reopen(transaction)
    return end(desk, transaction, { status: last, reason: reasonOf(last) })
  })
}

/** Ends a payment that is open and calls back about it. Resolves when callbacks without a delay were answered. */
export async function end(
  { book, callbacks, profile, decide, chance }: Desk,
  transaction: Transaction,
  to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string | null },
): Promise<void> {
  if (isOver(transaction)) return
  book.end(transaction, to)
  if (!isOver(transaction) || transaction.callbackUrl === null) return
  const planned = transaction.rule?.callbacks?.filter(({ early }) => early !== true)
  const usual = decide === 'profile' ? usualCalls(profile.callback(chance)) : [{ times: 1 }]
  await Promise.all((planned ?? usual).map((calls) => callbacks.plan(transaction, calls)))
}

const usualCalls = ({ afterMs, times }: { afterMs: number; times: number }) =>
  times === 0 ? [] : [{ afterMs, times, gapMs: DOUBLE_MS }]
