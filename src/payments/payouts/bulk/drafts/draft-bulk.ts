import type { PersonCaller } from '../../../../api/access/actor.ts'
import { allow } from '../../../../api/access/allow.ts'
import { domainRefusal } from '../../../../platform/refusal.ts'
import { newId } from '../../../../platform/text/ids.ts'
import { addMs } from '../../../../platform/time/clock.ts'
import type { App } from '../../../../program/app.ts'
import { type ColumnUse, findHeadings } from '../files/column-words.ts'
import { looksLikePhone } from '../files/phone-text.ts'
import { findColumnsSaid } from '../files/remembered-columns.ts'
import { addDraft, DRAFT_PREFIX, listUnsentDrafts } from './draft.ts'
import { countPayments, type DraftList, formatStoredRows, readDraftList } from './draft-lines.ts'

/** The input of a person: a file with its name, or pasted lines. */
export type DraftInput = { name: string; bytes: Buffer } | { pasted: string }

const DRAFT_KEPT_MS = 24 * 3_600_000
const MAX_UNSENT_DRAFTS = 20
const MAX_NAME_CHARACTERS = 200

/**
 * Stores a draft of a bulk call, to be checked and sent within a day, and returns its id. Where it is not certain what its columns hold, a
 * person has to say so first. No money moves. Throws Refusal when the list cannot be read.
 */
export async function draftBulk(app: App, caller: PersonCaller, input: DraftInput): Promise<string> {
  allow(caller, 'bulk.draft')
  const { merchantId, mode, tag, personId, name: madeName } = caller
  if ((await listUnsentDrafts(app, caller)).length >= MAX_UNSENT_DRAFTS) throw tooManyDrafts()
  const list = await readDraftList(input)
  const lines = countPayments(list.rows, list.guess.firstLine)
  const { guess, padded, sheet } = list
  const layout = { ...(await findColumns(app, caller, list)), firstLine: guess.firstLine, padded, sheet }
  const name = 'pasted' in input ? 'pasted lines' : input.name.slice(0, MAX_NAME_CHARACTERS) || 'file'
  const at = app.clock.now()
  const id = newId(DRAFT_PREFIX, tag)
  const add = addDraft({
    ...{ merchantId, id, mode, csv: formatStoredRows(list.rows), addedLines: 0, layout, lines },
    ...{ name, madeBy: personId, madeName },
    ...{ createdAt: at, expiresAt: addMs(at, DRAFT_KEPT_MS), objectId: null },
  })
  await app.db.query(add.statement, add.values)
  return id
}

type ColumnsFound = { columns: readonly ColumnUse[] | null; guess: readonly ColumnUse[] }

/**
 * Finds what the columns hold: as somebody of the business said about a list with these headings, or as is certain; null if a person must say
 * it. Without headings another list may have its amounts elsewhere: what was said is then only offered.
 */
async function findColumns(app: App, caller: PersonCaller, { rows, guess }: DraftList): Promise<ColumnsFound> {
  const { firstLine, columns, certain } = guess
  const said = await findColumnsSaid(app, caller, { rows, firstLine })
  const phone = said?.indexOf('phone') ?? -1
  const fits = rows.some(({ line, cells }) => line >= firstLine && looksLikePhone(cells[phone] ?? ''))
  if (said === null || !fits) return { columns: certain ? columns : null, guess: columns }
  if (findHeadings(rows, firstLine) !== undefined) return { columns: said, guess: columns }
  return { columns: certain ? columns : null, guess: said }
}

const tooManyDrafts = () =>
  domainRefusal('too_many_drafts', `${MAX_UNSENT_DRAFTS} bulk calls wait to be sent already; send one, or wait a day`)
