import type { Caller } from '../api/access/actor.ts'
import type { DocumentStream } from '../api/http/answer.ts'
import type { ReportSize, ReportTurn } from '../platform/batches/report-turns.ts'
import { reportTurns } from '../platform/batches/report-turns.ts'
import type { App } from '../program/app.ts'
import type { StatementPeriod } from './statement/period.ts'
import { findMonthRange } from './statement/range.ts'
import type { SnapshotQueries } from './statement/snapshot.ts'

// So many take some tens of milliseconds as JSON, a second or two as a PDF. The count includes a day before and after the month.
const MAX_SMALL_TRANSFERS = 10_000

/** Writes a statement in the turn of its merchant; small ones never wait behind large ones. */
export function inReportTurn(
  app: App,
  { caller, period }: { caller: Caller; period: StatementPeriod },
  statement: DocumentStream,
): DocumentStream {
  let turn: ReportTurn | null = null
  return {
    ...statement,
    write: async (reader) => {
      const size = await readReportSize(app, caller, period)
      turn = await reportTurns(app).enter({ merchantId: caller.merchantId, size, isGone: reader.isGone })
      await statement.write(reader).finally(turn.markMade)
    },
    done: () => turn?.markSent(),
  }
}

/** Whether the report is large, by the number of transfers in the range that contains the month. */
const readReportSize = async (app: App, caller: Caller, period: StatementPeriod): Promise<ReportSize> =>
  (await countTransfers(app, caller, period)) > MAX_SMALL_TRANSFERS ? 'large' : 'small'

/** Counts the transfers in the range that contains the month. */
export async function countTransfers(app: App, { merchantId, mode }: Caller, period: StatementPeriod): Promise<number> {
  const current: SnapshotQueries = { ask: (question, values) => app.db.query(question, [...values]) }
  const { first, end } = await findMonthRange(current, { merchantId, mode }, period)
  return end - first
}
