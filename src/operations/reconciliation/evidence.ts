import type { OpenedException } from '../../payments/exceptions/resolve-exception.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App, Gateway } from '../../program/app.ts'
import { readRailStory, type StoryLine } from '../../rails/movement-story.ts'
import { liveMovements } from './movements.ts'

/** A movement in our books. Whole UGX. */
export type OurSide = {
  id: string
  side: 'collect' | 'disburse'
  status: string
  amount: number
  createdAt: Date
  completedAt: Date | null
  reference: string | null
  number: string | null
}
/** A line of the operator's own statement about the movement. */
export type OperatorLine = {
  digest: Buffer
  number: string | null
  externalId: string | null
  type: string
  amount: number
  currency: string
  at: Date
  status: string
  importedAt: Date
}
/** Both sides of an exception, as stored: our books, the operator's answers, and the lines of its statements. */
export type ExceptionEvidence = { ours: OurSide | null; heard: StoryLine[]; lines: OperatorLine[] }

const OURS = statement<OurSide>(
  'our side of exception',
  `select m.id, m.side, case when m.voided_at is not null then 'void' else m.status end as status, m.amount::float8 as amount,
     m.created_at as "createdAt", m.completed_at as "completedAt", m.rail_reference as reference,
     m.rail_transaction_id as number
   from (${liveMovements('m.merchant_id = $1 and m.id = $2')}) m`,
)
// Found by two indexes: the id or reference that the line names, and the operator's own number.
const LINES = statement<OperatorLine>(
  'their side of exception',
  `select digest, rail_transaction_id as number, external_id as "externalId", type, amount, currency, at, status,
     imported_at as "importedAt"
   from (select * from rail_statement_lines where lower(external_id) in ($1, $2)
     union select * from rail_statement_lines where rail_transaction_id in ($3, ltrim($3, '0'))) l order by at limit 50`,
)
const MAX_ANSWERS = 50

/** Reads both sides of an exception: our books, the operator's answers, and the lines of its statements. */
export async function readEvidence(
  gateway: Gateway,
  app: App | null,
  { merchantId, subject: id }: OpenedException,
): Promise<ExceptionEvidence> {
  const [ours, heard] =
    app === null
      ? [null, []]
      : await Promise.all([firstRow(app.db.query(OURS, [merchantId, id])), readRailStory(app, { merchantId, id })])
  // A line without our id is stored in the first cell.
  const lines = await Promise.all(
    gateway.cells.map(({ db }) => db.query(LINES, [id, ours?.reference ?? null, ours?.number ?? null])),
  )
  const inOrder = heard.sort((a, b) => a.at.getTime() - b.at.getTime()).slice(-MAX_ANSWERS)
  return { ours, heard: inOrder, lines: lines.flat() }
}
