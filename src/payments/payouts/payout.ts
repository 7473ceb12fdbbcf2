import { type TSchema, Type } from 'typebox'
import type { Metadata } from '../../api/http/bodies/metadata.ts'
import { METADATA_FIELD } from '../../api/http/bodies/metadata-field.ts'
import { expandedMember } from '../../api/http/expand.ts'
import type { EventType } from '../../merchants/webhooks/events.ts'
import { bigint, type CopyColumn, mode, text, time } from '../../platform/db/wire/copy.ts'
import { type Mode, ModeShape } from '../../platform/mode.ts'
import { type Moves, statesOf } from '../../platform/moves.ts'
import { PAYOUT_FAILURES, type PayoutFailure } from '../../rails/rail.ts'
import { PayoutChannelShape } from './payout-request.ts'

/** The states of spec 3.2. Internal marks (not yet published, voided, queued) are no states and are never shown. */
export type PayoutStatus = 'pending' | 'authorized' | 'succeeded' | 'failed'

/** The moves that exist, each with its event; the database refuses every other one (trigger payouts_move_forward). */
export const PAYOUT_MOVES = {
  pending: { authorized: null, succeeded: 'payout.succeeded', failed: 'payout.failed' },
  authorized: { succeeded: 'payout.succeeded', failed: 'payout.failed' },
  succeeded: {},
  failed: {},
} as const satisfies Moves<PayoutStatus, EventType>

export const PAYOUT_STATUSES = statesOf<PayoutStatus>(PAYOUT_MOVES)

/** What a payout was made for. */
type PayoutKind = 'payout' | 'bulk' | 'scheduled' | 'refund' | 'withdrawal' | 'subaccount'
export const PAYOUT_KINDS = [
  'payout',
  'bulk',
  'scheduled',
  'refund',
  'withdrawal',
  'subaccount',
] as const satisfies readonly PayoutKind[]

/** The failure reason shown while it is unknown whether the operator took the payout; never with a final state (G14c). */
export const AMBIGUOUS_REASON = 'ambiguous_network_error_pending_reconciliation'

/** A row of `payouts` as the rules and the pages see it. Whole UGX; times are UTC. PAYOUT_FIELDS says where each member is shown. */
export type Payout = {
  merchantId: number
  id: string
  mode: Mode
  kind: PayoutKind
  status: PayoutStatus
  amount: number
  fee: number
  channel: string
  recipientPhone: string
  recipientName: string | null
  reference: string | null
  railReference: string
  railTransactionId: string | null
  failureReason: PayoutFailure | typeof AMBIGUOUS_REASON | null
  chargeId: string | null
  batchId: string | null
  scheduleId: string | null
  subaccountId: string | null
  createdAt: Date
  completedAt: Date | null
  metadata: Metadata | null
}

/** One field of a payout: where it is stored, and where it is shown. */
type PayoutField = {
  /** Its column; absent for what is the same for all payouts. */
  column?: string
  /** How it is written when a payout is made; absent where only a later move sets it. */
  write?: CopyColumn<Payout>
  /** Its schema in the API; absent for what is not shown. */
  schema?: TSchema
  /** Its name where it is shown, if that is not its column. */
  name?: string
  /** The value that all payouts have. */
  constant?: string
  /** Its value where it is shown, if that is not the member of Payout; and in files, if that is an object. */
  value?(payout: Payout): object
  cell?(payout: Payout): string | null
  /** Of what the API shows, what events or files do not. */
  notInEvents?: true
  notInFiles?: true
}

const Time = Type.String({ format: 'date-time' })
/** The schema of a payout's status in answers. */
export const PayoutStatusShape = Type.Enum(PAYOUT_STATUSES, { $id: 'PayoutStatus' })
const Failure = Type.Enum([...PAYOUT_FAILURES, AMBIGUOUS_REASON], { $id: 'PayoutFailureReason' })
const textOrNull = (description?: string) =>
  Type.Union([Type.String(description === undefined ? {} : { description }), Type.Null()])

/**
 * Every field of a payout, in the order of the API (contract.md 2.3). The statements that read and add payouts, the API, the events and the
 * CSV file are made of this table. A new field is a member of Payout and the last line here, and, where callers give it, of the request
 * (payout-request.ts).
 */
