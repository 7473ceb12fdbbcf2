import { actingFor as placed, serviceActor } from '../../api/access/actor.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { lockHeads } from '../../ledger/book.ts'
import { setAccountClosed } from '../../merchants/account/account-state.ts'
import { revokeAllKeys } from '../../merchants/account/api-keys.ts'
import { directoryChanged } from '../../merchants/account/authenticate.ts'
import { closeRevokedKeys } from '../../merchants/account/close-revoked-keys.ts'
import { findMerchantsById, type Merchant } from '../../merchants/account/merchant.ts'
import { lockMerchant } from '../../merchants/account/set-merchant.ts'
import { voidMerchantLinks } from '../../merchants/people/links.ts'
import { endSessionsAt } from '../../merchants/people/write-sessions.ts'
import { payOutSubaccount } from '../../payments/payouts/pay-out-subaccount.ts'
import { endOrderOfClosedAccount, lockCurrentOrder } from '../../payments/withdrawals/standing-orders/standing-order.ts'
import { requestWithdrawal } from '../../payments/withdrawals/withdraw.ts'
import { assert } from '../../platform/assert.ts'
import { statement } from '../../platform/db/statement.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import {
  type AccountRemainder,
  listClosingBlockers,
  listSendingBlockers,
  listSubaccountShares,
  listWithdrawalBlockers,
  readRemainder,
  sendableAmount,
} from './account-remainder.ts'
import { notifyAccountOwners } from './notify-account-owners.ts'

// Includes closed accounts that received money afterwards (a correction, a movement that the operator finishes late), unless it is less
// than the operator moves in one payout.
const CLOSING_ACCOUNTS = statement<{ id: number }>(
  'accounts that close',
  `select m.id from merchants m where m.closing_at is not null and m.id > $1
     and (m.closed_at is null
       or exists (select from ledger_heads h where h.merchant_id = m.id and h.mode = 'live' and h.available >= $3)
       or exists (select from subaccount_heads h where h.merchant_id = m.id and h.mode = 'live' and h.available >= $3))
   order by m.id limit $2`,
)
const ACCOUNTS_PER_READ = 100
// After this time, every decision taken before the closing began is committed.
const COMMIT_GRACE_MS = 60_000
const MAX_SHARES_PER_STEP = 20
const ACTOR = serviceActor('close-accounts')

/** Takes every closing account one step further: sends money, or closes an account with nothing left. Returns how many moved on. */
export async function closeAccounts(app: App): Promise<number> {
  let done = 0
  for (let after = 0; ; ) {
    const rows = await app.db.query(CLOSING_ACCOUNTS, [after, ACCOUNTS_PER_READ, app.config.railPayoutMin])
    for (const { id } of rows) {
      done += (await advanceClosing(app, id).catch((error) => logUnexpected(app, id, error))) ? 1 : 0
      after = id
    }
    if (rows.length < ACCOUNTS_PER_READ) return done
  }
}

function logUnexpected(app: App, merchantId: number, error: unknown): false {
  // A pause, a limit or an unavailable operator is expected: the next run tries again.
  if (!(error instanceof Refusal) && !isUniqueViolation(error))
    app.log.error({ err: error, merchant_id: merchantId }, 'an account could not be closed yet')
  return false
}

async function advanceClosing(app: App, id: number): Promise<boolean> {
  const merchant = await readMerchant(app, id)
  const { closingAt } = merchant
  if (closingAt === null || app.witness.earlierMs() - closingAt.getTime() < COMMIT_GRACE_MS) return false
  const remainder = await readRemainder(app, merchant)
  if (listSendingBlockers(app, merchant, remainder).length > 0) return false
  const sent = (await sendShares(app, merchant)) || (await withdrawBalance(app, merchant, remainder))
  if (sent) return true
  return merchant.account === 'closing' && listClosingBlockers(app, merchant, remainder).length === 0
    ? finishClosing(app, merchant)
    : false
}

async function readMerchant(app: App, id: number): Promise<Merchant> {
  const merchantCall = findMerchantsById([id])
  const [merchant] = await app.db.query(merchantCall.statement, merchantCall.values)
  assert(merchant, 'a merchant is never deleted')
  return merchant
}

