import { createHash } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { sqlState } from '../platform/db/errors.ts'
import { newId } from '../platform/ids.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { lockHeads, openBook } from './book.ts'

export const MOST_TEST_FUNDS = 100_000_000
const DUPLICATE = '23505'

/**
 * Adds test money straight to test available (G65), once for each `key`: the same key again adds nothing. `amount` is
 * whole UGX, 1 to 100000000. Errors: Refusal.
 */
export async function addTestFunds(
  { db, clock }: { db: Database; clock: Clock },
  holder: { merchantId: number; tag: string },
  { amount, key }: { amount: number; key: string | undefined },
): Promise<{ id: string; added: boolean }> {
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > MOST_TEST_FUNDS)
    throw domainRefusal('bad_request', `amount must be a whole number from 1 to ${MOST_TEST_FUNDS}`)
  const id = key === undefined ? newId('fund_', holder.tag) : idFor(holder.tag, key)
  try {
    await db.transaction(async (tx) => {
      const at = clock.now()
      const [heads] = await tx.send(lockHeads([{ merchantId: holder.merchantId, mode: 'test' }]))
      const book = openBook(heads, at)
      book.post({
        merchantId: holder.merchantId,
        mode: 'test',
        kind: 'test_funds',
        subject: id,
        debit: 'sandbox',
        credit: 'available',
        amount,
      })
      return { value: null, last: book.writes() }
    })
    return { id, added: true }
  } catch (error) {
    // happens_once: this key has added its money before.
    if (key !== undefined && sqlState(error) === DUPLICATE) return { id, added: false }
    throw error
  }
}

const idFor = (tag: string, key: string) =>
  `fund_${tag}${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
