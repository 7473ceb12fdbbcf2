import { at as placed, service } from '../actors/actor.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { lockHeads } from '../ledger/book.ts'
import { endClosing } from '../merchants/account-state.ts'
import { type Merchant, merchantsById } from '../merchants/merchant.ts'
import { lockMerchant } from '../merchants/set-merchant.ts'
import { payOutSubaccount } from '../payouts/pay-out-subaccount.ts'
import { assert } from '../platform/assert.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { statement } from '../platform/db/statement.ts'
import { isTaken } from '../platform/db/taken.ts'
import { Refusal } from '../platform/refusal.ts'
import { requestWithdrawal } from '../withdrawals/withdraw.ts'
import { endAccess } from './end-access.ts'
import { tellOfAccount } from './tell-of-account.ts'
import {
  beforeSending,
  beforeWithdrawing,
  type Left,
  sendable,
  sharesOf,
  waitsOf,
  whatIsLeft,
} from './what-is-left.ts'

// What comes to an account that is closed (a correction, a movement that an operator ends late) is paid out too, unless it is less than
// the operator moves.
const CLOSING = statement<{ id: number }>(
  'accounts that close',
  `select m.id from merchants m where m.closing_at is not null and m.id > $1
     and (m.closed_at is null
       or exists (select from ledger_heads h where h.merchant_id = m.id and h.mode = 'live' and h.available >= $3)
       or exists (select from subaccount_heads h where h.merchant_id = m.id and h.mode = 'live' and h.available >= $3))
   order by m.id limit $2`,
)
const CLOSED_AT_ONCE = 100
// What was decided before the account began to close is committed by then.
const SETTLES_MS = 60_000
const MOST_SENT = 20
const ACTOR = service('close-accounts')

/** Goes one step with every account that closes: what can be sent is, and one with nothing left is closed. */
export async function closeAccounts(app: App): Promise<number> {
  let done = 0
  for (let after = 0; ; ) {
    const rows = await app.db.query(CLOSING, [after, CLOSED_AT_ONCE, app.config.railPayoutMin])
    for (const { id } of rows) {
      done += (await step(app, id).catch((error) => failed(app, id, error))) ? 1 : 0
      after = id
    }
    if (rows.length < CLOSED_AT_ONCE) return done
  }
}

function failed(app: App, merchantId: number, error: unknown): false {
  // A stop, a limit, an operator that is away: it is tried again.
  if (!(error instanceof Refusal) && !isTaken(error))
    app.log.error({ err: error, merchant_id: merchantId }, 'an account could not be closed yet')
  return false
}

async function step(app: App, id: number): Promise<boolean> {
  const merchant = await read(app, id)
  const { closingAt } = merchant
  if (closingAt === null || app.witness.earlierMs() - closingAt.getTime() < SETTLES_MS) return false
  const left = await whatIsLeft(app, merchant)
  if (beforeSending(app, merchant, left).length > 0) return false
  const sent = (await sendShares(app, merchant)) || (await withdraw(app, merchant, left))
  if (sent) return true
  return merchant.account === 'closing' && waitsOf(app, merchant, left).length === 0
    ? close(app, merchant)
    : false
}

async function read(app: App, id: number): Promise<Merchant> {
  const wanted = merchantsById([id])
  const [merchant] = await app.db.query(wanted.statement, wanted.values)
  assert(merchant, 'a merchant is never deleted')
  return merchant
}

/** The money of subaccounts goes to their own numbers. */
async function sendShares(app: App, merchant: Merchant): Promise<boolean> {
  const due = (await sharesOf(app, merchant)).filter(({ reached }) => reached)
  let sent = false
  for (const { id: subaccountId, available, sent: before } of due.slice(0, MOST_SENT)) {
    const amount = sendable(app, available, merchant.payoutLimit)
    if (amount === 0) continue
    const holder = { merchantId: merchant.id, tag: merchant.tag, mode: 'live' as const, cell: app.cell }
    // Of two processes one sends; the same amount that comes later is another payment.
    const key = `closing ${merchant.closingAt?.getTime()} ${subaccountId} ${before}`
    await payOutSubaccount(app, placed(ACTOR, holder), { holder, subaccountId, amount, key })
    sent = true
  }
  return sent
}

/** What the account has is asked for as a withdrawal, which an operator looks at like any other. */
async function withdraw(app: App, merchant: Merchant, left: Left): Promise<boolean> {
  const amount = sendable(app, left.available)
  if (amount === 0 || beforeWithdrawing(app, merchant, left).length > 0) return false
  // Of two processes one asks: the books have moved on for the other.
  const key = `closing ${merchant.closingAt?.getTime()} ${left.seq}`
  await requestWithdrawal(app, ACTOR, { merchantId: merchant.id, amount, key, least: 1 })
  return true
}

/**
 * Keys and sessions end first: they end again, with nothing left to end, when a crash comes between. An account that was kept open, or closes
 * anew, since it was looked at is left alone.
 */
async function close(app: App, merchant: Merchant): Promise<boolean> {
  const { id: merchantId, publicId: subject } = merchant
  const isSame = (now: Merchant) =>
    now.account === 'closing' && now.closingAt?.getTime() === merchant.closingAt?.getTime()
  if (!isSame(await read(app, merchantId))) return false
  await endAccess(app, merchant)
  crashPoint('account.access-ended')
  const closed = await app.db.transaction<boolean>(async (tx) => {
    await lockMerchant(tx, merchantId)
    const [[now], [head]] = await tx.send(
      merchantsById([merchantId]),
      lockHeads([{ merchantId, mode: 'live' }]),
    )
    assert(now && head, 'a merchant has a row and its heads')
    const moved = head.pending > 0 || head.in_flight > 0 || sendable(app, head.available) > 0
    if (!isSame(now) || moved) return { value: false }
    const at = app.clock.now()
    const act = { actor: ACTOR, action: 'merchant.close', at, merchantId, subject } as const
    const row = auditRow({ ...act, after: { account: 'closed', left: head.available } })
    return { value: true, last: [endClosing(merchantId, at), row] }
  })
  if (closed) await tellOfAccount(app, merchant, 'account-closed')
  return closed
}
