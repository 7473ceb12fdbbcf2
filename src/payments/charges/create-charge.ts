import { allow } from '../../api/access/allow.ts'
import type { Answer } from '../../api/http/answer.ts'
import type { CreatedAnswer } from '../../api/idempotency/create-under-keys.ts'
import type { KeyOwner } from '../../api/idempotency/keys.ts'
import { retryWhileKeyHeld } from '../../api/idempotency/under-key.ts'
import { assert } from '../../platform/assert.ts'
import { type Batch, newBatch } from '../../platform/batches/batch.ts'
import { defineRequestLane } from '../../platform/batches/lane.ts'
import { thenOrNow } from '../../platform/batches/maybe-promise.ts'
import type { TimeSpent } from '../../platform/log/spent.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import type { App } from '../../program/app.ts'
import { type ChargeReadiness, checkChargeReadiness } from './charge-readiness.ts'
import { railUnavailable } from './charge-rules.ts'
import { expectedFinishMs, finishBacklogMs } from './move-charge.ts'
import { type ChargeRequest, type KeyedChargeRequest, storeCharges } from './store-charges.ts'
import { submitLiveCharge } from './submit-live-charge.ts'
import { countKeptTestCharges } from './test-charges/due-test-charges.ts'
import type { NewCharge } from './write-charges.ts'

type ChargeCreation = Batch<KeyedChargeRequest, CreatedAnswer<NewCharge>>

// A backlog of completions up to this long delays no batch, and no batch is delayed for longer than that.
const MAX_UNDELAYED_BACKLOG_MS = 500
const MAX_BATCH_DELAY_MS = 250

/**
 * Creates a charge, or repeats the stored answer of its Idempotency-Key (spec 4.1; contract.md 3 h, 3 i).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export function createCharge(app: App, request: ChargeRequest): Promise<Answer> {
  allow(request.caller, 'charge.create')
  const { merchantId, mode } = request.caller
  const owner = { merchantId, mode, key: request.key }
  // No `async` from here down to the batch, because its frames would stay in memory for as long as a payment waits.
  return app.keysInFlight.during(owner, () =>
    thenOrNow(checkChargeReadiness(app, { mode, channel: request.input.channel }), (readiness) => {
      const ready = describeReadiness(readiness)
      return retryWhileKeyHeld(() => chargeCreation(app).add(keyedRequest(request, ready))).then((created) =>
        submitStored(app, {
          created,
          installation: ready.installation,
          owner,
          spent: request.caller.spent ?? null,
        }),
      )
    }),
  )
}

/** Submits a stored live charge to its rail. A test charge, or a replay, has its answer already. */
function submitStored(
  app: App,
  {
    created,
    installation,
    owner,
    spent,
  }: {
    created: CreatedAnswer<NewCharge>
    installation: string | null
    owner: KeyOwner
    spent: TimeSpent | null
  },
): Answer | Promise<Answer> {
  if (created.stored === undefined) return created
  crashPoint('key.reserved')
  assert(installation !== null, 'a stored live charge has an installation')
  const { made: charge, mark } = created.stored
  const { body } = created
  return submitLiveCharge(app, {
    charge,
    mark,
    installation,
    keyed: { key: { ...owner, objectId: charge.id }, body },
    spent,
  })
}

// Objects are written field by field here and below: every payment passes, and spreading costs several times as much.
function keyedRequest(
  request: ChargeRequest,
  ready: Pick<KeyedChargeRequest, 'installation' | 'readiness'>,
): KeyedChargeRequest {
  return {
    caller: request.caller,
    key: request.key,
    fingerprint: request.fingerprint,
    requestId: request.requestId,
    input: request.input,
    merchantId: request.caller.merchantId,
    mode: request.caller.mode,
    installation: ready.installation,
    readiness: ready.readiness,
  }
}

/** The batch that stores charges: one transaction for everything that arrived while the previous one was running. */
const chargeCreation = defineRequestLane(
  'create charges',
  'charges',
  (app): ChargeCreation =>
    newBatch({
      run: (requests, turn) => storeCharges(app, requests, turn),
      keyOf: ({ merchantId }) => merchantId,
      spentBy: ({ caller }) => caller.spent ?? null,
      gatherMs: () => batchDelayMs(app),
    }),
  expectedLatenessMs,
)

/**
 * How late (ms) a charge that is created now would be completed, because of those before it: the lane refuses more than can be completed.
 * Test charges that are not due yet count too. Judged only by how late charges are completed now, the refusals would start too late:
 * by then as many again would have been accepted.
 */
function expectedLatenessMs(app: App): number {
  const testMs = expectedFinishMs(app, countKeptTestCharges(app)) - app.config.sandboxOutcomeSeconds * 1000
  return Math.max(expectedFinishMs(app), testMs)
}

/**
 * How long to delay the next batch (ms), so that charges are not created faster than they can be completed. It slows down clients that
 * wait for their answers before any request must be refused. Short bursts are not delayed.
 */
function batchDelayMs(app: App): number {
  const testMs = finishBacklogMs(app, countKeptTestCharges(app)) - app.config.sandboxOutcomeSeconds * 1000
  const behindMs = Math.max(finishBacklogMs(app, 0), testMs)
  return Math.min(MAX_BATCH_DELAY_MS, Math.max(0, behindMs - MAX_UNDELAYED_BACKLOG_MS))
}

const describeReadiness = (readiness: ChargeReadiness) =>
  readiness.kind === 'ready'
    ? { installation: readiness.installation, readiness: null }
    : { installation: null, readiness: railUnavailable(readiness.retryAfterSeconds) }
