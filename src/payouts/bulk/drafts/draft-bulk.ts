import type { PersonCaller } from '../../../actors/actor.ts'
import { allow } from '../../../actors/allow.ts'
import type { App } from '../../../app.ts'
import { later } from '../../../platform/clock.ts'
import { newId } from '../../../platform/ids.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { addDraft, DRAFT_PREFIX, unsentDrafts } from './draft.ts'
import { csvOfFile, csvOfPasted } from './draft-lines.ts'

/** The input of a person: a file with its name, or pasted lines. */
export type Given = { name: string; bytes: Buffer } | { pasted: string }

const KEPT_MS = 24 * 3_600_000
const MOST_UNSENT = 20
const LONGEST_NAME = 200

/** Stores a draft of a bulk call, to be checked and sent within a day, and returns its id. No money moves. Throws Refusal when it cannot be read. */
export async function draftBulk(app: App, caller: PersonCaller, input: Given): Promise<string> {
  allow(caller, 'bulk.draft')
  const { merchantId, mode, tag, personId, name: madeName } = caller
  if ((await unsentDrafts(app, caller)).length >= MOST_UNSENT) throw tooMany()
  const csv = 'pasted' in input ? await csvOfPasted(input.pasted) : await csvOfFile(input.bytes)
  const name = 'pasted' in input ? 'pasted lines' : input.name.slice(0, LONGEST_NAME) || 'file'
  const at = app.clock.now()
  const id = newId(DRAFT_PREFIX, tag)
  const add = addDraft({
    ...{ merchantId, id, mode, ...csv, name, madeBy: personId, madeName },
    ...{ createdAt: at, expiresAt: later(at, KEPT_MS), objectId: null },
  })
  await app.db.query(add.statement, add.values)
  return id
}

const tooMany = () =>
  domainRefusal(
    'too_many_drafts',
    `${MOST_UNSENT} bulk calls wait to be sent already; send one, or wait a day`,
  )
