import type { PersonCaller } from '../../../../api/access/actor.ts'
import { allow } from '../../../../api/access/allow.ts'
import { domainRefusal, invalidRequest } from '../../../../platform/refusal.ts'
import type { App } from '../../../../program/app.ts'
import type { CsvRow } from '../bulk-csv.ts'
import type { ColumnUse } from '../files/column-words.ts'
import { MAX_TOP_ROWS } from '../files/read-file.ts'
import { rememberColumns } from '../files/remembered-columns.ts'
import { type BulkDraft, type DraftLayout, getDraft, setDraftLayout } from './draft.ts'
import { countPayments, readDraftRows } from './draft-lines.ts'

/** A list whose columns a person may name: its first rows, and how many columns it has. */
export type ListToName = { draft: BulkDraft; layout: DraftLayout; top: CsvRow[]; width: number }
/** What a person says: what each column holds, and the line of the first payment. */
export type ColumnsSaid = { id: string; uses: readonly ColumnUse[]; firstLine: number }

const ONE_COLUMN_EACH = ['phone', 'amount', 'name', 'reference', 'channel', 'metadata'] as const

/** Returns the first rows of a draft that was not sent yet. Throws 404, or a refusal for one that was. */
export async function getListToName(app: App, caller: PersonCaller, id: string): Promise<ListToName> {
  allow(caller, 'bulk.draft')
  const draft = await getDraft(app, caller, id)
  const { layout } = draft
  if (layout === null || layout.fixed === true || draft.objectId !== null) throw draftSent()
  const rows = await readDraftRows(draft)
  return { draft, layout, top: rows.slice(0, MAX_TOP_ROWS), width: Math.max(...rows.map(({ cells }) => cells.length)) }
}

/** Stores what the columns of a draft hold, and remembers it for the next list with the same headings. Throws Refusal. */
export async function chooseColumns(
  app: App,
  caller: PersonCaller,
  { id, uses, firstLine }: ColumnsSaid,
): Promise<void> {
  allow(caller, 'bulk.draft')
  const { draft, layout } = await getListToName(app, caller, id)
  for (const use of ONE_COLUMN_EACH)
    if (uses.filter((one) => one === use).length > 1)
      throw invalidRequest(`only one column can be the ${use}`, 'columns')
  for (const use of ['phone', 'amount'] as const)
    if (!uses.includes(use)) throw invalidRequest(`say which column is the ${use}`, 'columns')
  const rows = await readDraftRows(draft)
  const lines = countPayments(rows, firstLine)
  const said = { ...layout, columns: uses, firstLine }
  await app.db.transaction(async (tx) => {
    const [[set]] = await tx.send(setDraftLayout(draft, said, lines))
    if (!set) throw draftSent()
    return { value: null, last: rememberColumns(caller, { rows, firstLine, uses, at: app.clock.now() }) }
  })
}

const draftSent = () =>
  domainRefusal(
    'draft_sent',
    'this list was sent already, or its sending was begun: give it again to read it in another way',
  )
