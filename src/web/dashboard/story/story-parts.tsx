import type { ComponentChildren } from 'preact'
import { mayDo } from '../../../api/access/allow.ts'
import type { AuditEntry } from '../../../api/access/read-audit.ts'
import { type Metadata, presentMetadata } from '../../../api/http/bodies/metadata.ts'
import type { Transfer } from '../../../ledger/read-subject-transfers.ts'
import type { EventWithDelivery } from '../../../merchants/webhooks/events-about.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { ObjectStory, OrderStory, OrderStoryEntry } from '../../../reports/story/story.ts'
import { LEDGER_WORDS } from '../../../reports/words/ledger.ts'
import { EVENT_WORDS, storyWords } from '../../../reports/words/story.ts'
import { column } from '../../parts/columns.tsx'
import { Facts, OutsideText, Section, type TimelineEntry } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings, shorten } from '../../parts/wording.ts'
import { DeliveryStatus } from '../developers/failing-deliveries.tsx'
import { findObjectAddress, getObjectPath, OBJECT_PAGES } from '../object-link.tsx'
import { nameAction } from '../texts/action-names.ts'
import { STORY } from '../texts/story.ts'
import { VENDING } from '../texts/vending.ts'
import { describeStep } from '../vending/order-steps.tsx'
import type { DashboardVisit } from '../visit.ts'

const { money } = STORY
const sentEvents = STORY.sentEvents

/** Builds the entries of a timeline from a story. */
export const buildTimelineEntries = (visit: DashboardVisit, { entries }: OrderStory): TimelineEntry[] =>
  entries.map((entry) => ({ at: entry.at, ...describeEntry(visit, entry) }))

function describeEntry(visit: DashboardVisit, entry: OrderStoryEntry): Omit<TimelineEntry, 'at'> {
  switch (entry.kind) {
    case 'act':
      return { title: formatAct(entry.act), ...describeDecision(entry.act) }
    case 'step':
      return describeStep(visit, entry.step)
    case 'happened': {
      const { says, tone } = storyWords(entry.noun, entry.line)
      const { repeated } = entry.line
      return { title: says, tone, ...(repeated > 1 ? { detail: STORY.times(repeated) } : {}) }
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
      return { title: renderEventLink(visit, entry.event, STORY.event(wordEvent(entry.event.type))) }
    case 'delivery': {
      const { event } = entry
      const { attempts, lastResponseCode } = event
      return {
        title: renderEventLink(visit, event, STORY.delivered(wordEvent(event.type))),
        detail: STORY.attempts(attempts ?? 1, lastResponseCode),
        tone: 'good',
      }
    }
  }
}

function formatAct({ action, actor }: AuditEntry): string {
  // An action without a name here is shown by its word in the audit. The brackets in names are about roles.
  const name = nameAction(action)
  return STORY.act(name, actor === null ? STORY.gateway : oneLine(actor))
}

/** What a person has decided about an order whose machine never reported. */
function describeDecision({ action, after }: AuditEntry): { detail?: string } {
  if (action !== 'order.decide' || typeof after !== 'object' || after === null || !('decision' in after)) return {}
  return { detail: after.decision === 'delivered' ? VENDING.orders.delivered : VENDING.orders.notDelivered }
}

/** What an event says, in people's words; its own name for one that is no longer made. */
const wordEvent = (type: string): string => (EVENT_WORDS as Readonly<Record<string, string>>)[type] ?? type

/** Links an event to its delivery. Readers who may not see the pages of webhooks get the text alone. */
function renderEventLink(visit: DashboardVisit, { id }: EventWithDelivery, text: ComponentChildren) {
  const address = findObjectAddress(visit, id)
  return address === null ? text : <a href={address}>{text}</a>
}

const formatTransferKind = ({ kind }: Transfer) => LEDGER_WORDS.kinds[kind] ?? kind.replaceAll('_', ' ')

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
export const EventsSent = ({
  visit,
  story: { events },
}: {
  visit: DashboardVisit
  story: Pick<ObjectStory, 'events'>
}) => (
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

// A line of a list has room for so many; all of them stand on the page of its object.
const NAMES_ON_A_LINE = 3

/** Shows the first metadata of a line of a list, in one line; nothing where there is none. */
export function MetadataLine({ metadata }: { metadata: Metadata | null }) {
  if (metadata === null) return null
  const entries = Object.entries(presentMetadata(metadata))
  const shown = entries.slice(0, NAMES_ON_A_LINE).map(([name, value]) => `${name}: ${shorten(value)}`)
  const more = entries.length - shown.length
  return (
    <div class="hint">
      <OutsideText text={shown.join(' · ')} />
      {more > 0 && ` ${STORY.metadata.more(more)}`}
    </div>
  )
}

/** Shows the metadata of an object; nothing where there is none. */
export const MetadataFacts = ({ metadata }: { metadata: Metadata | null }) =>
  metadata === null ? null : (
    <>
      <h3>{STORY.metadata.title}</h3>
      <p class="hint">{STORY.metadata.hint}</p>
      <Facts
        facts={Object.entries(presentMetadata(metadata)).map(([name, value]) => [
          <OutsideText text={name} />,
          <OutsideText text={value} />,
        ])}
      />
    </>
  )
