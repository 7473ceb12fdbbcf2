import type { Caller } from '../../api/access/actor.ts'
import { reportTurns } from '../../platform/batches/report-turns.ts'
import { dayBounds } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { readFigures, type StatementFigures } from './figures.ts'
import { withSnapshot } from './snapshot.ts'

/** Reads the totals of one day in Kampala (`YYYY-MM-DD`), as the statement of its month adds them up. */
export const readDayFigures = (app: App, { merchantId, mode }: Caller, day: string): Promise<StatementFigures> =>
  reportTurns(app).small(merchantId, () =>
    withSnapshot(app.db, (snapshot) => {
      const period = { name: day, label: day, ...dayBounds(day) }
      return readFigures(snapshot, { merchantId, mode }, { period, complete: false })
    }),
  )
