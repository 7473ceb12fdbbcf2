import type { Call, Database } from './database.ts'

/** Sends these statements in one transaction. The first one must lock the rows that the others need. */
export async function writeInTransaction(db: Database, calls: readonly Call[]): Promise<void> {
  const [first, ...rest] = calls
  if (first === undefined) return
  await db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(first)
    return { value: null, last: rest }
  })
}
