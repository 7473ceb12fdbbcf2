import { Note, Section, Status, timeText } from '../../pages/parts.tsx'
import { shown } from '../../pages/wording.ts'
import type { Delivery } from '../../webhooks/delivery.ts'
import { attemptsOf } from '../../webhooks/delivery-attempts.ts'
import { type Failing, isFailing, MOST_COUNTED } from '../../webhooks/failing-deliveries.ts'
import { FAILURES, WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'

const { failing: texts } = WEBHOOKS

type Shown = Pick<Delivery, 'attempts' | 'nextAttemptAt'> & { status: Delivery['status'] }

/** Shows the status of a delivery. A pending one whose attempts have failed is marked as failing. */
export function DeliveryStatus({ delivery }: { delivery: Shown }) {
  const { status, attempts, nextAttemptAt } = delivery
  if (!isFailing(delivery) || nextAttemptAt === null) return <Status word={status} />
  return (
    <>
      <Status word={texts.word} tone="warn" />{' '}
      <span class="hint">{texts.attempts(attempts, timeText(nextAttemptAt))}</span>
    </>
  )
}

/** Formats in one sentence how many deliveries fail, since when, and why. */
export function failingSays({ count, since, lastResponseCode, lastError }: Failing): string {
  const isHttp = lastError === null || /^http /.test(lastError)
  const reason =
    isHttp && lastResponseCode !== null
      ? texts.answered(lastResponseCode)
      : (FAILURES[lastError ?? ''] ?? lastError ?? '')
  return texts.says(count, count < MOST_COUNTED, reason, timeText(since))
}

/** Finds the beginning of the receiver's answer to the newest attempt; null if it gave none. */
export async function lastAnswerTo({ app, caller }: DashboardVisit, eventId: string): Promise<string | null> {
  const [newest] = await attemptsOf(app, caller, eventId)
  return newest?.answer ?? null
}

/** Warns that events do not arrive, and since when. The beginning of the server's answer is the diagnosis. */
export const FailingNow = ({ failing, answer }: { failing: Failing; answer: string | null }) => (
  <Section title={texts.word}>
    <Note tone="warn">
      <p>{failingSays(failing)}.</p>
      <p>{texts.next(timeText(failing.next))}</p>
    </Note>
    {answer !== null && (
      <>
        <p>{texts.answer}:</p>
        <pre tabIndex={0} role="region" aria-label={texts.answer}>
          <code>{answer.split('\n').map(shown).join('\n')}</code>
        </pre>
      </>
    )}
  </Section>
)
