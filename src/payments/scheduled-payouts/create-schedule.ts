import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Answer } from '../../api/http/answer.ts'
import { metadataJson } from '../../api/http/bodies/metadata.ts'
import { type CreateRequest, createUnderKey } from '../../api/idempotency/create-under-keys.ts'
import { findKeys } from '../../api/idempotency/keys.ts'
import { retryWhenKeyTaken } from '../../api/idempotency/under-key.ts'
import { NOT_COUNTED } from '../../api/rate-limits/exact-window.ts'
import { lockHeads } from '../../ledger/book.ts'
import { clockOffsetMs, findTerms, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import { shortDigestSql } from '../../platform/text/short-digest.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { judgePayout } from '../payouts/payout-rules.ts'
import { type ApprovalInProgress, openChecks } from '../payouts/prepared/open-checks.ts'
import { judgeFirstDate } from './first-date.ts'
import { refuseLimitedKey } from './refuse-limited-key.ts'
import { presentSchedule, type Schedule } from './schedule.ts'
import { parseScheduleTerms, type ScheduledPayoutCreate, type ScheduleTerms } from './schedule-request.ts'

/** One POST /v1/scheduled-payouts. `prepared`: the prepared request that the caller approves by it. */
export type ScheduleRequest = CreateRequest<ScheduledPayoutCreate> & { prepared?: ApprovalInProgress }

const MAX_OPEN_SCHEDULES = 100

const COUNT_OPEN_SCHEDULES = statement<{ open: number }>(
  'count open schedules',
  `select count(*)::int as open from schedules where merchant_id = $1 and mode = $2 and status <> 'cancelled'`,
)
const ADD_SCHEDULE = statement(
  'add schedule',
  `insert into schedules (merchant_id, id, mode, status, name, amount, channel, interval, recipients, max_per_recipient,
     start_at, anchor_at, next_run_at, created_at, metadata, digest)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, ${shortDigestSql(`$6::bigint || ' ' || $9::jsonb::text`)})`,
)

/**
 * Creates a schedule, or repeats the stored answer of its Idempotency-Key (spec 4.2). Key, schedule and answer are one
 * commit. Balance, freeze and pause are not checked: they count when a cycle runs. Throws Refusal for what the key does not store.
 */
export async function createSchedule(app: App, request: ScheduleRequest): Promise<Answer> {
  allow(request.caller, 'schedule.create')
  refuseLimitedKey(request.caller)
  const { merchantId, mode } = request.caller
  return app.keysInFlight.during({ merchantId, mode, key: request.key }, () =>
    retryWhenKeyTaken(() => storeSchedule(app, request)),
  )
}

function storeSchedule(app: App, request: ScheduleRequest): Promise<Answer> {
  const { merchantId, mode } = request.caller
  const keyedRequest = { ...request, merchantId, mode }
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    // Locks the head before counting; otherwise two creations at once could both pass the limit.
    const [[terms], keys, , [counted]] = await tx.send(
      findTerms([merchantId]),
      findKeys([keyedRequest]),
      lockHeads([{ merchantId, mode }]),
      countOpenSchedules(keyedRequest),
    )
    assert(terms && counted, 'a merchant with a key has a row')
    const checks = await openChecks(tx, [request], at)
    const { created, made, addKeys } = createUnderKey(keyedRequest, {
      keys,
      windows: NOT_COUNTED.open([], at.getTime()),
      at,
      decide: () =>
        checks.passing(request, sumCycle(request.input), () =>
          acceptSchedule(app, request, { terms, open: counted.open, at }),
        ),
      bodyOf: (schedule) => JSON.stringify(presentSchedule(schedule)),
    })
    const act = { actor: request.caller, action: 'schedule.create', at, merchantId, mode } as const
    const rows = made.map(({ id, amount, interval, recipients }) =>
      auditRow({ ...act, subject: id, after: { amount, interval, recipients: recipients.length } }),
    )
    const last = [...made.map(addSchedule), ...addKeys(), ...rows, ...checks.writes()]
    return { value: created, last }
  })
}

/** The sum that one cycle pays, for the rule that asks for a second person. Malformed recipients count as one: they are refused later. */
const sumCycle = ({ amount, recipients }: ScheduledPayoutCreate): number =>
  amount * (Array.isArray(recipients) ? recipients.length : 1)

/** Counts the schedules that are not cancelled. */
export const countOpenSchedules = ({ merchantId, mode }: Pick<Caller, 'merchantId' | 'mode'>) =>
  call(COUNT_OPEN_SCHEDULES, merchantId, mode)

/** The merchant's terms, and how many schedules it has that are not cancelled. */
type SchedulingFacts = { terms: MerchantTerms; open: number; at: Date }

function acceptSchedule(app: App, { caller, input }: ScheduleRequest, facts: SchedulingFacts): Schedule {
  const scheduleTerms = parseScheduleTerms(input)
  judgeSchedule(app, scheduleTerms, { ...facts, mode: caller.mode })
  // Checked only for a new key, so that a repeat still gets its stored answer after the first date has passed.
  if (caller.kind === 'person') judgeFirstDate(scheduleTerms, { ...facts, mode: caller.mode })
  return newSchedule(caller, scheduleTerms, facts)
}

export function judgeSchedule(
  app: App,
  { amount, currency, channel, maxPerRecipient }: ScheduleTerms,
  { terms, open, mode }: SchedulingFacts & Pick<Caller, 'mode'>,
): void {
  judgePayout({ amount, currency, channel }, { terms, mode, config: app.config })
  if (maxPerRecipient !== null && amount > maxPerRecipient)
    throw domainRefusal('cap_exceeded', `amount ${amount} exceeds the per-recipient cap of ${maxPerRecipient}`, {
      field: 'amount',
    })
  if (open >= MAX_OPEN_SCHEDULES)
    throw domainRefusal('too_many_schedules', `too many schedules (max ${MAX_OPEN_SCHEDULES} not cancelled)`)
}

/** The first date is the anchor of all others: `start_at` if it is in the future, else now (G15a). */
function newSchedule(caller: Caller, scheduleTerms: ScheduleTerms, { terms, at }: SchedulingFacts): Schedule {
  const now = addMs(at, clockOffsetMs(terms, caller.mode))
  const first = scheduleTerms.startAt !== null && scheduleTerms.startAt > now ? scheduleTerms.startAt : now
  return {
    merchantId: caller.merchantId,
    id: newId('spo_', caller.tag),
    mode: caller.mode,
    status: 'active',
    name: scheduleTerms.name,
    amount: scheduleTerms.amount,
    channel: scheduleTerms.channel,
    interval: scheduleTerms.interval,
    recipients: scheduleTerms.recipients,
    maxPerRecipient: scheduleTerms.maxPerRecipient,
    startAt: scheduleTerms.startAt,
    anchorAt: first,
    nextRunAt: first,
    lastRunAt: null,
    failureReason: null,
    cancelledAt: null,
    createdAt: at,
    metadata: scheduleTerms.metadata,
  }
}

function addSchedule(schedule: Schedule): Call {
  return call(
    ADD_SCHEDULE,
    schedule.merchantId,
    schedule.id,
    schedule.mode,
    schedule.status,
    schedule.name,
    schedule.amount,
    schedule.channel,
    schedule.interval,
    JSON.stringify(schedule.recipients),
    schedule.maxPerRecipient,
    schedule.startAt?.toISOString() ?? null,
    schedule.anchorAt.toISOString(),
    schedule.createdAt.toISOString(),
    metadataJson(schedule.metadata),
  )
}
