import { type TSchema, Type } from 'typebox'
import type { Metadata } from '../../api/http/bodies/metadata.ts'
import { METADATA_FIELD } from '../../api/http/bodies/metadata-field.ts'
import { expandedMember } from '../../api/http/expand.ts'
import type { EventType } from '../../merchants/webhooks/events.ts'
import { assert } from '../../platform/assert.ts'
import { bigint, type CopyColumn, mode, text, time } from '../../platform/db/wire/copy.ts'
import { type Mode, ModeShape } from '../../platform/mode.ts'
import { type Moves, statesOf } from '../../platform/moves.ts'
import { formatIsoTime } from '../../platform/time/times.ts'
import { CHANNELS, CHARGE_FAILURES, type ChargeFailure } from '../../rails/rail.ts'
import type { ChargeShare } from '../subaccounts/shares.ts'
import { ChargeCustomerShape } from './charge-request.ts'
import { presentSplit, SplitShape } from './charge-split.ts'

/** The states of spec 3.1. Internal marks (not yet published, voided) are no states and are never shown. */
export type ChargeStatus = 'pending' | 'authorized' | 'succeeded' | 'failed' | 'refunded'

/** The moves that exist, each with its event; the database refuses every other one (trigger charges_move_forward). */
export const CHARGE_MOVES = {
  pending: { authorized: null, succeeded: 'charge.succeeded', failed: 'charge.failed' },
  authorized: { succeeded: 'charge.succeeded', failed: 'charge.failed' },
  succeeded: { refunded: 'charge.refunded' },
  failed: {},
  refunded: {},
} as const satisfies Moves<ChargeStatus, EventType>

export const CHARGE_STATUSES = statesOf<ChargeStatus>(CHARGE_MOVES)

/** A row of `charges` as the rules and the pages see it. Whole UGX; times are UTC. CHARGE_FIELDS says where each member is shown. */
export type Charge = {
  merchantId: number
  id: string
  mode: Mode
  status: ChargeStatus
  amount: number
  fee: number
  giftCardAmount: number
  /** The sum that goes to subaccounts; null without a split. */
  shares: number | null
  channel: string
  phone: string | null
  email: string | null
  customerName: string | null
  metadata: Metadata | null
  reference: string | null
  railReference: string | null
  railTransactionId: string | null
  failureReason: ChargeFailure | null
  paymentLinkId: string | null
  refundId: string | null
  createdAt: Date
  completedAt: Date | null
  refundedAt: Date | null
  holdUntil: Date | null
  settledAt: Date | null
  /** Set only where the shares of a split charge were read as well. */
  split?: readonly ChargeShare[]
}

/** The net of a charge: its amount without the gift card's part and the fee. Whole UGX. */
export const computeNet = (charge: Pick<Charge, 'amount' | 'giftCardAmount' | 'fee'>) =>
  charge.amount - charge.giftCardAmount - charge.fee

/** The part that the customer pays by mobile money: the amount without the gift card's part. Whole UGX. */
export const computeMobileMoneyPart = (charge: Pick<Charge, 'amount' | 'giftCardAmount'>) =>
  charge.amount - charge.giftCardAmount

/** The part that the merchant itself is credited: the net without the shares of subaccounts (C2). Whole UGX. */
export const computeResidual = (charge: Pick<Charge, 'amount' | 'giftCardAmount' | 'fee' | 'shares'>) =>
  computeNet(charge) - (charge.shares ?? 0)

/** Returns when the net is, or will be, in the available balance; null for a charge that did not succeed. */
export function availableOn(charge: Charge): Date | null {
  if (charge.status !== 'succeeded' && charge.status !== 'refunded') return null
  return charge.settledAt ?? charge.holdUntil
}