const PAYOUT_FIELDS: Readonly<Record<keyof Payout | 'currency', PayoutField>> = {
  merchantId: { column: 'merchant_id', write: bigint((payout) => payout.merchantId) },
  id: { column: 'id', write: text(({ id }) => id), schema: Type.String({ description: 'starts with `pout_`' }) },
  mode: { column: 'mode', write: mode((payout) => payout.mode), schema: ModeShape, notInFiles: true },
  status: {
    column: 'status',
    write: text(({ status }) => status),
    schema: PayoutStatusShape,
  },
  amount: {
    column: 'amount',
    write: bigint(({ amount }) => amount),
    schema: Type.Integer({ minimum: 1, description: 'whole UGX, what the recipient gets' }),
  },
  fee: {
    column: 'fee',
    write: bigint(({ fee }) => fee),
    schema: Type.Integer({ minimum: 0, description: 'whole UGX, on top of the amount' }),
  },
  currency: { name: 'currency', constant: 'UGX', schema: Type.Literal('UGX') },
  channel: { column: 'channel', write: text(({ channel }) => channel), schema: PayoutChannelShape },
  recipientPhone: {
    column: 'recipient_phone',
    write: text(({ recipientPhone }) => recipientPhone),
    schema: textOrNull(),
  },
  recipientName: {
    column: 'recipient_name',
    write: text(({ recipientName }) => recipientName),
    schema: textOrNull(),
  },
  railReference: {
    column: 'rail_reference',
    write: text(({ railReference }) => railReference),
    schema: textOrNull('the reference we gave the rail, the same for life'),
  },
  railTransactionId: {
    column: 'rail_transaction_id',
    schema: textOrNull("the operator's own number, null until success"),
    notInEvents: true,
  },
  reference: { column: 'reference', write: text(({ reference }) => reference), schema: textOrNull() },
  failureReason: {
    column: 'failure_reason',
    schema: Type.Union([Failure, Type.Null()], {
      description: 'set when failed; `ambiguous_network_error_pending_reconciliation` while nobody knows',
    }),
  },
  kind: {
    column: 'kind',
    write: text(({ kind }) => kind),
    schema: Type.Enum([...PAYOUT_KINDS], { $id: 'PayoutKind' }),
  },
  chargeId: { column: 'charge_id', write: text(({ chargeId }) => chargeId), schema: textOrNull('of a refund') },
  batchId: { column: 'batch_id', write: text(({ batchId }) => batchId), schema: textOrNull('of a bulk payout') },
  scheduleId: {
    column: 'schedule_id',
    write: text(({ scheduleId }) => scheduleId),
    schema: textOrNull('of a scheduled payout'),
    name: 'scheduled_payout_id',
  },
  subaccountId: { column: 'subaccount_id', write: text(({ subaccountId }) => subaccountId) },
  createdAt: { column: 'created_at', write: time(({ createdAt }) => createdAt), schema: Time },
  completedAt: { column: 'completed_at', schema: Type.Union([Time, Type.Null()]) },
  metadata: METADATA_FIELD,
}

/** A field as the API shows it: its name, its schema, and its value for a payout. */
type ShownField = Pick<PayoutField, 'notInEvents' | 'notInFiles'> & {
  name: string
  schema: TSchema
  value(payout: Payout): string | number | object | null
  cell(payout: Payout): string | number | Date | null
}

const FIELDS = (Object.keys(PAYOUT_FIELDS) as (keyof typeof PAYOUT_FIELDS)[]).map((key) => ({
  ...PAYOUT_FIELDS[key],
  key, // Object.keys forgets the names that it was given.
}))

/** The columns of a row `p` of payouts, as the members of Payout. */
export const PAYOUT_COLUMNS = FIELDS.flatMap(({ key, column }) =>
  column === undefined ? [] : `p.${column} as "${key}"`,
).join(', ')

/** What a new row of payouts has from its Payout, by column. */
export const PAYOUT_WRITERS: Readonly<Record<string, CopyColumn<Payout>>> = Object.fromEntries(
  FIELDS.flatMap(({ column, write }) => (column === undefined || write === undefined ? [] : [[column, write]])),
)

/** The fields that the API shows, in its order. */
export const SHOWN_PAYOUT_FIELDS: readonly ShownField[] = FIELDS.flatMap(
  ({ key, column = '', name = column, schema, constant = null, value, cell, ...places }) => {
    const read = (payout: Payout) => (key === 'currency' ? constant : payout[key])
    // Only what has a cell of its own is an object.
    const cellOf = cell ?? ((payout) => read(payout) as string | number | Date | null)
    return schema === undefined ? [] : { ...places, name, schema, value: value ?? read, cell: cellOf }
  },
)
/** The fields of payout.succeeded and payout.failed: those of the API, and the reference under its second name (contract.md section 5). */
const EVENT_FIELDS: readonly ShownField[] = [
  ...SHOWN_PAYOUT_FIELDS.filter(({ notInEvents }) => !notInEvents),
  ...SHOWN_PAYOUT_FIELDS.flatMap((field) =>
    field.name === 'reference' ? { ...field, name: 'merchant_reference' } : [],
  ),
]
const SORTED_EVENT_FIELDS = EVENT_FIELDS.toSorted((a, b) => (a.name < b.name ? -1 : 1))

const membersOf = (fields: readonly ShownField[]) =>
  Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))

/** The payout as the API shows it (contract.md 2.3). */
export const PayoutShape = Type.Object(
  {
    ...membersOf(SHOWN_PAYOUT_FIELDS),
    charge: expandedMember('Charge'),
    scheduled_payout: expandedMember('ScheduledPayout'),
  },
  { $id: 'Payout' },
)
/** The payout as events show it. */
export const PayoutEventShape = Type.Object(membersOf(EVENT_FIELDS), { $id: 'PayoutEventData' })
type PayoutView = Record<string, string | number | object | null>

/** Formats a payout for the API. */
export const presentPayout = (payout: Payout): PayoutView => presentFields(SHOWN_PAYOUT_FIELDS, payout)

/** The data of an event, keys in the order of canonical JSON. */
export const payoutEventData = (payout: Payout): PayoutView => presentFields(SORTED_EVENT_FIELDS, payout)

const presentFields = (fields: readonly ShownField[], payout: Payout): PayoutView =>
  Object.fromEntries(
    fields.map(({ name, value }) => {
      const shown = value(payout)
      return [name, shown instanceof Date ? shown.toISOString() : shown]
    }),
  )
