import { readPatiently } from '../../../platform/db/retry-while-away.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import type { RailSide } from '../../../rails/rail.ts'
import { liveMovements } from '../movements.ts'
import {
  judgedSpan,
  judgeLine,
  type MovedLine,
  type StatementDifference,
  type StatementSpan,
} from './statement-differences.ts'

type StagedLineRow = Omit<MovedLine, 'ours' | 'numbers'> & {
  side: RailSide | null
  ourAmount: number
  status: string
  isVoid: boolean
  ourNumber: string | null
}
const LINES_PER_PAGE = 1000
const IS_MOVEMENT = `status = 'SUCCESSFUL' and type in ('collect', 'disburse')`
// Each line of a page finds its movement by an index.
const LINES = statement<StagedLineRow>(
  'statement: lines with ours',
  `select s.line, s.type, s.amount::float8 as amount, s.at, to_jsonb(s.at) #>> '{}' as "atText", s.rail_transaction_id as number,
     s.external_id as "externalId", s.movement, s.merchant_id as "merchantId", o.side, o.amount::float8 as "ourAmount", o.status,
     o.voided_at is not null as "isVoid", o.rail_transaction_id as "ourNumber"
   from (select * from rail_statement_staged where run = $1 and line > $2 and ${IS_MOVEMENT} and at between $3 and $4
       order by line limit ${LINES_PER_PAGE}) s
     left join lateral (${liveMovements('m.merchant_id = s.merchant_id and m.id = s.movement')}) o on true
   order by s.line`,
)
const NUMBER = `ltrim(l.rail_transaction_id, '0')`
const IS_STORED_MOVEMENT = `l.status = 'SUCCESSFUL' and l.type in ('collect', 'disburse') and l.rail_transaction_id ~ '^[0-9]+$'`
// A line belongs to the movement whose id it carries, otherwise to the one with its number.
const NUMBERS = statement<{ id: string; numbers: string[] }>(
  'statement: numbers of movements',
  `select n.id, array_agg(distinct x.number order by x.number) as numbers
   from unnest($2::text[], $3::bigint[], $4::text[]) as n (id, merchant_id, number)
     join rail_attempts a on a.subject = n.id and a.merchant_id = n.merchant_id
     cross join lateral (
       select ${NUMBER} as number from rail_statement_staged l where l.run = $1 and l.movement = n.id and ${IS_STORED_MOVEMENT}
       union all
       select ${NUMBER} from rail_statement_lines l where lower(l.external_id) in (n.id, a.id) and ${IS_STORED_MOVEMENT}
       union all
       select ${NUMBER} from rail_statement_lines l
         where l.external_id is null and l.rail_transaction_id in (n.number, ltrim(n.number, '0')) and ${IS_STORED_MOVEMENT}) x
   group by n.id`,
)
// Movements that the operator may have booked within the period: from the first post to the moment at which its answer was known.
const OURS = statement<{
  merchantId: number
  sentAt: string
  reference: string
  id: string | null
  amount: number
  number: string | null
}>(
  'statement: ours without a line',
  `select a.merchant_id as "merchantId", a.sent as "sentAt", a.id as reference, o.id, o.amount::float8 as amount,
     o.rail_transaction_id as number
   from (select merchant_id, id, subject, first_sent_at, first_sent_at::text as sent from rail_attempts
       where installation = $2 and side = $3 and first_sent_at is not null
         and (first_sent_at, id) > ($4::timestamptz, $5) and first_sent_at <= $6
       order by first_sent_at, id limit ${LINES_PER_PAGE}) a
     left join lateral (${liveMovements('m.merchant_id = a.merchant_id and m.id = a.subject')}) o
       on o.status in ('succeeded', 'refunded') and o.voided_at is null and o.amount > 0 and o.completed_at <= $6
         and not exists (select from rail_statement_staged l where l.run = $1 and l.movement = o.id and l.status = 'SUCCESSFUL')
         and not exists (select from rail_statement_lines l
           where lower(l.external_id) in (a.subject, a.id) and l.status = 'SUCCESSFUL')
         and not exists (select from rail_statement_lines l where l.status = 'SUCCESSFUL'
           and l.rail_transaction_id in (o.rail_transaction_id, ltrim(o.rail_transaction_id, '0')))
   order by a.first_sent_at, a.id`,
)

/** A staged file: its run, its period, and the sides and installations for which a missing line is a difference. */
export type StagedFile = {
  run: string
  period: StatementSpan
  judged: readonly { side: RailSide; installation: string }[]
}
/** Reports one difference. */
export type ReportDifference = (app: App, difference: StatementDifference) => Promise<void>
type CompareResult = { lookedAt: number; agreed: number }

/** Compares every staged line of one cell with our books, a page at a time. `went` is called after each page. */
export async function compareLines(
  app: App,
  { run, period }: StagedFile,
  { report, went }: { report: ReportDifference; went(lines: number): Promise<void> },
): Promise<CompareResult> {
  const inside = judgedSpan(period)
  const bounds = [period.from.toISOString(), period.to.toISOString()]
  let last = 0
  const compared = { lookedAt: 0, agreed: 0 }
  for (;;) {
    const rows = await readPatiently(app.db, LINES, [run, last, ...bounds])
    const numbers = await readNumbers(app, run, rows)
    for (const row of rows) {
      const { agrees, differences } = judgeLine(buildMovedLine(row, numbers), inside)
      compared.agreed += agrees ? 1 : 0
      for (const difference of differences) await report(app, difference)
    }
    compared.lookedAt += rows.length
    await went(rows.length)
    last = rows.at(-1)?.line ?? last
    if (rows.length < LINES_PER_PAGE) return compared
  }
}

function buildMovedLine(row: StagedLineRow, numbers: ReadonlyMap<string, readonly string[]>): MovedLine {
  const { side, ourAmount, status, isVoid, ourNumber, ...line } = row
  const ours = side === null ? null : { side, amount: ourAmount, status, isVoid, number: ourNumber }
  return { ...line, ours, numbers: numbers.get(line.movement ?? '') ?? [] }
}

async function readNumbers({ db }: App, run: string, rows: readonly StagedLineRow[]): Promise<Map<string, string[]>> {
  const matched = rows.filter(({ side }) => side !== null)
  if (matched.length === 0) return new Map()
  const numberRows = await readPatiently(db, NUMBERS, [
    run,
    matched.map(({ movement }) => movement),
    matched.map(({ merchantId }) => merchantId),
    matched.map(({ ourNumber }) => ourNumber),
  ])
  return new Map(numberRows.map(({ id, numbers }) => [id, numbers]))
}

/**
 * Finds movements of one cell that succeeded in our books and are in no statement: of the sides and the installation of the file, where
 * the operator can only have booked them within the file's period.
 */
export async function findAbsent(
  app: App,
  { run, period, judged }: StagedFile,
  report: ReportDifference,
): Promise<void> {
  const { from, to } = judgedSpan(period)
  for (const { side, installation } of judged) {
    let last = [from.toISOString(), '']
    for (;;) {
      const rows = await readPatiently(app.db, OURS, [run, installation, side, ...last, to.toISOString()])
      for (const { id, merchantId, amount, number } of rows)
        if (id !== null) await report(app, { kind: 'ours_only', merchantId, subject: id, details: { amount, number } })
      const lastRow = rows.at(-1)
      if (lastRow === undefined || rows.length < LINES_PER_PAGE) break
      last = [lastRow.sentAt, lastRow.reference]
    }
  }
}
