import type { ComponentChildren } from 'preact'
import type { Action } from '../../../api/access/actions.ts'
import { mayDo } from '../../../api/access/allow.ts'
import type { AuditEntry } from '../../../api/access/read-audit.ts'
import type { Transfer } from '../../../ledger/read-subject-transfers.ts'
import type { EventWithDelivery } from '../../../merchants/webhooks/events-about.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { ObjectStory, StoryEntry } from '../../../reports/story/story.ts'
import { column } from '../../parts/columns.tsx'
import { OutsideText, Section, type TimelineEntry } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { DeliveryStatus } from '../developers/failing-deliveries.tsx'
import { findObjectAddress, getObjectPath, OBJECT_PAGES } from '../object-link.tsx'
import { ACTION_NAMES } from '../texts/action-names.ts'
import { STORY } from '../texts/story.ts'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'

const { money } = STORY
const sentEvents = STORY.sentEvents

/** Builds the entries of a timeline from a story. */
export const buildTimelineEntries = (visit: DashboardVisit, { entries }: ObjectStory): TimelineEntry[] =>
  entries.map((entry) => ({ at: entry.at, ...describeEntry(visit, entry) }))

function describeEntry(visit: DashboardVisit, entry: StoryEntry): Omit<TimelineEntry, 'at'> {
  switch (entry.kind) {
    case 'act':
      return { title: formatAct(entry.act) }
    case 'happened':
      return {
        title: entry.says,
        tone: chooseTone(entry.says),
        ...(entry.repeated > 1 ? { detail: STORY.times(entry.repeated) } : {}),
      }
    case 'money':
      return { title: `${formatTransferKind(entry.transfer)}: ${formatShillings(entry.transfer.amount)}` }
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
      return { title: renderEventLink(visit, entry.event, STORY.event(entry.event.type)) }
    case 'delivery': {
      const { event } = entry
      const { attempts, lastResponseCode } = event
      return {
        title: renderEventLink(visit, event, STORY.delivered(event.type)),
        detail: STORY.attempts(attempts ?? 1, lastResponseCode),
        tone: 'good',
      }
    }
  }
}

function formatAct({ action, actor }: AuditEntry): string {
  // An action without a name here is shown by its word in the audit. The brackets in names are about roles.
  const name = ACTION_NAMES[action as Action]?.replace(/ \(.*\)$/, '') ?? action
  return STORY.act(name, actor === null ? STORY.gateway : oneLine(actor))
}

const chooseTone = (text: string): NonNullable<TimelineEntry['tone']> =>
  /^succeeded/.test(text) ? 'good' : /^failed/.test(text) ? 'bad' : 'quiet'

/** Links an event to its delivery. Readers who may not see the pages of webhooks get the text alone. */
function renderEventLink(visit: DashboardVisit, { id }: EventWithDelivery, text: ComponentChildren) {
  const address = findObjectAddress(visit, id)
  return address === null ? text : <a href={address}>{text}</a>
}

const formatTransferKind = ({ kind }: Transfer) => WALLET.ledger.kinds[kind] ?? kind.replaceAll('_', ' ')

const renderAccount = (account: string) => {
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

const TRANSFER_COLUMNS: readonly ListColumn<Transfer>[] = [
  { title: money.columns.what, cell: formatTransferKind },
  { title: money.columns.from, cell: ({ debit }) => renderAccount(debit) },
  { title: money.columns.to, cell: ({ credit }) => renderAccount(credit) },
  column.money(money.columns.amount, ({ amount }) => amount),
  column.time(money.columns.at, ({ at }) => at),
]

/** Shows where the money went: the ledger lines of the object in plain words. */
export const MoneyMoved = ({ story: { transfers } }: { story: ObjectStory }) => (
  <Section title={money.title}>
    {transfers.length === 0 ? (
      <p class="quiet">{money.empty}</p>
    ) : (
      <Table caption={money.title} rows={transfers} columns={TRANSFER_COLUMNS} />
    )}
  </Section>
)

const EVENT_COLUMNS: readonly ListColumn<EventWithDelivery>[] = [
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
    cell: ({ lastResponseCode, lastError }) => lastResponseCode ?? <OutsideText text={lastError} />,
  },
  column.time(sentEvents.columns.at, ({ createdAt }) => createdAt),
]

/** Lists the events sent to the merchant's server, each with a link to its delivery. */
export const EventsSent = ({ visit, story: { events } }: { visit: DashboardVisit; story: ObjectStory }) => (
  <Section title={sentEvents.title}>
    {events.length === 0 ? (
      <p class="quiet">{sentEvents.empty}</p>
    ) : (
      <Table
        caption={sentEvents.title}
        rows={events}
        columns={EVENT_COLUMNS}
        {...(mayDo(visit.caller, OBJECT_PAGES.evt_.see)
          ? { href: (event: EventWithDelivery) => visit.to(getObjectPath(event.id)) }
          : {})}
      />
    )}
  </Section>
)