/** One field of a charge: where it is stored, and where it is shown. */
type ChargeField = {
  /** Its column; absent for what is computed. */
  column?: string
  /** How it is written when a charge is made; absent where only a later move, or the hosted page's charge, sets it. */
  write?: CopyColumn<Charge>
  /** Its schema in the API; absent for what is not shown there. */
  schema?: TSchema
  /** Its name where it is shown, if that is not its column. */
  name?: string
  /** Its value where it is shown, if that is not the member of Charge. */
  value?(charge: Charge): FieldValue
  /** Of what the API shows, what events or files do not; and of what it does not show, what files do. */
  /** Its value in events, where the names of an object stand in the order of canonical JSON. */
  eventValue?(charge: Charge): FieldValue
  /** Its value in files, where it is an object in the API. */
  cell?(charge: Charge): string | null
  notInEvents?: true
  notInFiles?: true
  inFiles?: true
}
type CellValue = string | number | boolean | Date | null
type FieldValue = CellValue | object

const Time = Type.String({ format: 'date-time' })
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/**
 * Every field of a charge, in the order of the API (contract.md 2.2). The statements that read and add charges, the API, the events and the
 * CSV file are made of this table. A new field is a member of Charge and the last line here. Two files are written field by field because
 * every payment passes them, and a test or the compiler asks for it there: charge-json.ts and new-charge.ts.
 */
const CHARGE_FIELDS: Readonly<
  Record<Exclude<keyof Charge, 'split'> | 'net' | 'currency' | 'settled' | 'availableOn' | 'customer', ChargeField>
> = {
  merchantId: { column: 'merchant_id', write: bigint((charge) => charge.merchantId) },
  id: { column: 'id', write: text((charge) => charge.id), schema: Type.String({ description: 'starts with `txn_`' }) },
  mode: { column: 'mode', write: mode((charge) => charge.mode), schema: ModeShape, notInFiles: true },
  status: {
    column: 'status',
    write: text((charge) => charge.status),
    schema: Type.Enum(['pending', 'authorized', 'succeeded', 'failed', 'refunded'], { $id: 'ChargeStatus' }),
  },
  amount: {
    column: 'amount',
    write: bigint((charge) => charge.amount),
    schema: Type.Integer({ minimum: 1, description: 'whole UGX' }),
  },
  fee: {
    column: 'fee',
    write: bigint((charge) => charge.fee),
    schema: Type.Integer({ minimum: 0, description: 'whole UGX' }),
  },
  net: {
    name: 'net',
    value: computeNet,
    schema: Type.Integer({ minimum: 0, description: 'amount minus gift_card_amount minus fee' }),
  },
  giftCardAmount: { column: 'gift_card_amount', schema: Type.Integer({ minimum: 0 }) },
  currency: { name: 'currency', value: () => 'UGX', schema: Type.Literal('UGX') },
  channel: {
    column: 'channel',
    write: text((charge) => charge.channel),
    schema: Type.Enum([...CHANNELS], { $id: 'Channel' }),
  },
  reference: { column: 'reference', write: text((charge) => charge.reference), schema: nullable(Type.String()) },
  railReference: {
    column: 'rail_reference',
    write: text((charge) => charge.railReference),
    schema: nullable(Type.String({ description: 'the reference we gave the rail, the same for life' })),
  },
  railTransactionId: {
    column: 'rail_transaction_id',
    schema: nullable(Type.String({ description: "the operator's own number, null until success" })),
    notInEvents: true,
  },
  failureReason: {
    column: 'failure_reason',
    schema: nullable(Type.Enum([...CHARGE_FAILURES], { $id: 'ChargeFailureReason' })),
  },
  paymentLinkId: { column: 'payment_link_id', schema: nullable(Type.String()) },
  refundId: { column: 'refund_id', schema: nullable(Type.String()), notInEvents: true },
  createdAt: { column: 'created_at', write: time((charge) => charge.createdAt), schema: Time },
  completedAt: { column: 'completed_at', schema: nullable(Time) },
  refundedAt: { column: 'refunded_at', schema: nullable(Time), notInEvents: true },
  settled: {
    name: 'settled',
    value: ({ settledAt }) => settledAt !== null,
    schema: Type.Boolean({ description: 'true once the net is in the available balance' }),
    notInFiles: true,
  },
  availableOn: { name: 'available_on', value: availableOn, schema: nullable(Time) },
  shares: { column: 'shares', write: bigint((charge) => charge.shares) },
  phone: { column: 'phone', write: text((charge) => charge.phone), inFiles: true },
  email: { column: 'email', write: text((charge) => charge.email), inFiles: true },
  customer: {
    name: 'customer',
    value: ({ phone, customerName, email }) => ({ phone, name: customerName, email }),
    eventValue: ({ phone, customerName, email }) => ({ email, name: customerName, phone }),
    schema: ChargeCustomerShape,
    notInFiles: true,
  },
  customerName: { column: 'customer_name', write: text((charge) => charge.customerName), inFiles: true },
  metadata: METADATA_FIELD,
  holdUntil: { column: 'hold_until' },
  settledAt: { column: 'settled_at' },
}

