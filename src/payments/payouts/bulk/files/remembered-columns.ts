import { createHash } from 'node:crypto'
import type { Caller } from '../../../../api/access/actor.ts'
import { type Call, call } from '../../../../platform/db/database.ts'
import { statement } from '../../../../platform/db/statement.ts'
import type { App } from '../../../../program/app.ts'
import type { CsvRow } from '../bulk-csv.ts'
import { type ColumnUse, findHeadings, normalHeading } from './column-words.ts'

const MAX_REMEMBERED = 100
const COLUMNS_SAID = statement<{ uses: ColumnUse[] }>(
  'columns of a list',
  'select uses from list_columns where merchant_id = $1 and headings = $2',
)
const REMEMBER = statement(
  'remember columns of a list',
  `insert into list_columns (merchant_id, headings, uses, said_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, headings) do update set uses = excluded.uses, said_at = excluded.said_at`,
)
const FORGET = statement(
  'forget columns of lists',
  `delete from list_columns where merchant_id = $1 and headings in (
     select headings from list_columns where merchant_id = $1 order by said_at desc, headings offset $2)`,
)

/** A list by its rows and the line of its first payment. */
type List = { rows: readonly CsvRow[]; firstLine: number }

/** Recognises lists with the same headings, or the same number of columns where there are none. */
function digestHeadings({ rows, firstLine }: List): Buffer {
  const width = Math.max(...rows.map(({ cells }) => cells.length))
  const names = findHeadings(rows, firstLine)?.cells.map(normalHeading) ?? ['', String(width)]
  return createHash('sha256').update(JSON.stringify(names)).digest()
}

/** Finds what somebody of this merchant said about the columns of such a list; null if nobody has. */
export async function findColumnsSaid(
  app: App,
  { merchantId }: Pick<Caller, 'merchantId'>,
  list: List,
): Promise<ColumnUse[] | null> {
  const [said] = await app.db.query(COLUMNS_SAID, [merchantId, digestHeadings(list)])
  return said?.uses ?? null
}

/** Remembers the columns of such lists, and forgets those that were said longest ago. */
export const rememberColumns = (
  { merchantId }: Pick<Caller, 'merchantId'>,
  { uses, at, ...list }: List & { uses: readonly ColumnUse[]; at: Date },
): Call[] => [
  call(REMEMBER, merchantId, digestHeadings(list), JSON.stringify(uses), at.toISOString()),
  call(FORGET, merchantId, MAX_REMEMBERED),
]
