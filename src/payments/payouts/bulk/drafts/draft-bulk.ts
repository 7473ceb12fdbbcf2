import type { PersonCaller } from '../../../../api/access/actor.ts'
import { allow } from '../../../../api/access/allow.ts'
import { domainRefusal } from '../../../../platform/refusal.ts'
import { newId } from '../../../../platform/text/ids.ts'
import { addMs } from '../../../../platform/time/clock.ts'
import type { App } from '../../../../program/app.ts'
import { addDraft, DRAFT_PREFIX, listUnsentDrafts } from './draft.ts'
import { draftCsvFromFile, draftCsvFromPasted } from './draft-lines.ts'

/** The input of a person: a file with its name, or pasted lines. */
export type DraftInput = { name: string; bytes: Buffer } | { pasted: string }

const DRAFT_KEPT_MS = 24 * 3_600_000
const MAX_UNSENT_DRAFTS = 20
const MAX_NAME_CHARACTERS = 200

/** Stores a draft of a bulk call, to be checked and sent within a day, and returns its id. No money moves. Throws Refusal when it cannot be read. */
export async function draftBulk(app: App, caller: PersonCaller, input: DraftInput): Promise<string> {
  allow(caller, 'bulk.draft')
  const { merchantId, mode, tag, personId, name: madeName } = caller
  if ((await listUnsentDrafts(app, caller)).length >= MAX_UNSENT_DRAFTS) throw tooManyDrafts()
  const csv = 'pasted' in input ? await draftCsvFromPasted(input.pasted) : await draftCsvFromFile(input.bytes)
  const name = 'pasted' in input ? 'pasted lines' : input.name.slice(0, MAX_NAME_CHARACTERS) || 'file'
  const at = app.clock.now()
  const id = newId(DRAFT_PREFIX, tag)
  const add = addDraft({
    ...{ merchantId, id, mode, ...csv, name, madeBy: personId, madeName },
    ...{ createdAt: at, expiresAt: addMs(at, DRAFT_KEPT_MS), objectId: null },
  })
  await app.db.query(add.statement, add.values)
  return id
}

const tooManyDrafts = () =>
  domainRefusal('too_many_drafts', `${MAX_UNSENT_DRAFTS} bulk calls wait to be sent already; send one, or wait a day`)
