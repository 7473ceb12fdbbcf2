import { type Static, Type } from 'typebox'
import { type Metadata, MetadataShape, presentMetadata } from '../../api/http/bodies/metadata.ts'
import { type Mode, ModeShape } from '../../platform/mode.ts'
import { type Moves, statesOf } from '../../platform/moves.ts'
import { type DEFAULT_PAYOUT_CHANNEL, PayoutChannelShape } from '../payouts/payout-request.ts'

/** The states of a schedule. */
export type ScheduleStatus = 'active' | 'paused' | 'cancelled'

/** The one table of moves (contract.md 2.3a); the database refuses that a cancelled schedule comes back. */
export const SCHEDULE_MOVES = {
  active: { paused: null, cancelled: null },
  paused: { active: null, cancelled: null },
  cancelled: {},
} as const satisfies Moves<ScheduleStatus>

export const SCHEDULE_STATUSES = statesOf<ScheduleStatus>(SCHEDULE_MOVES)

export const INTERVALS = ['daily', 'weekly', 'monthly'] as const
export type Interval = (typeof INTERVALS)[number]

/** One recipient of every cycle; the position in the list identifies the payout. */
export type Recipient = { phone: string; name: string | null; reference: string | null }

/**
 * A row of `schedules`. `amount` is whole UGX for each recipient. `anchorAt` and `nextRunAt` are on the clock that decides
 * what is due (in test mode the merchant's test clock); the other times are real (contract.md 3 a).
 */
export type Schedule = {
  merchantId: number
  id: string
  mode: Mode
  status: ScheduleStatus
  name: string | null
  amount: number
  channel: string
  interval: Interval
  recipients: Recipient[]
  maxPerRecipient: number | null
  startAt: Date | null
  anchorAt: Date
  nextRunAt: Date | null
  lastRunAt: Date | null
  failureReason: string | null
  cancelledAt: Date | null
  createdAt: Date
  /** Copied to each of its payouts. */
  metadata: Metadata | null
}

export const SCHEDULE_COLUMNS = `s.merchant_id as "merchantId", s.id, s.mode, s.status, s.name, s.amount, s.channel,
  s.interval, s.recipients, s.max_per_recipient as "maxPerRecipient", s.start_at as "startAt",
  s.anchor_at as "anchorAt", s.next_run_at as "nextRunAt", s.last_run_at as "lastRunAt",
  s.failure_reason as "failureReason", s.cancelled_at as "cancelledAt", s.created_at as "createdAt", s.metadata`

const time = Type.String({ format: 'date-time' })
const timeOrNull = Type.Union([time, Type.Null()])
const textOrNull = (description?: string) =>
  Type.Union([Type.String(description === undefined ? {} : { description }), Type.Null()])

/** The scheduled payout as the API shows it (spec 2.11, contract.md 2.3). */
export const ScheduledPayoutShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `spo_`' }),
    mode: ModeShape,
    status: Type.Enum(SCHEDULE_STATUSES, { $id: 'ScheduledPayoutStatus' }),
    name: textOrNull(),
    amount: Type.Integer({ minimum: 1, description: 'whole UGX, to each recipient in each cycle' }),
    currency: Type.Literal('UGX'),
    channel: PayoutChannelShape,
    interval: Type.Enum([...INTERVALS], { $id: 'ScheduledPayoutInterval' }),
    recipients: Type.Array(
      Type.Object(
        { phone: Type.String(), name: textOrNull(), reference: textOrNull() },
        { $id: 'ScheduledPayoutRecipient' },
      ),
    ),
    max_per_recipient: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    start_at: timeOrNull,
    next_run_at: timeOrNull,
    last_run_at: timeOrNull,
    failure_reason: textOrNull('why it was paused, null when you paused it'),
    cancelled_at: timeOrNull,
    created_at: time,
    metadata: MetadataShape,
  },
  { $id: 'ScheduledPayout' },
)
export type ScheduledPayoutView = Static<typeof ScheduledPayoutShape>

/** Formats a schedule for the API. */
export function presentSchedule(schedule: Schedule): ScheduledPayoutView {
  return {
    id: schedule.id,
    mode: schedule.mode,
    status: schedule.status,
    name: schedule.name,
    amount: schedule.amount,
    currency: 'UGX',
    channel: schedule.channel as typeof DEFAULT_PAYOUT_CHANNEL,
    interval: schedule.interval,
    // The database does not keep the order of object members.
    recipients: schedule.recipients.map(({ phone, name, reference }) => ({ phone, name, reference })),
    max_per_recipient: schedule.maxPerRecipient,
    start_at: isoOrNull(schedule.startAt),
    next_run_at: isoOrNull(schedule.nextRunAt),
    last_run_at: isoOrNull(schedule.lastRunAt),
    failure_reason: schedule.failureReason,
    cancelled_at: isoOrNull(schedule.cancelledAt),
    created_at: schedule.createdAt.toISOString(),
    metadata: presentMetadata(schedule.metadata),
  }
}

const isoOrNull = (at: Date | null) => at?.toISOString() ?? null