/** Sends the money of subaccounts to their own numbers. */
async function sendShares(app: App, merchant: Merchant): Promise<boolean> {
  const due = (await listSubaccountShares(app, merchant)).filter(({ reached }) => reached)
  let sent = false
  for (const { id: subaccountId, available, sent: before } of due.slice(0, MAX_SHARES_PER_STEP)) {
    const amount = sendableAmount(app, available, merchant.payoutLimit)
    if (amount === 0) continue
    const holder = { merchantId: merchant.id, tag: merchant.tag, mode: 'live' as const, cell: app.cell }
    // Under this key only one of two processes sends. The count makes a later payment of the same amount another one.
    const key = `closing ${merchant.closingAt?.getTime()} ${subaccountId} ${before}`
    await payOutSubaccount(app, placed(ACTOR, holder), { holder, subaccountId, amount, key })
    sent = true
  }
  return sent
}

/** Requests the account's balance as a withdrawal, which staff approve like any other. */
async function withdrawBalance(app: App, merchant: Merchant, remainder: AccountRemainder): Promise<boolean> {
  const amount = sendableAmount(app, remainder.available)
  if (amount === 0 || listWithdrawalBlockers(app, merchant, remainder).length > 0) return false
  // Under this key only one of two processes requests it: for the other one the ledger's sequence has moved on.
  const key = `closing ${merchant.closingAt?.getTime()} ${remainder.seq}`
  await requestWithdrawal(app, ACTOR, { merchantId: merchant.id, amount, key, least: 1 })
  return true
}

/**
 * Ends keys and sessions first; after a crash in between this runs again and finds none to end. Does nothing if the account was kept open,
 * or its closing was begun a second time, after `merchant` was read.
 */
async function finishClosing(app: App, merchant: Merchant): Promise<boolean> {
  const { id: merchantId, publicId: subject } = merchant
  const isUnchanged = (current: Merchant) =>
    current.account === 'closing' && current.closingAt?.getTime() === merchant.closingAt?.getTime()
  if (!isUnchanged(await readMerchant(app, merchantId))) return false
  await endAccess(app, merchant)
  crashPoint('account.access-ended')
  const closed = await app.db.transaction<boolean>(async (tx) => {
    // Before the merchant, as everybody locks it.
    await tx.send(lockCurrentOrder(merchantId))
    await lockMerchant(tx, merchantId)
    const [[current], [head]] = await tx.send(
      findMerchantsById([merchantId]),
      lockHeads([{ merchantId, mode: 'live' }]),
    )
    assert(current && head, 'a merchant has a row and its heads')
    const moved = head.pending > 0 || head.in_flight > 0 || sendableAmount(app, head.available) > 0
    if (!isUnchanged(current) || moved) return { value: false }
    const at = app.clock.now()
    const act = { actor: ACTOR, action: 'merchant.close', at, merchantId, subject } as const
    const row = auditRow({ ...act, after: { account: 'closed', left: head.available } })
    return { value: true, last: [setAccountClosed(merchantId, at), endOrderOfClosedAccount(merchantId, at), row] }
  })
  if (closed) await notifyAccountOwners(app, merchant, 'account-closed')
  return closed
}

/** Ends every key, session, invitation and till of a merchant. Its people may sign in again and read. Writes nothing if none is left. */
async function endAccess(app: App, { id: merchantId, publicId: subject }: Merchant): Promise<void> {
  const at = app.clock.now()
  await app.directory.transaction(async (tx) => {
    const [keys] = await tx.send(revokeAllKeys(merchantId, at))
    const accessEnds = [endSessionsAt(merchantId), voidMerchantLinks(merchantId, at)]
    if (keys.length === 0) return { value: null, last: accessEnds }
    const act = {
      actor: serviceActor('close-accounts'),
      action: 'merchant.close',
      at,
      merchantId,
      subject,
    } as const
    const row = auditRow({ ...act, after: { keys_ended: keys.length } })
    return { value: null, last: [...accessEnds, directoryChanged(), row] }
  })
  await closeRevokedKeys(app)
  app.keyRing.forget()
}
