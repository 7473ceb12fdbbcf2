import { createHash } from 'node:crypto'
import type { PersonCaller } from '../../../../api/access/actor.ts'
import { allow } from '../../../../api/access/allow.ts'
import type { Answer } from '../../../../api/http/answer.ts'
import { addMs } from '../../../../platform/time/clock.ts'
import type { App } from '../../../../program/app.ts'
import { requestBulk } from '../../prepared/request-payout.ts'
import { getDraft, markDraftSent } from './draft.ts'
import { parseDraftLines } from './draft-lines.ts'

/** A draft that a person sends by a form. */
type SendDraftInput = { id: string; key: string; requestId: string; note: string | null }

const SENT_DRAFT_KEPT_MS = 30 * 86_400_000

/**
 * Sends the exact bytes of a draft, or prepares them for a second person, and returns the id of the batch or prepared payout. For a draft
 * that was sent before it returns that id again. If two persons send it at once, its references keep every line from being paid twice.
 * Throws Refusal; then the draft still waits.
 */
export async function sendDraft(
  app: App,
  caller: PersonCaller,
  { id, key, requestId, note }: SendDraftInput,
): Promise<string> {
  allow(caller, 'payout.prepare')
  const draft = await getDraft(app, caller, id)
  if (draft.objectId !== null) return draft.objectId
  const items = (await parseDraftLines(draft)).map(({ item }) => item)
  const fingerprint = createHash('sha256').update(draft.csv).digest()
  const { objectId } = await requestBulk(app, { caller, key, fingerprint, requestId, note, items })
  const mark = markDraftSent(draft, assertObjectId(objectId), addMs(app.clock.now(), SENT_DRAFT_KEPT_MS))
  await app.db.query(mark.statement, mark.values)
  return assertObjectId(objectId)
}

function assertObjectId(objectId: Answer['objectId']): string {
  if (typeof objectId !== 'string') throw new Error('what was made has an id')
  return objectId
}
