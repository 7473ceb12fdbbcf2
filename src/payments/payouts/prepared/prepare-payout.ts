import { createHash } from 'node:crypto'
import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { createUnderOptionalKey } from '../../../api/idempotency/under-key.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { canonicalJson } from '../../../platform/text/canonical-json.ts'
import { newId } from '../../../platform/text/ids.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { mailOwnersOfPrepared } from './mail-owners-of-prepared.ts'
import { PREPARED_PREFIX, presentPrepared, type StoredPrepared } from './prepared-payout.ts'
import { addPrepared, countWaiting } from './write-prepared.ts'

/** The input of a preparation, before its rules are judged. `request`: the value that the approval runs, stored as JSON. */
type PrepareInput = {
  caller: PersonCaller
  key: string
  fingerprint: Buffer
  requestId: string
  kind: StoredPrepared['kind']
  request: unknown
  note: string | null
}

/** The figures of a preparation. Whole UGX. */
type PreparedFigures = Pick<StoredPrepared, 'amount' | 'fees' | 'recipients'>

/** How long a prepared payout waits for a second person, in ms. */
export const PREPARED_WAITS_MS = 7 * 86_400_000
const MAX_WAITING = 200

/**
 * Stores what one person prepares for another to approve, once for each key. Everything is judged now, and nothing is reserved.
 * Throws Refusal.
 */
export async function prepare(
  app: App,
  preparing: PrepareInput,
  judge: (tx: Tx, at: Date) => Promise<PreparedFigures>,
): Promise<Answer> {
  const { caller, key, fingerprint, requestId } = preparing
  allow(caller, 'payout.prepare')
  const request = { caller, requestId, idempotency: { key, fingerprint } }
  const answer = await createUnderOptionalKey(app, request, async (tx, at) => {
    const [[count]] = await tx.send(countWaiting(caller, MAX_WAITING))
    if ((count?.waiting ?? 0) >= MAX_WAITING) throw tooManyWaiting()
    const row = newPrepared(preparing, await judge(tx, at), at)
    const { merchantId, mode, id, kind, amount, recipients } = row
    const digest = row.fingerprint.toString('hex')
    const act = { actor: caller, action: 'payout.prepare', at, merchantId, mode, subject: id } as const
    return {
      id,
      view: presentPrepared(row),
      writes: [addPrepared(row), auditRow({ ...act, after: { kind, amount, recipients, digest } })],
    }
  })
  await mailOwnersOfPrepared(app, caller, answer)
  return answer
}

function newPrepared(
  { caller, kind, request, note }: PrepareInput,
  figures: PreparedFigures,
  at: Date,
): StoredPrepared {
  const bytes = Buffer.from(canonicalJson(request))
  const { merchantId, tag, mode, personId, name } = caller
  return {
    ...{ merchantId, mode, kind, note, ...figures },
    id: newId(PREPARED_PREFIX, tag),
    status: 'prepared',
    request: bytes,
    fingerprint: createHash('sha256').update(bytes).digest(),
    ...{ madeBy: personId, madeName: name },
    ...{ createdAt: at, expiresAt: addMs(at, PREPARED_WAITS_MS) },
    ...{ decidedBy: null, decidedName: null, decidedAt: null, reason: null },
    ...{ objectId: null, tries: 0, takenBack: false },
  }
}

const tooManyWaiting = () =>
  domainRefusal('too_many_prepared', `too many prepared payouts wait for approval (max ${MAX_WAITING})`)
