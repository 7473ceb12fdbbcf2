import { serviceActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type LedgerClosedAhead, reopenLedgers } from '../../ledger/closed-months.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { latestPlausibleTime } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { kampalaMonth, monthBounds } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'

const FORGET_HEADERS = statement(
  'forget headers of open months',
  'delete from statement_headers where merchant_id = $1 and mode = $2 and period >= $3',
)
const LEDGERS_AT_ONCE = 100

/**
 * Opens months again that a clock that was ahead closed too early: until they are over, those merchants could post nothing. A month that
 * is not over is the last one that a statement can depend on, so no later statement stands on it. Months that are over stay closed. The
 * name on the statement is stored again at the next closing. Returns how many ledgers were opened.
 */
export async function reopenMonths(app: App): Promise<number> {
  const actor = serviceActor('months')
  allow(actor, 'month.reopen')
  const at = app.clock.now()
  const name = kampalaMonth(at)
  const month = monthBounds(name)
  assert(month, 'now is in a month')
  return app.db.transaction(async (tx) => {
    const [opened] = await tx.send(
      reopenLedgers({ beyond: latestPlausibleTime(at, 0), month: month.start, limit: LEDGERS_AT_ONCE }),
    )
    const last = (closedAhead: LedgerClosedAhead): Call[] => [
      call(FORGET_HEADERS, closedAhead.merchantId, closedAhead.mode, name),
      auditRow({
        ...{ actor, action: 'month.reopen', at, merchantId: closedAhead.merchantId, mode: closedAhead.mode },
        ...{
          subject: name,
          before: { closed_until: closedAhead.until },
          after: { closed_until: month.start },
        },
      }),
    ]
    return { value: opened.length, last: opened.flatMap(last) }
  })
}
