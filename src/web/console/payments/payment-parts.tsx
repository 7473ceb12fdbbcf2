import type { ComponentChildren } from 'preact'
import type { Transfer } from '../../../ledger/read-subject-transfers.ts'
import type { EventWithDelivery } from '../../../merchants/webhooks/events-about.ts'
import type { ExceptionAbout } from '../../../payments/exceptions/exceptions-about.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { AttemptDetails, EvidenceDetails } from '../../../rails/read-attempt.ts'
import type { ObjectStory, StoryEntry } from '../../../reports/story/story.ts'
import { storyWords } from '../../../reports/words/story.ts'
import { column } from '../../parts/columns.tsx'
import { Facts, OutsideText, Section, Status, Time, type TimelineEntry } from '../../parts/parts.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { STAFF_ACTION_NAMES } from '../texts/action-names.ts'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'

const { ledger } = PAYMENTS.payment
const { attempt: attemptTexts, events: eventTexts, exceptions: exceptionTexts, said: storyTexts } = PAYMENTS.payment

/** Makes the entries of a timeline from a story, in words for staff. */
export const buildTimeline = ({ entries }: ObjectStory): TimelineEntry[] =>
  entries.map((entry) => ({ at: entry.at, ...formatStoryEntry(entry) }))

function formatStoryEntry(entry: StoryEntry): Omit<TimelineEntry, 'at'> {
  switch (entry.kind) {
    case 'act': {
      const { action, actor } = entry.act
      const name = (STAFF_ACTION_NAMES as Readonly<Record<string, string>>)[action] ?? action
      return { title: storyTexts.act(name, actor === null ? storyTexts.unnamed : oneLine(actor)) }
    }
    case 'happened':
      return {
        title: entry.line.summary,
        ...(entry.line.repeated > 1 ? { detail: `× ${entry.line.repeated}` } : {}),
        tone: storyWords(entry.noun, entry.line).tone,
      }
    case 'money': {
      const { kind, debit, credit, amount } = entry.transfer
      return { title: `${kind}: ${formatShillings(amount)}`, detail: `${debit} → ${credit}` }
    }
    case 'dispute':
      return { title: entry.moved === 'opened' ? storyTexts.opened : storyTexts.closed, tone: 'warn' }
    case 'event':
      return { title: storyTexts.event(entry.event.type) }
    case 'delivery':
      return { title: storyTexts.delivered(entry.event.type, entry.event.attempts ?? 1), tone: 'good' }
  }
}

const EVIDENCE_COLUMNS: readonly ListColumn<EvidenceDetails>[] = [
  column.time(attemptTexts.columns.at, ({ at }) => at),
  { title: attemptTexts.columns.operation, cell: ({ operation, stage }) => `${operation}, ${stage}` },
  { title: attemptTexts.columns.answer, cell: ({ answer }) => answer },
  { title: attemptTexts.columns.http, cell: ({ httpStatus }) => httpStatus, figures: true },
  column.text(attemptTexts.columns.code, ({ operatorCode }) => operatorCode),
  column.text(attemptTexts.columns.transport, ({ transport }) => transport),
  { title: attemptTexts.columns.ms, cell: ({ elapsedMs }) => elapsedMs, figures: true },
  {
    title: attemptTexts.columns.digest,
    cell: ({ digest, head }) =>
      digest === null ? (
        <OutsideText text={null} />
      ) : (
        <details>
          <summary>
            <code>{digest.slice(0, 12)}</code>
          </summary>
          <pre>{head === null ? digest : oneLine(head)}</pre>
        </details>
      ),
  },
]

type OperatorSideProps = {
  exchange: { attempt: AttemptDetails; evidence: readonly EvidenceDetails[] } | null
  nextAt: Date | null
  children: ComponentChildren
}

