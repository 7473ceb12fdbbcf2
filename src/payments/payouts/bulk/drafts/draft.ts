import type { Caller } from '../../../../api/access/actor.ts'
import { type Call, call } from '../../../../platform/db/database.ts'
import { statement } from '../../../../platform/db/statement.ts'
import type { Mode } from '../../../../platform/mode.ts'
import { notFound } from '../../../../platform/refusal.ts'
import { parseTag } from '../../../../platform/text/ids.ts'
import type { App } from '../../../../program/app.ts'
import type { ColumnUse } from '../files/column-words.ts'
import type { SheetFacts } from '../files/read-file.ts'

/**
 * How the lines of a draft are read. `columns`: what each of them holds; null until a person has said it, and then `guess` is what they seem
 * to hold. `firstLine`: the first payment; what stands above it is no payment. `padded`: each row has a cell for each column. `fixed`: its
 * sending was begun, so that it is read in this way for good.
 */
export type DraftLayout = {
  columns: readonly ColumnUse[] | null
  guess: readonly ColumnUse[]
  firstLine: number
  padded: boolean
  sheet: SheetFacts | null
  fixed?: true
}

/**
 * A bulk call that a person has uploaded and not sent yet. Each row of its CSV begins with the number of its line. Without a layout it is
 * from before 0114: then its CSV has a header, and `addedLines` lines before the first one that the person wrote.
 */
export type BulkDraft = {
  merchantId: number
  id: string
  mode: Mode
  csv: Buffer
  addedLines: number
  layout: DraftLayout | null
  name: string
  lines: number
  madeBy: number
  madeName: string
  createdAt: Date
  expiresAt: Date
  /** The id of the batch or the prepared payout that it became. */
  objectId: string | null
}

export const DRAFT_PREFIX = 'bdr_'
const MAX_LISTED_DRAFTS = 20

const COLUMNS = `d.merchant_id as "merchantId", d.id, d.mode, d.added_lines as "addedLines", d.layout, d.name, d.lines, d.made_by as "madeBy",
  d.made_name as "madeName", d.created_at as "createdAt", d.expires_at as "expiresAt", d.object_id as "objectId"`
const ADD_DRAFT = statement(
  'add bulk draft',
  `insert into bulk_drafts (merchant_id, id, mode, csv, added_lines, layout, name, lines, made_by, made_name, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
)
const DRAFT_BY_ID = statement<BulkDraft>(
  'bulk draft',
  `select ${COLUMNS}, d.csv from bulk_drafts d where d.merchant_id = $1 and d.id = $2 and d.mode = $3 and d.expires_at > $4`,
)
const DRAFT_OF_OBJECT = statement<BulkDraft>(
  'bulk draft of a call',
  `select ${COLUMNS}, d.csv from bulk_drafts d where d.merchant_id = $1 and d.object_id in ($2,
     (select r.id from prepared_payouts r where r.merchant_id = $1 and r.object_id = $2))
   order by d.id limit 1`,
)
const UNSENT_DRAFTS = statement<Omit<BulkDraft, 'csv'>>(
  'unsent bulk drafts',
  `select ${COLUMNS} from bulk_drafts d
   where d.merchant_id = $1 and d.mode = $2 and d.object_id is null and d.expires_at > $3
   order by d.created_at desc, d.id desc limit $4`,
)
const MARK_DRAFT_SENT = statement(
  'bulk draft sent',
  `update bulk_drafts set object_id = $3, expires_at = $4 where merchant_id = $1 and id = $2 and object_id is distinct from $3`,
)
const SET_LAYOUT = statement<{ id: string }>(
  'columns of a bulk draft',
  `update bulk_drafts set layout = $3, lines = $4
   where merchant_id = $1 and id = $2 and object_id is null and layout->'fixed' is null returning id`,
)
// Lines without a reference get one by their place: read in another way after an attempt to send, a line could be paid twice.
const FIX_LAYOUT = statement<{ id: string }>(
  'fix columns of a bulk draft',
  `update bulk_drafts set layout = layout || '{"fixed": true}'
   where merchant_id = $1 and id = $2 and object_id is null and layout - 'fixed' = $3::jsonb - 'fixed' returning id`,
)
const PRUNE_DRAFTS = statement<{ id: string }>(
  'prune bulk drafts',
  `delete from bulk_drafts where (merchant_id, id) in (
     select merchant_id, id from bulk_drafts where expires_at <= $1 order by expires_at limit 1000) returning id`,
)

export const addDraft = (draft: BulkDraft): Call =>
  call(
    ADD_DRAFT,
    ...[draft.merchantId, draft.id, draft.mode, draft.csv, draft.addedLines],
    ...[layoutJson(draft.layout), draft.name, draft.lines],
    ...[draft.madeBy, draft.madeName, draft.createdAt.toISOString(), draft.expiresAt.toISOString()],
  )

const layoutJson = (layout: DraftLayout | null) => (layout === null ? null : JSON.stringify(layout))

/** Stores how the lines of a draft are read, and how many there are. Returns no row for one whose sending was begun. */
export const setDraftLayout = (
  { merchantId, id }: BulkDraft,
  layout: DraftLayout,
  lines: number,
): Call<{ id: string }> => call(SET_LAYOUT, merchantId, id, layoutJson(layout), lines)

/** Keeps the lines of a draft read as they are now. Returns no row where they are read in another way meanwhile, or the draft was sent. */
export const fixDraftLayout = ({ merchantId, id, layout }: BulkDraft): Call<{ id: string }> =>
  call(FIX_LAYOUT, merchantId, id, layoutJson(layout))

/** Formats how the lines of a draft are read, so that a form can say what its sender has seen. */
export const formatReading = (layout: DraftLayout | null): string =>
  layout === null ? '' : `${layout.firstLine}:${(layout.columns ?? []).join(',')}`

/** Marks a draft as sent: what it became, and until when it is kept. */
export const markDraftSent = ({ merchantId, id }: BulkDraft, objectId: string, keptUntil: Date): Call =>
  call(MARK_DRAFT_SENT, merchantId, id, objectId, keptUntil.toISOString())

/** Returns the draft in the caller's mode. Throws 404. */
export async function getDraft(app: App, caller: Caller, id: string): Promise<BulkDraft> {
  const { merchantId, mode, tag } = caller
  const own = parseTag(DRAFT_PREFIX, id) === tag
  const now = app.clock.now().toISOString()
  const [draft] = own ? await app.db.query(DRAFT_BY_ID, [merchantId, id, mode, now]) : []
  if (!draft) throw notFound('bulk draft')
  return draft
}

/** Lists the newest drafts that were not sent yet, without their bytes. */
export const listUnsentDrafts = (app: App, { merchantId, mode }: Caller): Promise<Omit<BulkDraft, 'csv'>[]> =>
  app.db.query(UNSENT_DRAFTS, [merchantId, mode, app.clock.now().toISOString(), MAX_LISTED_DRAFTS])

/** Finds the draft that became this call; null when it is not kept any more. */
export async function findDraftOfObject(app: App, merchantId: number, objectId: string): Promise<BulkDraft | null> {
  const [draft] = await app.db.query(DRAFT_OF_OBJECT, [merchantId, objectId])
  return draft ?? null
}

/** Deletes drafts that were not sent within a day, or were sent a month ago; at most 1000. Returns how many. */
export const pruneDrafts = async (app: App): Promise<number> =>
  (await app.db.query(PRUNE_DRAFTS, [app.witness.earlier().toISOString()])).length
