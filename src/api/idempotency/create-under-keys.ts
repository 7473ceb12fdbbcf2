import { assert } from '../../platform/assert.ts'
import { type ItemOutcome, itemDone, itemFailed } from '../../platform/batches/batch-run.ts'
import type { Call } from '../../platform/db/database.ts'
import { type Moment, momentAt } from '../../platform/time/moment.ts'
import type { Caller } from '../access/actor.ts'
import type { Answer } from '../http/answer.ts'
import type { OpenWindows } from '../rate-limits/open-windows.ts'
import { addKeys, formatKeyOwner, getReplay, type KeyRow, type KeyUse, type StoredAnswer } from './keys.ts'
import { toStoredRefusal } from './refused-answer.ts'

/** One POST that creates something under its Idempotency-Key and has a valid body. */
export type CreateRequest<Input> = {
  caller: Caller
  key: string
  fingerprint: Buffer
  requestId: string
  input: Input
}

/** The answer; or with `stored` what was made and must still be sent outside, and when: then the answer counts only once that was heard. */
export type CreatedAnswer<Made> = Answer & { stored?: { made: Made; mark: Moment } }

/** The part of a request that is decided in the transaction. */
type KeyedInput = KeyUse & Pick<CreateRequest<unknown>, 'caller' | 'requestId'>

type CreationRules<Request, Made> = {
  /** The keys of these requests that were used before. */
  keys: readonly KeyRow[]
  windows: OpenWindows
  at: Date
  /** Applies the rules of the object to be made, on locked rows. Throws Refusal with nothing changed. */
  decide(request: Request): Made
  /** The body of the 201, or null where the key stays running. */
  bodyOf(made: Made): string | null
  /** Whether it must still be sent outside although its answer is known. Absent where that is never so. */
  mustBeSent?(made: Made): boolean
}

/** The result of a transaction: one outcome for each request, and what it writes. */
type Creations<Request, Made> = {
  outcomes: ItemOutcome<CreatedAnswer<Made>>[]
  made: Made[]
  /** The request of each of `made`. */
  requests: Request[]
  /** The statement that stores the keys, with refusals that are kept. */
  addKeys(): Call[]
}

/**
 * Decides requests on the rows that their transaction has locked (contract.md 3 h, 3 i): over the limit, a replay, a refusal that is
 * stored under the key, or something new. Any other error is the outcome of its request alone. Copies field by field and makes no
 * object for each step, because every payment passes here.
 */
export function createUnderKeys<Request extends KeyedInput, Made extends { id: string }>(
  requests: readonly Request[],
  deciding: CreationRules<Request, Made>,
): Creations<Request, Made> {
  const usedKeys = new Map(deciding.keys.map((row) => [formatKeyOwner(row), row]))
  // Mostly there is none, and then the name of a key need not be put together.
  const rowOf = (request: Request) => (usedKeys.size === 0 ? undefined : usedKeys.get(formatKeyOwner(request)))
  const uses: Parameters<typeof addKeys>[0][number][] = []
  const created: Creations<Request, Made> = {
    outcomes: [],
    made: [],
    requests: [],
    addKeys: () => addKeys(uses, deciding.at),
  }

  function keep({ merchantId, mode, key, fingerprint }: Request, answer: StoredAnswer | null, id: string | null) {
    uses.push({ merchantId, mode, key, fingerprint, answer, objectId: id })
  }

  function create(request: Request): CreatedAnswer<Made> {
    const made = deciding.decide(request)
    deciding.windows.take(request.caller)
    created.made.push(made)
    created.requests.push(request)
    const body = deciding.bodyOf(made)
    const answer = body === null ? null : { status: 201, body, objectId: made.id }
    keep(request, answer, made.id)
    if (answer !== null && deciding.mustBeSent?.(made) !== true) return answer
    return { status: 201, body: body ?? '', stored: { made, mark: momentAt(deciding.at) }, objectId: made.id }
  }

  function outcomeOf(request: Request): ItemOutcome<CreatedAnswer<Made>> {
    try {
      deciding.windows.check(request.caller)
      const row = rowOf(request)
      return itemDone(row === undefined ? create(request) : replayStored(row, request, deciding.windows))
    } catch (error) {
      const answer = toStoredRefusal(error, request.requestId)
      if (answer === null) return itemFailed(error)
      keep(request, answer, null)
      return itemDone(answer)
    }
  }

  for (const request of requests) created.outcomes.push(outcomeOf(request))
  return created
}

/** Decides one request like `createUnderKeys`. Throws what is not stored under its key. */
export function createUnderKey<Request extends KeyedInput, Made extends { id: string }>(
  request: Request,
  deciding: CreationRules<Request, Made>,
): Pick<Creations<Request, Made>, 'made' | 'addKeys'> & { created: CreatedAnswer<Made> } {
  const { outcomes, made, addKeys } = createUnderKeys([request], deciding)
  const [outcome] = outcomes
  assert(outcome, 'one request has one outcome')
  if (!outcome.ok) throw outcome.error
  return { created: outcome.value, made, addKeys }
}

/** Replays the stored answer. A repeat counts against the limit like the first request if that was accepted. */
function replayStored(row: KeyRow, { caller, fingerprint }: KeyedInput, windows: OpenWindows): Answer {
  const stored = getReplay(row, fingerprint)
  if (stored.status < 300) windows.take(caller)
  return { ...stored, replayed: true }
}
