import type { Caller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import type { Stream } from '../http/caller.ts'
import type { ReportSize, Turn } from '../platform/report-turns.ts'
import { reportTurns } from '../platform/report-turns.ts'
import type { Period } from './statement/period.ts'
import { rangeOf } from './statement/range.ts'
import type { Asked } from './statement/snapshot.ts'

// So many take some tens of milliseconds as JSON, a second or two as a PDF. The count includes a day before and after the month.
const SMALL_TRANSFERS = 10_000

/** Writes a statement in the turn of its merchant; small ones never wait behind large ones. */
export function inTurn(
  app: App,
  { caller, period }: { caller: Caller; period: Period },
  statement: Stream,
): Stream {
  let turn: Turn | null = null
  return {
    ...statement,
    write: async (reader) => {
      const size = await sizeOf(app, caller, period)
      turn = await reportTurns(app).enter({ merchantId: caller.merchantId, size, isGone: reader.gone })
      await statement.write(reader).finally(turn.made)
    },
    done: () => turn?.sent(),
  }
}

/** The size of the report, by the number of transfers in the range that contains the month. */
async function sizeOf(app: App, { merchantId, mode }: Caller, period: Period): Promise<ReportSize> {
  const current: Asked = { ask: (question, values) => app.db.query(question, [...values]) }
  const { first, end } = await rangeOf(current, { merchantId, mode }, period)
  return end - first > SMALL_TRANSFERS ? 'large' : 'small'
}
