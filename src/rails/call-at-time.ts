import { callForRow } from '../platform/db/columns.ts'
import type { Call } from '../platform/db/database.ts'
import type { Statement } from '../platform/db/statement.ts'

/** Calls, for one movement, a statement that takes movements (merchant and id) and a time for each. */
export const callAtTime = (
  atTimeStatement: Statement,
  { merchantId, id }: { merchantId: number; id: string },
  at: Date,
): Call =>
  callForRow(atTimeStatement, { row: { merchantId, id, at }, name: id }, (each) => [
    ...each.numbers('merchantId'),
    ...each.texts('id'),
    ...each.times('at'),
  ])
