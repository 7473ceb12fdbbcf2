import type { Caller } from '../actors/actor.ts'
import type { Answer } from '../http/caller.ts'
import { assert } from '../platform/assert.ts'
import { done, failed, type Outcome } from '../platform/batch-run.ts'
import type { Call } from '../platform/db/database.ts'
import { type Mark, markAt } from '../platform/mark.ts'
import type { OpenWindows } from '../rate-limits/open-windows.ts'
import { addKeys, type KeyRow, type KeyUse, ownerName, replayOf, type StoredAnswer } from './keys.ts'
import { refusedAnswer } from './refused-answer.ts'

/** One POST that creates something under its Idempotency-Key and has a valid body. */
export type CreateRequest<Input> = {
  caller: Caller
  key: string
  fingerprint: Buffer
  requestId: string
  input: Input
}

/** The answer, or what was stored under a running key, and when: then somebody must still be asked for the answer. */
export type Created<Made> = Answer & { stored?: { made: Made; mark: Mark } }

/** A request as a transaction decides it. */
type Keyed = KeyUse & Pick<CreateRequest<unknown>, 'caller' | 'requestId'>

type Deciding<Request, Made> = {
  /** The keys of these requests that are known already. */
  keys: readonly KeyRow[]
  windows: OpenWindows
  at: Date
  /** The rules of the noun, on locked rows. Throws Refusal with nothing changed. */
  decide(request: Request): Made
  /** The body of the 201, or null where the key stays running. */
  bodyOf(made: Made): string | null
}

/** What a transaction creates: one outcome for each request, and what it writes. */
export type Creations<Request, Made> = {
  outcomes: Outcome<Created<Made>>[]
  made: Made[]
  /** The request of each of `made`. */
  requests: Request[]
  /** The statement that stores the keys, with refusals that are kept. */
  addKeys(): Call[]
}

/**
 * Decides requests on what their transaction has locked (contract.md 3 h, 3 i): over the limit, a replay, a refusal that is
 * kept, or something new. Other errors are the outcome of their request alone. Field by field and without an object for each
 * step, because every payment passes.
 */
export function createUnderKeys<Request extends Keyed, Made extends { id: string }>(
  requests: readonly Request[],
  deciding: Deciding<Request, Made>,
): Creations<Request, Made> {
  const seen = new Map(deciding.keys.map((row) => [ownerName(row), row]))
  // Mostly there is none, and then the name of a key need not be put together.
  const rowOf = (request: Request) => (seen.size === 0 ? undefined : seen.get(ownerName(request)))
  const uses: Parameters<typeof addKeys>[0][number][] = []
  const created: Creations<Request, Made> = {
    outcomes: [],
    made: [],
    requests: [],
    addKeys: () => addKeys(uses, deciding.at),
  }

  function keep(
    { merchantId, mode, key, fingerprint }: Request,
    answer: StoredAnswer | null,
    id: string | null,
  ) {
    uses.push({ merchantId, mode, key, fingerprint, answer, objectId: id })
  }

  function create(request: Request): Created<Made> {
    const made = deciding.decide(request)
    deciding.windows.take(request.caller)
    created.made.push(made)
    created.requests.push(request)
    const body = deciding.bodyOf(made)
    const answer = body === null ? null : { status: 201, body, objectId: made.id }
    keep(request, answer, made.id)
    return answer ?? { status: 201, body: '', stored: { made, mark: markAt(deciding.at) }, objectId: made.id }
  }

  function outcomeOf(request: Request): Outcome<Created<Made>> {
    try {
      deciding.windows.check(request.caller)
      const row = rowOf(request)
      return done(row === undefined ? create(request) : repeat(row, request, deciding.windows))
    } catch (error) {
      const answer = refusedAnswer(error, request.requestId)
      if (answer === null) return failed(error)
      keep(request, answer, null)
      return done(answer)
    }
  }

  for (const request of requests) created.outcomes.push(outcomeOf(request))
  return created
}

/** The same for one request alone: what is not kept under its key is thrown. */
export function createUnderKey<Request extends Keyed, Made extends { id: string }>(
  request: Request,
  deciding: Deciding<Request, Made>,
): Pick<Creations<Request, Made>, 'made' | 'addKeys'> & { created: Created<Made> } {
  const { outcomes, made, addKeys } = createUnderKeys([request], deciding)
  const [outcome] = outcomes
  assert(outcome, 'one request has one outcome')
  if (!outcome.ok) throw outcome.error
  return { created: outcome.value, made, addKeys }
}

/** A repeat counts like the first request where that was accepted. */
function repeat(row: KeyRow, { caller, fingerprint }: Keyed, windows: OpenWindows): Answer {
  const stored = replayOf(row, fingerprint)
  if (stored.status < 300) windows.take(caller)
  return { ...stored, replayed: true }
}
