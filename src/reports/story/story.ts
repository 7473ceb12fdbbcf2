import type { Caller } from '../../api/access/actor.ts'
import { type AuditEntry, readActsOn } from '../../api/access/read-audit.ts'
import { readSubjectTransfers, type Transfer } from '../../ledger/read-subject-transfers.ts'
import { type EventWithDelivery, readEventsAbout } from '../../merchants/webhooks/events-about.ts'
import type { Charge } from '../../payments/charges/charge.ts'
import { readChargeTimeline } from '../../payments/charges/charge-timeline.ts'
import type { Payout } from '../../payments/payouts/payout.ts'
import { readPayoutTimeline } from '../../payments/payouts/payout-timeline.ts'
import type { App } from '../../program/app.ts'
import { listDisputesOfCharge } from '../../selling/disputes/close-dispute.ts'
import type { Dispute } from '../../selling/disputes/dispute.ts'

/** One thing that happened to an object, or because of it. */
export type StoryEntry = { at: Date } & (
  | { kind: 'act'; act: AuditEntry }
  /** A state, or a question to the operator with its answer: a sentence for people. */
  | { kind: 'happened'; says: string; repeated: number }
  | { kind: 'money'; transfer: Transfer }
  | { kind: 'dispute'; dispute: Dispute; moved: 'opened' | 'closed' }
  | { kind: 'event'; event: EventWithDelivery }
  | { kind: 'delivery'; event: EventWithDelivery }
)

/** An object's story, oldest first, and its transfers and events as separate lists. */
export type ObjectStory = {
  entries: readonly StoryEntry[]
  transfers: readonly Transfer[]
  events: readonly EventWithDelivery[]
  disputes: readonly Dispute[]
}

// A movement has at most so many entries; equal answers in a row are one.
const MAX_TIMELINE_ENTRIES = '100'
// The order of entries of one moment: the request first, then its results.
const KIND_ORDER: readonly StoryEntry['kind'][] = ['act', 'happened', 'money', 'dispute', 'event', 'delivery']

type StoryTimelineEntry = { at: string; summary: string; repeated: number }
type StoryInput = { subject: string; happened?: readonly StoryTimelineEntry[]; disputes?: readonly Dispute[] }

/** The story of a charge of the caller. */
export async function chargeStory(app: App, caller: Caller, { id }: Pick<Charge, 'id'>): Promise<ObjectStory> {
  const [{ data }, disputes] = await Promise.all([
    readChargeTimeline(app, caller, { id, query: { limit: MAX_TIMELINE_ENTRIES } }),
    listDisputesOfCharge(app, caller, id),
  ])
  return readStory(app, caller, { subject: id, happened: data, disputes })
}

/** The story of a payout of the caller. */
export async function payoutStory(app: App, caller: Caller, { id }: Pick<Payout, 'id'>): Promise<ObjectStory> {
  const { data } = await readPayoutTimeline(app, caller, { id, query: { limit: MAX_TIMELINE_ENTRIES } })
  return readStory(app, caller, { subject: id, happened: data })
}

/** Reads the story of any object: its own timeline, and what ledger, events and audit have under its id. */
export async function readStory(
  app: App,
  caller: Caller,
  { subject, happened = [], disputes = [] }: StoryInput,
): Promise<ObjectStory> {
  const subjects = [subject, ...disputes.map(({ id }) => id)]
  const [transfers, events, acts] = await Promise.all([
    readSubjectTransfers(app.db, caller, subject),
    readEventsAbout(app, caller, subjects),
    readActsOn(app, caller, subjects),
  ])
  const entries = [
    ...acts.map((act): StoryEntry => ({ at: act.at, kind: 'act', act })),
    // The timeline comes newest first.
    ...happened
      .map(
        ({ at, summary, repeated }): StoryEntry => ({
          ...{ at: new Date(at), kind: 'happened', says: summary, repeated },
        }),
      )
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

const oldestFirst = (a: StoryEntry, b: StoryEntry): number =>
  a.at.getTime() - b.at.getTime() || KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind)
