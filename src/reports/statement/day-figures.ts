import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import { dayBounds } from '../../platform/kampala.ts'
import { reportTurns } from '../../platform/report-turns.ts'
import { readFigures, type StatementFigures } from './figures.ts'
import { withSnapshot } from './snapshot.ts'

/** Reads the totals of one day in Kampala (`YYYY-MM-DD`), as the statement of its month adds them up. */
export const readDayFigures = (
  app: App,
  { merchantId, mode }: Caller,
  day: string,
): Promise<StatementFigures> =>
  reportTurns(app).small(merchantId, () =>
    withSnapshot(app.db, (snapshot) => {
      const period = { name: day, label: day, ...dayBounds(day) }
      return readFigures(snapshot, { merchantId, mode }, { period, complete: false })
    }),
  )
