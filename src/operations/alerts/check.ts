import type { Statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { AlertKind } from './kinds.ts'

/** A condition that holds now and that a person must know of. */
export type Finding = {
  kind: AlertKind
  /** What it is about. One alert is open for each kind and subject. */
  subject: string
  /** A sentence with what, how much money and where. It holds no phones, and no names but those of operators. */
  message: string
  /** The size in a unit of its kind: when it has doubled, the alert is sent again. */
  size: number
  /** Since when it holds. */
  since: Date
  /** Where the finding is about acts of people, the time of the newest: each new act is sent. */
  newestActAt?: Date
}

/** Looks for conditions of these kinds. */
export type Check = {
  kinds: readonly AlertKind[]
  /**
   * What was checked: a cell by its name, or a part of the service. An alert is closed when a check of its kind and source no longer finds
   * it, so no two checks have a kind and a source in common. Checks of what belongs to no cell run with each cell and have one source.
   */
  source(app: App): string
  find(app: App, at: Date): Promise<Finding[]>
  /** Runs while the clock is in doubt too. By a wrong clock everything else is late, or nothing is. */
  trustsNoClock?: true
}

/** The columns that the query of a `cellCheck` returns. No row means that all is well. */
export type CellFinding = {
  subject: string
  count: number
  amount: number
  since: Date
  /** Some of the ids it is about. */
  examples: string
}

type CellQuery = {
  kind: AlertKind
  /** $1 is now, $2 is the `threshold` where there is one. */
  query: Statement<CellFinding>
  /** What the query compares with, where a setting or another count says so. */
  threshold?(app: App): number | Promise<number>
  message(row: CellFinding, threshold: number): string
}

/** A check that is one query on a cell. */
export const cellCheck = ({ kind, query, threshold, message }: CellQuery): Check => ({
  kinds: [kind],
  source: ({ cell }) => cell,
  async find(app, at) {
    const limit = await threshold?.(app)
    const rows = await app.db.query(query, [at.toISOString(), ...(limit === undefined ? [] : [limit])])
    return rows.map((row) => ({
      kind,
      subject: `${app.cell} ${row.subject}`,
      message: `${message(row, limit ?? 0)} (${app.cell}, since ${row.since.toISOString()})`,
      size: row.count,
      since: row.since,
    }))
  },
})
