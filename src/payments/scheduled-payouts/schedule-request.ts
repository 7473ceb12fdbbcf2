import { type Static, Type } from 'typebox'
import { type Metadata, MetadataPart, metadataOrNull, UNREAD_METADATA } from '../../api/http/bodies/metadata.ts'
import { parseBody } from '../../api/http/bodies/parse-body.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { parseIsoTime } from '../../platform/time/times.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../payouts/payout-request.ts'
import { INTERVALS, type Interval, type Recipient } from './schedule.ts'

const MAX_RECIPIENTS = 1000

const RecipientShape = Type.Object(
  {
    phone: Type.String({ format: 'phone', description: 'mobile number in any written form' }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    reference: Type.Optional(Type.String({ maxLength: 255, description: 'of each of its payouts' })),
  },
  { $id: 'ScheduledPayoutRecipientCreate' },
)

/** ScheduledPayoutCreate (spec 2.11), in the order in which faults are reported. */
export const ScheduledPayoutCreateShape = Type.Object(
  {
    amount: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'whole UGX, paid to each recipient in each cycle',
      examples: [5000],
    }),
    // The contract fixes the texts for an absent or wrong value of these two, so the reader of bodies passes them on unchecked (`raw`).
    interval: Type.Unsafe<string>(
      Type.Enum([...INTERVALS], {
        $id: 'ScheduledPayoutInterval',
        raw: true,
        description: `one of ${INTERVALS.join(', ')}, in the Africa/Kampala calendar`,
        examples: ['monthly'],
      }),
    ),
    recipients: Type.Array(RecipientShape, {
      raw: true,
      minItems: 1,
      maxItems: MAX_RECIPIENTS,
      description: 'who is paid; the same phone twice is paid twice',
      examples: [[{ phone: '0700000000' }]],
    }),
    currency: Type.Optional(Type.String({ pattern: '^UGX$', description: 'only `UGX`', default: 'UGX' })),
    channel: Type.Optional(
      Type.String({
        pattern: `^${DEFAULT_PAYOUT_CHANNEL}$`,
        description: 'only `op1_momo` has a disbursement rail',
        default: DEFAULT_PAYOUT_CHANNEL,
      }),
    ),
    name: Type.Optional(Type.String({ maxLength: 200, description: 'your label' })),
    max_per_recipient: Type.Optional(Type.Integer({ minimum: 1, description: 'a larger amount is refused' })),
    start_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'the first cycle; absent or past: at the next tick, within a minute',
      }),
    ),
    // Passed on as the others are, so that no fault of it is reported before theirs.
    metadata: UNREAD_METADATA,
  },
  { $id: 'ScheduledPayoutCreate' },
)
export type ScheduledPayoutCreate = Static<typeof ScheduledPayoutCreateShape>

/** The fields of a new schedule: well-formed, rules not checked yet. */
export type ScheduleTerms = {
  amount: number
  interval: Interval
  recipients: Recipient[]
  currency: string
  channel: string
  name: string | null
  maxPerRecipient: number | null
  startAt: Date | null
  metadata: Metadata | null
}

/** Parses the fields that the reader of bodies passed on unchecked, and applies the defaults. Throws `invalid request: ...`. */
export function parseScheduleTerms(input: ScheduledPayoutCreate): ScheduleTerms {
  return {
    amount: input.amount,
    interval: parseInterval(input.interval),
    recipients: parseRecipients(input.recipients),
    currency: input.currency ?? 'UGX',
    channel: input.channel ?? DEFAULT_PAYOUT_CHANNEL,
    name: input.name ?? null,
    maxPerRecipient: parseMaxPerRecipient(input.max_per_recipient),
    startAt: parseStart(input.start_at),
    metadata: metadataOrNull(parseBody(MetadataPart, input).metadata),
  }
}

function parseInterval(value: unknown): Interval {
  const interval = INTERVALS.find((known) => known === value)
  if (interval === undefined) throw invalidRequest(`interval must be one of ${INTERVALS.join(', ')}`, 'interval')
  return interval
}

function parseRecipients(value: unknown): Recipient[] {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidRequest('recipients must be a non-empty list', 'recipients')
  if (value.length > MAX_RECIPIENTS)
    throw invalidRequest(`recipients supports at most ${MAX_RECIPIENTS} entries`, 'recipients')
  const { recipients } = parseBody(Type.Object({ recipients: Type.Array(RecipientShape) }), {
    recipients: value,
  })
  return recipients.map(({ phone, name, reference }) => ({
    phone,
    name: name ?? null,
    reference: reference ?? null,
  }))
}

function parseMaxPerRecipient(value: number | undefined): number | null {
  if (value === undefined) return null
  // A larger number is above every maximum and does not fit into the column.
  if (value > Number.MAX_SAFE_INTEGER)
    throw invalidRequest(`max_per_recipient must be at most ${Number.MAX_SAFE_INTEGER}`, 'max_per_recipient')
  return value
}

function parseStart(text: string | undefined): Date | null {
  if (text === undefined) return null
  const startAt = parseIsoTime(text)
  if (startAt === null) throw invalidRequest('start_at must be an ISO 8601 datetime', 'start_at')
  return startAt
}