const FIELDS = (Object.keys(CHARGE_FIELDS) as (keyof typeof CHARGE_FIELDS)[]).map((key) => {
  const { column = '', name = column, value, ...field } = CHARGE_FIELDS[key] // Object.keys forgets the names that it was given.
  // A field without a value of its own is a member of Charge.
  const read = (charge: Charge): FieldValue => charge[key as Exclude<keyof Charge, 'split'>]
  return { ...field, key, column, name, value: value ?? read }
})
/** The fields that the API shows, in its order. */
export const SHOWN_CHARGE_FIELDS = FIELDS.flatMap(({ schema, ...field }) =>
  schema === undefined ? [] : { ...field, schema },
)

/** The columns of a row `c` of charges, as the members of Charge. */
export const CHARGE_COLUMNS = FIELDS.flatMap(({ key, column }) =>
  column === '' ? [] : `c.${column} as "${key}"`,
).join(', ')

/** What a new row of charges has from its Charge, by column. */
export const CHARGE_WRITERS: Readonly<Record<string, CopyColumn<Charge>>> = Object.fromEntries(
  FIELDS.flatMap(({ column, write }) => (write === undefined ? [] : [[column, write]])),
)

/** The fields of a CSV file of charges. */
export const CHARGE_FILE_FIELDS: readonly { name: string; cell(charge: Charge): CellValue }[] = FIELDS.filter(
  ({ schema, notInFiles, inFiles }) => inFiles || (schema !== undefined && !notInFiles),
).map(({ name, value, cell }) => ({ name, cell: cell ?? ((charge) => value(charge) as CellValue) })) // Objects have a cell.

/** The charge as the API shows it (contract.md 2.2). */
export const ChargeShape = Type.Object(
  {
    ...Object.fromEntries(SHOWN_CHARGE_FIELDS.map(({ name, schema }) => [name, schema])),
    split: Type.Optional(SplitShape),
    payment_link: expandedMember('PaymentLink'),
    refund: expandedMember('Payout'),
  },
  { $id: 'Charge' },
)

/** Formats a charge for the API. */
export function presentCharge(charge: Charge): Record<string, unknown> {
  const split = findSplit(charge)
  return { ...presentFields(SHOWN_CHARGE_FIELDS, charge), ...(split === null ? {} : { split }) }
}

/** Formats these fields of a charge. */
export const presentFields = (fields: readonly { name: string; value(charge: Charge): unknown }[], charge: Charge) =>
  Object.fromEntries(
    fields.map(({ name, value }) => {
      const shown = value(charge)
      return [name, shown instanceof Date ? formatIsoTime(shown) : shown]
    }),
  )

/** The rows of a split charge's shares; null without a split. */
export function findSplit(charge: Charge) {
  if (charge.split) return presentSplit(charge, charge.split, computeResidual(charge))
  assert((charge.shares ?? null) === null, 'a split charge is shown with its shares')
  return null
}
