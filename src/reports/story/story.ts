import type { Caller } from '../../api/access/actor.ts'
import { type AuditEntry, readActsOn } from '../../api/access/read-audit.ts'
import { readSubjectTransfers, type Transfer } from '../../ledger/read-subject-transfers.ts'
import { type EventWithDelivery, readEventsAbout } from '../../merchants/webhooks/events-about.ts'
import type { Charge } from '../../payments/charges/charge.ts'
import { readChargeStory } from '../../payments/charges/charge-timeline.ts'
import type { Payout } from '../../payments/payouts/payout.ts'
import { readPayoutStory } from '../../payments/payouts/payout-timeline.ts'
import type { App } from '../../program/app.ts'
import type { StoryLine } from '../../rails/movement-story.ts'
import { listDisputesOfCharge } from '../../selling/disputes/close-dispute.ts'
import type { Dispute } from '../../selling/disputes/dispute.ts'
import type { VendingOrder } from '../../selling/vending/orders/order.ts'
import { type OrderStep, readOrderSteps } from '../../selling/vending/orders/read-order-steps.ts'
import type { StoryNoun } from '../words/story.ts'

/** One thing that happened to an object, or because of it. */
export type StoryEntry = { at: Date } & (
  | { kind: 'act'; act: AuditEntry }
  /** A state, or a question to the operator with its answer. */
  | { kind: 'happened'; noun: StoryNoun; line: StoryLine }
  | { kind: 'money'; transfer: Transfer }
  | { kind: 'dispute'; dispute: Dispute; moved: 'opened' | 'closed' }
  | { kind: 'event'; event: EventWithDelivery }
  | { kind: 'delivery'; event: EventWithDelivery }
)

/** An entry of the story of a vending order, which has steps of its own. */
export type OrderStoryEntry = StoryEntry | { at: Date; kind: 'step'; step: OrderStep }

/** An object's story, oldest first, and its transfers and events as separate lists. */
export type ObjectStory = {
  entries: readonly StoryEntry[]
  transfers: readonly Transfer[]
  events: readonly EventWithDelivery[]
  disputes: readonly Dispute[]
}

export type OrderStory = Omit<ObjectStory, 'entries'> & { entries: readonly OrderStoryEntry[] }

// A movement has at most so many entries; equal answers in a row are one.
const MAX_STORY_LINES = 100
// The order of entries of one moment: the request first, then its results.
const KIND_ORDER: readonly OrderStoryEntry['kind'][] = [
  'act',
  'happened',
  'step',
  'money',
  'dispute',
  'event',
  'delivery',
]

/** `happened`: its own lines, newest first. `actsOn`: another object whose acts belong to the story. */
type StoryInput = {
  subject: string
  actsOn?: string | undefined
  noun?: StoryNoun
  happened?: readonly StoryLine[]
  disputes?: readonly Dispute[]
}

/** The story of a charge of the caller. */
export async function chargeStory(app: App, caller: Caller, { id }: Pick<Charge, 'id'>): Promise<ObjectStory> {
  const [happened, disputes] = await Promise.all([
    readChargeStory(app, caller, id),
    listDisputesOfCharge(app, caller, id),
  ])
  return readStory(app, caller, { subject: id, noun: 'charge', happened, disputes })
}

/** The story of a payout of the caller. */
export async function payoutStory(app: App, caller: Caller, { id }: Pick<Payout, 'id'>): Promise<ObjectStory> {
  return readStory(app, caller, { subject: id, noun: 'payout', happened: await readPayoutStory(app, caller, id) })
}

/** The story of a vending order of the caller: the order, its payment, what its machine said, and what was done after. */
export async function orderStory(
  app: App,
  caller: Caller,
  { order, charge }: { order: VendingOrder; charge: Charge | null },
): Promise<OrderStory> {
  const [steps, disputes] = await Promise.all([
    readOrderSteps(app, order, charge),
    charge === null ? [] : listDisputesOfCharge(app, caller, charge.id),
  ])
  const story = await readStory(app, caller, { subject: order.id, actsOn: charge?.id, disputes })
  const entries = [...story.entries, ...steps.map((step) => ({ at: step.at, kind: 'step' as const, step }))]
  return { ...story, entries: entries.sort(oldestFirst) }
}

/** Reads the story of any object: its own timeline, and what ledger, events and audit have under its id. */
export async function readStory(
  app: App,
  caller: Caller,
  { subject, actsOn, noun = 'charge', happened = [], disputes = [] }: StoryInput,
): Promise<ObjectStory> {
  const subjects = [subject, ...disputes.map(({ id }) => id)]
  const [transfers, events, acts] = await Promise.all([
    readSubjectTransfers(app.db, caller, subject),
    readEventsAbout(app, caller, subjects),
    readActsOn(app, caller, actsOn === undefined ? subjects : [...subjects, actsOn]),
  ])
  const entries = [
    ...acts.map((act): StoryEntry => ({ at: act.at, kind: 'act', act })),
    ...happened
      .slice(0, MAX_STORY_LINES)
      .map((line): StoryEntry => ({ at: line.at, kind: 'happened', noun, line }))
      .reverse(),
    ...transfers.map((transfer): StoryEntry => ({ at: transfer.at, kind: 'money', transfer })),
    ...disputes.flatMap(disputeEntries),
    ...events.map((event): StoryEntry => ({ at: event.createdAt, kind: 'event', event })),
    ...events.flatMap((event): StoryEntry[] =>
      event.deliveredAt === null ? [] : [{ at: event.deliveredAt, kind: 'delivery', event }],
    ),
  ]
  return { entries: entries.sort(oldestFirst), transfers, events, disputes }
}

const disputeEntries = (dispute: Dispute): StoryEntry[] => [
  { at: dispute.openedAt, kind: 'dispute', dispute, moved: 'opened' },
  ...(dispute.closedAt === null
    ? []
    : [{ at: dispute.closedAt, kind: 'dispute' as const, dispute, moved: 'closed' as const }]),
]

const oldestFirst = (a: OrderStoryEntry, b: OrderStoryEntry): number =>
  a.at.getTime() - b.at.getTime() || KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind)
