import { Type } from 'typebox'
import { METADATA_CREATE, type Metadata, metadataOrNull } from '../../../api/http/bodies/metadata.ts'
import { isJsonObject, parseBodyPart } from '../../../api/http/bodies/parse-body.ts'
import { type MetadataCell, parseItemMetadata } from './metadata-cell.ts'

/** One parsed item of a bulk payout: what is to be paid, or why it cannot be read. */
export type BulkItem =
  | {
      ok: true
      index: number
      /** Whole UGX and finite; the rules of payouts check that it is positive and below the maximum. */
      amount: number
      phone: string
      name: string | null
      channel: string
      reference: string | null
      /** Absent where it has none: a call may have a thousand items. */
      metadata?: Metadata
    }
  /** `reference` is null when it cannot be read. */
  | { ok: false; index: number; reference: string | null; error: string }

/** An item before it is checked: its fields as JSON would have them, with the metadata of a list in a cell; or the problem of its row. */
export type UncheckedItem = { fields: unknown; metadataCell?: MetadataCell | undefined } | { problem: string }

// Limited, because a channel that does not exist is refused in every item, each time with a copy of this text.
export const MAX_CHANNEL_CHARACTERS = 200

const amount = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'whole UGX, greater than 0',
  examples: [5000],
})
const phone = Type.String({
  format: 'phone',
  description: 'mobile number in any written form',
  examples: ['0700000000'],
})
const name = Type.Optional(Type.String({ maxLength: 200 }))
const channel = Type.Optional(
  Type.String({
    maxLength: MAX_CHANNEL_CHARACTERS,
    description: 'instead of the `channel` of the whole call',
  }),
)
const reference = Type.Optional(
  Type.String({
    maxLength: 255,
    description: 'your own name for this payment: an accepted one is never paid a second time',
  }),
)

/** An item, for the description: the recipient is an object or two fields of the item. */
export const BulkItemShape = Type.Object(
  {
    amount,
    recipient: Type.Optional(Type.Object({ phone, name }, { $id: 'PayoutRecipientCreate' })),
    phone: Type.Optional(Type.String({ ...phone, description: 'instead of `recipient.phone`' })),
    name: Type.Optional(Type.String({ maxLength: 200, description: 'instead of `recipient.name`' })),
    channel,
    reference,
    metadata: METADATA_CREATE,
  },
  { $id: 'BulkPayoutItem' },
)

// An item whose recipient is gathered, with its fields in the order in which faults are reported. Metadata comes after them.
const GatheredItem = Type.Object({ amount, recipient: Type.Object({ phone, name }), channel, reference })
const OnlyReference = Type.Object({ reference })

/** Parses one item; `channelOfAll` applies when it names no channel. */
export function parseBulkItem(item: UncheckedItem, index: number, channelOfAll: string): BulkItem {
  if ('problem' in item) return unreadableItem(index, null, item.problem)
  const { fields } = item
  if (!isJsonObject(fields)) return unreadableItem(index, null, 'item must be an object')
  const parsed = parseBodyPart(GatheredItem, {
    amount: fields.amount,
    recipient: gatherRecipient(fields),
    channel: fields.channel,
    reference: fields.reference,
  })
  if (!parsed.ok) return unreadableItem(index, parseReference(fields), parsed.problem)
  const { amount, recipient, channel, reference } = parsed.value
  const given = parseItemMetadata(fields.metadata, item.metadataCell)
  if (!given.ok) return unreadableItem(index, reference ?? null, given.problem)
  const metadata = metadataOrNull(given.value.metadata)
  return {
    ok: true,
    index,
    amount: clampToFinite(amount),
    phone: recipient.phone,
    name: recipient.name ?? null,
    channel: channel ?? channelOfAll,
    reference: reference ?? null,
    ...(metadata === null ? {} : { metadata }),
  }
}

const unreadableItem = (index: number, reference: string | null, problem: string): BulkItem => ({
  ok: false,
  index,
  reference,
  error: `invalid item: ${problem}`,
})

/** Gathers the recipient from the nested object or the flat fields; where both are given the nested one wins (G13a). */
function gatherRecipient({ recipient, phone, name }: Record<string, unknown>): unknown {
  if (recipient === undefined || recipient === null) return { phone, name }
  if (!isJsonObject(recipient)) return recipient
  return {
    phone: isAbsent(recipient.phone) ? phone : recipient.phone,
    name: isAbsent(recipient.name) ? name : recipient.name,
  }
}

const isAbsent = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function parseReference(fields: Record<string, unknown>): string | null {
  const parsed = parseBodyPart(OnlyReference, fields)
  return parsed.ok ? (parsed.value.reference ?? null) : null
}

/** Bounds an amount: more digits than a number holds are parsed as Infinity, which JSON cannot store. */
const clampToFinite = (amount: number) => Math.max(-Number.MAX_VALUE, Math.min(amount, Number.MAX_VALUE))
