import type { Delivery } from '../../../merchants/webhooks/delivery.ts'
import { listAttempts } from '../../../merchants/webhooks/delivery-attempts.ts'
import { type FailingSummary, isFailing, MAX_FAILING_COUNTED } from '../../../merchants/webhooks/failing-deliveries.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { formatPageTime, Note, Section, Status } from '../../parts/parts.tsx'
import type { ListColumn } from '../../parts/table.tsx'
import { DELIVERY_FAILURES, WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'

const {
  failing: texts,
  deliveries: { columns },
} = WEBHOOKS

/** The columns of a list of deliveries. */
export const DELIVERY_LIST_COLUMNS: readonly ListColumn<Delivery>[] = [
  { title: columns.event, cell: ({ event }) => event },
  { title: columns.status, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { title: columns.code, cell: ({ lastResponseCode, lastError }) => lastResponseCode ?? lastError ?? '–' },
  { title: columns.attempts, cell: ({ attempts }) => attempts, figures: true },
  column.time(columns.created, ({ createdAt }) => createdAt),
]

type DeliveryState = Pick<Delivery, 'attempts' | 'nextAttemptAt'> & { status: Delivery['status'] }

/** Shows the status of a delivery. A pending one whose attempts have failed is marked as failing. */
export function DeliveryStatus({ delivery }: { delivery: DeliveryState }) {
  const { status, attempts, nextAttemptAt } = delivery
  if (!isFailing(delivery) || nextAttemptAt === null) return <Status word={status} />
  return (
    <>
      <Status word={texts.word} tone="warn" />{' '}
      <span class="hint">{texts.attempts(attempts, formatPageTime(nextAttemptAt))}</span>
    </>
  )
}

/** Formats in one sentence how many deliveries fail, since when, and why. */
export function formatFailing({ count, since, lastResponseCode, lastError }: FailingSummary): string {
  const isHttp = lastError === null || /^http /.test(lastError)
  const reason =
    isHttp && lastResponseCode !== null
      ? texts.answered(lastResponseCode)
      : (DELIVERY_FAILURES[lastError ?? ''] ?? lastError ?? '')
  return texts.says(count, count < MAX_FAILING_COUNTED, reason, formatPageTime(since))
}

/** Finds the beginning of the receiver's answer to the newest attempt; null if it gave none. */
export async function findLastAnswer({ app, caller }: DashboardVisit, eventId: string): Promise<string | null> {
  const [newest] = await listAttempts(app, caller, eventId)
  return newest?.answer ?? null
}

/** Warns that events do not arrive, and since when. The beginning of the server's answer is the diagnosis. */
export const FailingNote = ({ failing, answer }: { failing: FailingSummary; answer: string | null }) => (
  <Section title={texts.word}>
    <Note tone="warn">
      <p>{formatFailing(failing)}.</p>
      <p>{texts.next(formatPageTime(failing.next))}</p>
    </Note>
    {answer !== null && (
      <>
        <p>{texts.answer}:</p>
        <pre tabIndex={0} role="region" aria-label={texts.answer}>
          <code>{answer.split('\n').map(oneLine).join('\n')}</code>
        </pre>
      </>
    )}
  </Section>
)
