import { createHash } from 'node:crypto'
import type { Actor } from '../api/access/actor.ts'
import { allow } from '../api/access/allow.ts'
import { auditRow } from '../api/access/audit-row.ts'
import { keyReused } from '../api/idempotency/keys.ts'
import type { Call, Database, Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { onUniqueViolation } from '../platform/db/unique-violation.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { newId } from '../platform/text/ids.ts'
import type { Clock } from '../platform/time/clock.ts'
import { inOpenMonth, lockHeads, openBook } from './book.ts'

type FundedMerchant = { merchantId: number; tag: string }

export const MAX_TEST_FUNDS = 100_000_000

const ADDED_TEST_FUNDS = statement<{ amount: number }>(
  'test funds added',
  `select amount from transfers where merchant_id = $1 and subject = $2 and kind = 'test_funds'`,
)

/**
 * Adds test money straight to test available (G65), once for each `key`: a repeated key adds nothing. `amount` is whole UGX,
 * 1 to 100000000. Throws Refusal, also when a repeated key comes with another amount.
 */
export async function addTestFunds(
  { db, clock }: { db: Database; clock: Clock },
  actor: Actor,
  { holder, amount, key }: { holder: FundedMerchant; amount: number; key: string | undefined },
): Promise<{ id: string; added: boolean }> {
  const id = key === undefined ? newId('fund_', holder.tag) : fundsIdForKey(holder.tag, key)
  const add = async () => {
    await inOpenMonth(() =>
      db.transaction(async (tx) => {
        const posted = await postTestFunds(tx, actor, { ...holder, id, amount, at: clock.now() })
        return { value: null, last: posted.writes }
      }),
    )
    return { id, added: true }
  }
  if (key === undefined) return add()
  // Constraint happens_once refuses the second transfer of a key: this key has added its money before.
  return onUniqueViolation(add, () => replayTestFunds(db, holder.merchantId, { id, amount }))
}

/**
 * Posts test money in this transaction, for a caller that keeps it from being posted twice: returns what is available then, in whole UGX,
 * and what the transaction must write. Throws Refusal, and MonthClosed like every posting.
 */
export async function postTestFunds(
  tx: Tx,
  actor: Actor,
  { merchantId, id: subject, amount, at }: { merchantId: number; id: string; amount: number; at: Date },
): Promise<{ available: number; writes: Call[] }> {
  allow(actor, 'funds.add', merchantId)
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > MAX_TEST_FUNDS)
    throw domainRefusal('bad_request', `amount must be a whole number from 1 to ${MAX_TEST_FUNDS}`, { field: 'amount' })
  const [heads] = await tx.send(lockHeads([{ merchantId, mode: 'test' }]))
  const book = openBook(heads, at)
  book.post({
    merchantId,
    mode: 'test',
    kind: 'test_funds',
    subject,
    debit: 'sandbox',
    credit: 'available',
    amount,
  })
  const act = { actor, action: 'funds.add', at, merchantId, mode: 'test' } as const
  const writes = [...book.writes(), auditRow({ ...act, subject, after: { amount } })]
  return { available: book.head(merchantId, 'test').available, writes }
}

async function replayTestFunds(db: Database, merchantId: number, { id, amount }: { id: string; amount: number }) {
  const [first] = await db.query(ADDED_TEST_FUNDS, [merchantId, id])
  if (first?.amount !== amount) throw keyReused()
  return { id, added: false }
}

const fundsIdForKey = (tag: string, key: string) =>
  `fund_${tag}${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
