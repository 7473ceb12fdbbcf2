import { callForRow } from '../platform/db/columns.ts'
import type { Call } from '../platform/db/database.ts'
import type { Statement } from '../platform/db/statement.ts'

/** A call of a statement that takes movements (merchant and id) and a time for each. */
export const atTime = (
  asked: Statement,
  { merchantId, id }: { merchantId: number; id: string },
  at: Date,
): Call =>
  callForRow(asked, { row: { merchantId, id, at }, name: id }, (each) => [
    ...each.numbers('merchantId'),
    ...each.words('id'),
    ...each.times('at'),
  ])
