import { type Static, Type } from 'typebox'
import { domainRefusal } from '../../../platform/refusal.ts'
import { defineSealedColumn, getRowMerchant } from '../../../platform/rewrap.ts'
import type { SecretBinding } from '../../../platform/secrets.ts'
import { EVENT_TYPES, EventTypeShape } from '../events.ts'

/** `paused`: its merchant wants nothing sent. `switched_off`: it answered nothing but errors for three days. In both events wait. */
const ADDRESS_STATES = ['active', 'paused', 'switched_off'] as const
export type AddressState = (typeof ADDRESS_STATES)[number]

/** How many addresses a merchant has at most, with the first one. */
export const MAX_ADDRESSES = 5
const MAX_URL_CHARACTERS = 2048

/** An address to which the events of a merchant are posted. `events`: only these; null: all. */
export type WebhookAddress = {
  id: string
  /** 1 is the first one, which every merchant has; its `url` is null where none was set. */
  number: number
  url: string | null
  events: string[] | null
  state: AddressState
  secretSince: Date | null
  /** Until when the secret before the current one signs too. */
  previousUntil: Date | null
  lastSuccessAt: Date | null
  failingSince: Date | null
  createdAt: Date
}

const TimeOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time', description }), Type.Null()], { description })
const EventsShape = Type.Union(
  [Type.Array(EventTypeShape, { minItems: 1, maxItems: EVENT_TYPES.length }), Type.Null()],
  { description: 'only these events are sent here; null: all' },
)
const UrlShape = Type.String({
  minLength: 1,
  maxLength: MAX_URL_CHARACTERS,
  description: 'https, reachable from the public internet',
  examples: ['https://shop.example/webhooks'],
})

export const WebhookAddressShape = Type.Object(
  {
    object: Type.Literal('webhook_address'),
    id: Type.String({ description: 'starts with `wha_`' }),
    number: Type.Integer({
      minimum: 1,
      maximum: MAX_ADDRESSES,
      description: '1 is the first one, which you always have',
    }),
    url: Type.Union([Type.String(), Type.Null()], { description: 'null: the first one, where none is set' }),
    events: EventsShape,
    state: Type.Enum(ADDRESS_STATES, {
      $id: 'WebhookAddressState',
      description: 'while it is `paused` or `switched_off` its events wait',
    }),
    secret_since: TimeOrNull('since when the current secret signs'),
    previous_secret_until: TimeOrNull('until when the secret before it signs too'),
    last_success_at: TimeOrNull('when it last answered with a 2xx'),
    failing_since: TimeOrNull('since when it answers nothing but errors'),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'WebhookAddress' },
)
export const WebhookAddressWithSecretShape = Type.Object(
  {
    ...WebhookAddressShape.properties,
    secret: Type.String({ description: 'starts with `whsec_`; it is shown this once' }),
  },
  { $id: 'WebhookAddressWithSecret' },
)
export const WebhookAddressCreateShape = Type.Object(
  { url: UrlShape, events: Type.Optional(EventsShape) },
  { $id: 'WebhookAddressCreate' },
)
export const WebhookAddressChangeShape = Type.Object(
  { url: Type.Optional(UrlShape), events: Type.Optional(EventsShape) },
  { $id: 'WebhookAddressChange' },
)
export type WebhookAddressCreate = Static<typeof WebhookAddressCreateShape>
export type WebhookAddressChange = Static<typeof WebhookAddressChangeShape>

export const presentAddress = (address: WebhookAddress) => ({
  object: 'webhook_address',
  id: address.id,
  number: address.number,
  url: address.url,
  events: address.events,
  state: address.state,
  secret_since: address.secretSince?.toISOString() ?? null,
  previous_secret_until: address.previousUntil?.toISOString() ?? null,
  last_success_at: address.lastSuccessAt?.toISOString() ?? null,
  failing_since: address.failingSince?.toISOString() ?? null,
  created_at: address.createdAt.toISOString(),
})

/** Returns these names of events once each, in our order; null means all. Throws 400 for an unknown one and for none. */
export function parseEvents(events: readonly string[] | null | undefined): string[] | null {
  if (events == null) return null
  const known: readonly string[] = EVENT_TYPES
  const unknown = events.find((event) => !known.includes(event))
  if (unknown !== undefined || events.length === 0)
    throw domainRefusal('bad_request', `events must be some of ${EVENT_TYPES.join(', ')}, or null for all`, {
      field: 'events',
    })
  return known.filter((event) => events.includes(event))
}

/** The id of the first address of the merchant with this tag. */
export const firstAddressId = (tag: string): string => `wha_${tag}${'1'.padStart(16, '0')}`

type AddressSecretColumn = 'secret' | 'previous_secret'

/** What a secret of a further address is bound to. */
export const bindAddressSecret = (
  { merchantId, id }: { merchantId: number; id: string },
  column: AddressSecretColumn,
): SecretBinding => ({ merchantId, purpose: id, column: `webhook_addresses.${column}` })

const sealedColumn = (column: AddressSecretColumn) =>
  defineSealedColumn({
    table: 'webhook_addresses',
    column,
    part: 't.id',
    bindingOf: (row) => bindAddressSecret({ merchantId: getRowMerchant(row), id: row.part }, column),
  })

/** Secrets of further addresses, for a change of the master key. */
export const SEALED_ADDRESS_SECRETS = [sealedColumn('secret'), sealedColumn('previous_secret')]
