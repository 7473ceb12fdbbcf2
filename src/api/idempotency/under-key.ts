import type { Call, Tx } from '../../platform/db/database.ts'
import { isLockTimeout } from '../../platform/db/errors.ts'
import { isUniqueViolation, retryOnUniqueViolation } from '../../platform/db/unique-violation.ts'
import { writeExactJson } from '../../platform/text/exact-json.ts'
import type { App } from '../../program/app.ts'
import type { Caller } from '../access/actor.ts'
import type { Answer } from '../http/answer.ts'
import { addKeys, findKeys, getReplay, type KeyRow, type KeyUse, keyInFlight, type StoredAnswer } from './keys.ts'
import { toStoredRefusal } from './refused-answer.ts'

/** One POST whose Idempotency-Key is the caller's choice (contract.md G57). */
export type KeyedRequest = {
  caller: Caller
  idempotency: { key: string; fingerprint: Buffer } | null
  requestId: string
}

/** The object that a request makes: its id if it has one, its view in the API, and what is written beside the key in the same commit. */
export type CreatedObject = { id: string | null; view: unknown; writes: readonly Call[] }
type CreateObject = (tx: Tx, at: Date) => Promise<CreatedObject>

/** The key of a request with its owner and fingerprint; null where none was sent. */
export function toKeyUse({ caller, idempotency }: KeyedRequest): KeyUse | null {
  if (idempotency === null) return null
  const { key, fingerprint } = idempotency
  return { merchantId: caller.merchantId, mode: caller.mode, key, fingerprint }
}

/**
 * Makes what a request asks for and returns the 201, or replays the stored answer if its key was used before (contract.md 3 h, 3 i). The
 * object, the key and the answer are written in one commit. A refusal by the rules of the business is stored under the key; any other is
 * thrown. Throws keyInFlight (409) while the first request with this key is under way.
 */
export async function createUnderOptionalKey(app: App, request: KeyedRequest, make: CreateObject): Promise<Answer> {
  const use = toKeyUse(request)
  if (use === null) return createInTransaction(app, { request, use, make })
  return app.keysInFlight.during(use, () => retryWhileKeyHeld(() => createInTransaction(app, { request, use, make })))
}

/**
 * Runs again when another process has just committed under the same key: the next run finds its answer. Throws keyInFlight (409)
 * while that process is still at work (ledger.md section 8).
 */
export const retryWhenKeyTaken = <T>(run: () => Promise<T>): Promise<T> =>
  retryOnUniqueViolation(run).catch((error) => {
    throw isUniqueViolation(error) ? keyInFlight() : error
  })

/** For work whose only lock is the key's: a lock time-out means that the first request is still running. Throws keyInFlight (409). */
export const retryWhileKeyHeld = <T>(run: () => Promise<T>): Promise<T> =>
  retryOnUniqueViolation(run).catch((error) => {
    throw isUniqueViolation(error) || isLockTimeout(error) ? keyInFlight() : error
  })

function createInTransaction(
  app: App,
  { request, use, make }: { request: KeyedRequest; use: KeyUse | null; make: CreateObject },
): Promise<Answer> {
  const at = app.clock.now()
  const turn = { kind: 'in', of: request.caller.merchantId } as const
  return app.db.transactionFor(turn, async (tx): Promise<{ value: Answer; last?: readonly Call[] }> => {
    const replayed = use === null ? null : await findReplay(tx, use)
    if (replayed !== null) return { value: replayed }
    const { answer, writes } = await make(tx, at).then(toCreatedDecision, (error) =>
      storeRefusalOrThrow(error, request),
    )
    const keyWrites = use === null ? [] : addKeys([{ ...use, answer, objectId: answer.objectId }], at)
    return { value: answer, last: [...keyWrites, ...writes] }
  })
}

/** Finds the answer stored under the key of a request before anything else is asked for it; null where it is to be made. Throws 409 like `getReplay`. */
export async function findAnswerUnderKey(app: App, request: KeyedRequest): Promise<Answer | null> {
  const use = toKeyUse(request)
  if (use === null) return null
  const { statement, values } = findKeys([use])
  return toReplay((await app.db.query(statement, values))[0], use)
}

/** Reads the answer stored under this key, marked as replayed; null for a new key. Throws 409 like `getReplay`. */
export async function findReplay(tx: Tx, use: KeyUse): Promise<Answer | null> {
  const [[row]] = await tx.send(findKeys([use]))
  return toReplay(row, use)
}

const toReplay = (row: KeyRow | undefined, { fingerprint }: KeyUse): Answer | null =>
  row === undefined ? null : { ...getReplay(row, fingerprint), replayed: true }

type KeyedDecision = { answer: StoredAnswer; writes: readonly Call[] }

const toCreatedDecision = ({ id, view, writes }: CreatedObject): KeyedDecision => ({
  answer: { status: 201, body: writeExactJson(view), objectId: id },
  writes,
})

/** Turns a refusal that is stored under the key into its answer; throws every other error again. */
function storeRefusalOrThrow(error: unknown, { requestId }: KeyedRequest): KeyedDecision {
  const answer = toStoredRefusal(error, requestId)
  if (answer === null) throw error
  return { answer, writes: [] }
}
