import type { ComponentChildren } from 'preact'
import type { Action } from '../../actors/actions.ts'
import { mayDo } from '../../actors/allow.ts'
import type { AuditEntry } from '../../actors/read-audit.ts'
import type { Transfer } from '../../ledger/find-transfers.ts'
import { type Entry, Money, Said, Section, Time } from '../../pages/parts.tsx'
import { type Column, Table } from '../../pages/table.tsx'
import { shown, ugx } from '../../pages/wording.ts'
import type { Story, StoryEntry } from '../../reports/story/story.ts'
import type { EventTold } from '../../webhooks/events-of.ts'
import { DeliveryStatus } from '../developers/failing.tsx'
import { OBJECT_PAGES, pageOfObject } from '../object-link.tsx'
import { ACTION_NAMES } from '../texts/action-names.ts'
import { STORY } from '../texts/story.ts'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'

const { money } = STORY
const sentEvents = STORY.told
const DELIVERIES = '/developers/webhooks'

/** Builds the entries of a timeline from a story. */
export const entriesOf = (visit: DashboardVisit, { entries }: Story): Entry[] =>
  entries.map((entry) => ({ at: entry.at, ...toldOf(visit, entry) }))

function toldOf(visit: DashboardVisit, entry: StoryEntry): Omit<Entry, 'at'> {
  switch (entry.kind) {
    case 'act':
      return { title: actOf(entry.act) }
    case 'happened':
      return {
        title: entry.says,
        tone: toneOf(entry.says),
        ...(entry.repeated > 1 ? { detail: STORY.times(entry.repeated) } : {}),
      }
    case 'money':
      return { title: `${nameOf(entry.transfer)}: ${ugx(entry.transfer.amount)}` }
    case 'dispute': {
      const { dispute, moved } = entry
      const text = moved === 'opened' ? STORY.opened : STORY.closed
      const reason = dispute.reason.replaceAll('_', ' ')
      return {
        title: <a href={visit.to(`/disputes/${dispute.id}`)}>{text}</a>,
        ...(moved === 'opened' ? { detail: reason, tone: 'warn' as const } : {}),
      }
    }
    case 'event':
      return { title: eventLink(visit, entry.event, STORY.event(entry.event.type)) }
    case 'delivery': {
      const { event } = entry
      const { attempts, lastResponseCode } = event
      return {
        title: eventLink(visit, event, STORY.delivered(event.type)),
        detail: STORY.attempts(attempts ?? 1, lastResponseCode),
        tone: 'good',
      }
    }
  }
}

function actOf({ action, actor }: AuditEntry): string {
  // An action without a name here is shown by its word in the audit. The brackets in names are about roles.
  const name = ACTION_NAMES[action as Action]?.replace(/ \(.*\)$/, '') ?? action
  return STORY.act(name, actor === null ? STORY.gateway : shown(actor))
}

const toneOf = (text: string): NonNullable<Entry['tone']> =>
  /^succeeded/.test(text) ? 'good' : /^failed/.test(text) ? 'bad' : 'quiet'

/** Links an event to its delivery. Readers who may not see the pages of webhooks get the text alone. */
function eventLink(visit: DashboardVisit, { id }: EventTold, text: ComponentChildren) {
  const address = pageOfObject(visit, id)
  return address === null ? text : <a href={address}>{text}</a>
}

const nameOf = ({ kind }: Transfer) => WALLET.ledger.kinds[kind] ?? kind.replaceAll('_', ' ')

const accountOf = (account: string) => {
  const [name = '', part] = account.split(':')
  const text = money.accounts[name] ?? name
  return name.startsWith('sub_') ? (
    <>
      {text} <code>{part}</code>
    </>
  ) : (
    text
  )
}

const TRANSFERS: readonly Column<Transfer>[] = [
  { title: money.columns.what, cell: nameOf },
  { title: money.columns.from, cell: ({ debit }) => accountOf(debit) },
  { title: money.columns.to, cell: ({ credit }) => accountOf(credit) },
  { title: money.columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: money.columns.at, cell: ({ at }) => <Time at={at} /> },
]

/** Shows where the money went: the ledger lines of the object in plain words. */
export const MoneyMoved = ({ story: { transfers } }: { story: Story }) => (
  <Section title={money.title}>
    {transfers.length === 0 ? (
      <p class="quiet">{money.empty}</p>
    ) : (
      <Table caption={money.title} rows={transfers} columns={TRANSFERS} />
    )}
  </Section>
)

const EVENTS: readonly Column<EventTold>[] = [
  { title: sentEvents.columns.event, cell: ({ type }) => type },
  {
    title: sentEvents.columns.state,
    cell: ({ status, attempts, nextAttemptAt }) =>
      status === null ? (
        <span class="quiet">{sentEvents.forgotten}</span>
      ) : (
        <DeliveryStatus delivery={{ status, attempts: attempts ?? 0, nextAttemptAt }} />
      ),
  },
  { title: sentEvents.columns.attempts, cell: ({ attempts }) => attempts, figures: true },
  {
    title: sentEvents.columns.answer,
    cell: ({ lastResponseCode, lastError }) => lastResponseCode ?? <Said text={lastError} />,
  },
  { title: sentEvents.columns.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Lists the events sent to the merchant's server, each with a link to its delivery. */
export const EventsTold = ({ visit, story: { events } }: { visit: DashboardVisit; story: Story }) => (
  <Section title={sentEvents.title}>
    {events.length === 0 ? (
      <p class="quiet">{sentEvents.empty}</p>
    ) : (
      <Table
        caption={sentEvents.title}
        rows={events}
        columns={EVENTS}
        {...(mayDo(visit.caller, OBJECT_PAGES.evt_.see)
          ? { href: (event: EventTold) => visit.to(`${DELIVERIES}/${event.id}`) }
          : {})}
      />
    )}
  </Section>
)
