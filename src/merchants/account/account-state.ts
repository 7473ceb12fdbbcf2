import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Moves } from '../../platform/moves.ts'

/** `closing`: no money comes in any more, and the balance goes out; `closed`: the balance is gone. */
export type AccountState = 'open' | 'closing' | 'closed'

/**
 * The one table of moves. The state follows from two times; constraints and the trigger accounts_move_forward enforce the moves. The
 * move from open to closed is the previous release's, which closes an account that was never used at once.
 */
export const ACCOUNT_MOVES = {
  open: { closing: null, closed: null },
  closing: { open: null, closed: null },
  closed: { open: null },
} as const satisfies Moves<AccountState>

/** SQL expression for the state of a row of `merchants`. */
export const ACCOUNT_STATE = `case when closed_at is not null then 'closed' when closing_at is not null then 'closing' else 'open' end`

const BEGIN_CLOSING = statement(
  'account closes',
  `update merchants set active = false, closing_at = $2, closing_by = $3, inactive_since = $2, inactive_for = $4 where id = $1`,
)
const OPEN = statement(
  'account is open',
  `update merchants set active = true, closing_at = null, closing_by = null, closed_at = null, inactive_since = null, inactive_for = null
   where id = $1`,
)
const CLOSE = statement('account is closed', 'update merchants set closed_at = $2 where id = $1')

/** Begins the closing of an account whose row is locked. The message of an operator is shown to the merchant's people. */
export const beginClosing = (
  merchantId: number,
  { by, message, at }: { by: 'owner' | 'operator'; message: string | null; at: Date },
): Call => call(BEGIN_CLOSING, merchantId, at.toISOString(), by, message)
export const openAccount = (merchantId: number): Call => call(OPEN, merchantId)
export const setAccountClosed = (merchantId: number, at: Date): Call => call(CLOSE, merchantId, at.toISOString())
