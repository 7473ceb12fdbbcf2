import type { Call, Database } from './database.ts'

/** Sends statements that belong together in one transaction, the first of which locks what the others need. */
export async function writeAll(db: Database, calls: readonly Call[]): Promise<void> {
  const [first, ...rest] = calls
  if (first === undefined) return
  await db.transactionFor({ kind: 'outcome' }, async (tx) => {
    await tx.send(first)
    return { value: null, last: rest }
  })
}
