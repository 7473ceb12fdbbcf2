import type { EventEnvelope, StreamedEvent, Webhooks } from './generated/types.gen.ts'

/**
 * An event, by its name: `if (event.event === 'charge.succeeded') event.data.amount`. Events of a later day have other names: let them pass
 * in a `default`.
 */
export type GatewayEvent = NonNullable<Webhooks['body']>

export type EventName = GatewayEvent['event']

/** The event with this name, or any of these names. */
export type EventOf<Name extends EventName> = Extract<GatewayEvent, { event: Name }>

/** A row of `GET /v1/events`, with its event by name. */
export type NumberedEvent<Name extends EventName = EventName> = Omit<StreamedEvent, 'envelope'> & {
  envelope: EventOf<Name>
}

/** The same row. The description says of a row only that it is one of the events; which, its name says. */
export const asNumbered = <Row extends { envelope: EventEnvelope }>(row: Row) => row as unknown as NumberedEvent
