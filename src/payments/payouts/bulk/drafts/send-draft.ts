import { createHash } from 'node:crypto'
import type { PersonCaller } from '../../../../api/access/actor.ts'
import { allow } from '../../../../api/access/allow.ts'
import type { Answer } from '../../../../api/http/answer.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import { addMs } from '../../../../platform/time/clock.ts'
import type { App } from '../../../../program/app.ts'
import { requestBulk } from '../../prepared/request-payout.ts'
import { type BulkDraft, fixDraftLayout, formatReading, getDraft, markDraftSent } from './draft.ts'
import { parseDraftLines } from './draft-lines.ts'

/** A draft that a person sends by a form. */
type SendDraftInput = {
  id: string
  key: string
  requestId: string
  note: string | null
  /** How the lines were read when the person saw what they would do (formatReading). */
  reading: string
}

const SENT_DRAFT_KEPT_MS = 30 * 86_400_000

/**
 * Sends the exact lines of a draft that the person has seen, or prepares them for a second person, and returns the id of the batch or prepared payout. For a draft
 * that was sent before it returns that id again. If two persons send it at once, its references keep every line from being paid twice.
 * Throws Refusal; then the draft still waits.
 */
export async function sendDraft(
  app: App,
  caller: PersonCaller,
  { id, key, requestId, note, reading }: SendDraftInput,
): Promise<string> {
  allow(caller, 'payout.prepare')
  const draft = await getDraft(app, caller, id)
  if (draft.objectId !== null) return draft.objectId
  const items = (await parseDraftLines(draft)).map(({ item }) => item)
  const sentMeanwhile = await fixReading(app, caller, { draft, reading })
  if (sentMeanwhile !== null) return sentMeanwhile
  const fingerprint = createHash('sha256').update(reading).update('\n').update(draft.csv).digest()
  const { objectId } = await requestBulk(app, { caller, key, fingerprint, requestId, note, items })
  const mark = markDraftSent(draft, assertObjectId(objectId), addMs(app.clock.now(), SENT_DRAFT_KEPT_MS))
  await app.db.query(mark.statement, mark.values)
  return assertObjectId(objectId)
}

type Reading = { draft: BulkDraft; reading: string }

/**
 * Refuses lines that are read in another way than the person has seen, and from then on keeps them read as they are. Returns the id of what
 * the draft became where somebody else has sent it meanwhile, else null.
 */
async function fixReading(app: App, caller: PersonCaller, { draft, reading }: Reading): Promise<string | null> {
  if (formatReading(draft.layout) !== reading) throw readInAnotherWay()
  if (draft.layout === null) return null
  const fix = fixDraftLayout(draft)
  const [fixed] = await app.db.query(fix.statement, fix.values)
  if (fixed) return null
  const { objectId } = await getDraft(app, caller, draft.id)
  if (objectId === null) throw readInAnotherWay()
  return objectId
}

const readInAnotherWay = () =>
  new Refusal(409, 'conflict', 'the columns of this list were changed since you looked at it: look at its lines again')

function assertObjectId(objectId: Answer['objectId']): string {
  if (typeof objectId !== 'string') throw new Error('what was made has an id')
  return objectId
}
