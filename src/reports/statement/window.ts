import type { CopyLiteral } from '../../platform/db/wire/copy-out.ts'
import type { JsonColumnKind } from '../../platform/db/wire/rows-as-json.ts'
import type { LedgerMonth } from './lines.ts'
import type { SeqRange } from './range.ts'

// A window is a range of transfers that is read at once: $1 and $2 are the ledger, $3 and $4 the numbers, $5 and $6 the month.
export const WITHIN = 't.merchant_id = $1 and t.mode = $2 and t.seq >= $3 and t.seq < $4 and t.at >= $5 and t.at < $6'
/** Only transfers with these numbers; all where the value is null. */
export const seqAmong = (parameter: string) => `(${parameter}::bigint[] is null or t.seq = any(${parameter}))`
// The times at which the window begins and ends. Numbers are nearly in the order of time, hence the minute.
const WINDOW_FROM = '(select at from transfers where merchant_id = $1 and mode = $2 and seq = $3)'
const WINDOW_UNTIL = `(select at + interval '1 minute' from transfers where merchant_id = $1 and mode = $2 and seq = $4::bigint - 1)`

/** The values of `WITHIN`. */
export const windowValues = (
  { ledger, period }: Pick<LedgerMonth, 'ledger' | 'period'>,
  { first, end }: SeqRange,
): readonly CopyLiteral[] => [...[ledger.merchantId, ledger.mode, first, end, period.start, period.end]]

/** The members of a line after its date: the SQL of each, and how its value is written. */
export type LineMembers = Readonly<Record<string, { sql: string; kind: Exclude<JsonColumnKind, 'time'> }>>
export const textMember = (sql: string) => ({ sql, kind: 'text' as const })
export const wholeMember = (sql: string) => ({ sql, kind: 'whole' as const })

/** The kind of each column of a line. */
export const listColumnKinds = (members: LineMembers): Record<string, JsonColumnKind> => ({
  date: 'time',
  ...Object.fromEntries(Object.entries(members).map(([name, { kind }]) => [name, kind])),
})

/** The members as columns of a select. */
export const membersAsColumns = (members: LineMembers): string =>
  Object.entries(members)
    .map(([name, { sql }]) => `${sql} as ${name}`)
    .join(', ')

/**
 * The rows that transfers of a kind are about. Likely ones meet `among` and were created at most `before` earlier; each meets `any`.
 * `which`: one more condition on the transfers.
 */
type SubjectRows = { kind: string; table: string; among: string; before: string; any: string; which: string }

/**
 * The SQL of a window's rows: for each transfer its time, and the members of the row that it is about. Reading the likely rows costs a
 * quarter of looking up each by id; the others are looked up.
 */
export function rowsSql(members: LineMembers, { kind, table, among, before, any, which }: SubjectRows): string {
  const columns = membersAsColumns(members)
  const values = Object.keys(members).map((name) => `coalesce(n.${name}, o.${name})`)
  // `offset 0` keeps the look-up a look-up: as an ordinary join it would read all rows of the merchant.
  return `select t.at, ${values.join(', ')} from transfers t
    left join (select ${columns} from ${table} where merchant_id = $1 and mode = $2 and ${among}
      and created_at >= ${WINDOW_FROM} - interval '${before}' and created_at <= ${WINDOW_UNTIL}) n on n.id = t.subject
    left join lateral (select ${columns} from ${table} r where n.id is null and r.merchant_id = $1 and r.id = t.subject
      and ${any} offset 0) o on true
    where ${WITHIN} and ${which} and t.kind = '${kind}' and coalesce(n.id, o.id) is not null order by t.seq`
}