/** What we asked the operator about the payment, and what it answered. */
export function OperatorSide({ exchange, nextAt, children }: OperatorSideProps) {
  if (exchange === null)
    return (
      <Section title={attemptTexts.title}>
        <p class="quiet">{attemptTexts.none}</p>
      </Section>
    )
  const { attempt, evidence } = exchange
  const { facts } = attemptTexts
  return (
    <Section title={attemptTexts.title}>
      <Facts
        facts={[
          [facts.state, attempt.state.replaceAll('_', ' ')],
          [facts.reference, <code>{attempt.reference}</code>],
          [facts.installation, attempt.installation],
          [facts.side, attempt.side],
          [facts.sent, <Time at={attempt.firstSentAt} />],
          [facts.ended, <Time at={attempt.submitEndedAt} />],
          [facts.posts, attempt.nth],
          [facts.questions, attempt.questionCount],
          [facts.last, <OutsideText text={attempt.lastAnswer} />],
          attempt.firstNotFoundAt !== null && [facts.notFound, <Time at={attempt.firstNotFoundAt} />],
          [facts.callbacks, attempt.callbacks],
          nextAt !== null && [
            facts.next,
            <>
              <Time at={nextAt} /> {attempt.hurried && facts.hurried}
            </>,
          ],
        ]}
      />
      {children}
      <Table caption={attemptTexts.evidence} rows={evidence} columns={EVIDENCE_COLUMNS} />
    </Section>
  )
}

const TRANSFER_COLUMNS: readonly ListColumn<Transfer>[] = [
  { title: ledger.columns.seq, cell: ({ seq }) => seq, figures: true },
  { title: ledger.columns.kind, cell: ({ kind }) => kind },
  { title: ledger.columns.debit, cell: ({ debit }) => debit },
  { title: ledger.columns.credit, cell: ({ credit }) => credit },
  column.money(ledger.columns.amount, ({ amount }) => amount),
  column.time(ledger.columns.at, ({ at }) => at),
]

export const PaymentTransfers = ({ transfers }: { transfers: readonly Transfer[] }) => (
  <Section title={ledger.title}>
    {transfers.length === 0 ? (
      <p class="quiet">{ledger.empty}</p>
    ) : (
      <Table caption={ledger.title} rows={transfers} columns={TRANSFER_COLUMNS} />
    )}
  </Section>
)

const EVENT_COLUMNS: readonly ListColumn<EventWithDelivery>[] = [
  { title: eventTexts.columns.type, cell: ({ type }) => type },
  {
    title: eventTexts.columns.status,
    cell: ({ status }) =>
      status === null ? <span class="quiet">{eventTexts.forgotten}</span> : <Status word={status} />,
  },
  { title: eventTexts.columns.attempts, cell: ({ attempts }) => attempts, figures: true },
  {
    title: eventTexts.columns.answer,
    cell: ({ lastResponseCode, lastError }) => lastResponseCode ?? <OutsideText text={lastError} />,
  },
  column.time(eventTexts.columns.at, ({ createdAt }) => createdAt),
]

export const PaymentEvents = ({ events }: { events: readonly EventWithDelivery[] }) => (
  <Section title={eventTexts.title}>
    {events.length === 0 ? (
      <p class="quiet">{eventTexts.empty}</p>
    ) : (
      <Table caption={eventTexts.title} rows={events} columns={EVENT_COLUMNS} />
    )}
  </Section>
)

const EXCEPTION_COLUMNS: readonly ListColumn<ExceptionAbout>[] = [
  { title: exceptionTexts.columns.kind, cell: ({ kind }) => kind.replaceAll('_', ' ') },
  { title: exceptionTexts.columns.severity, cell: ({ severity }) => severity },
  column.time(exceptionTexts.columns.opened, ({ openedAt }) => openedAt),
  column.time(exceptionTexts.columns.closed, ({ closedAt }) => closedAt),
  column.text(exceptionTexts.columns.note, ({ note }) => note),
]

export const PaymentExceptions = ({
  visit,
  exceptions,
}: {
  visit: ConsoleVisit
  exceptions: readonly ExceptionAbout[]
}) => (
  <Section title={exceptionTexts.title}>
    <Table
      caption={exceptionTexts.title}
      rows={exceptions}
      columns={EXCEPTION_COLUMNS}
      href={({ id }) => visit.to(`/reconciliation/exceptions/${id}`)}
    />
  </Section>
)
