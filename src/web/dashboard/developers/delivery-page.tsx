import { type Delivery, presentDelivery } from '../../../merchants/webhooks/delivery.ts'
import { type DeliveryAttempt, listAttempts } from '../../../merchants/webhooks/delivery-attempts.ts'
import { isFailing } from '../../../merchants/webhooks/failing-deliveries.ts'
import { findDelivery, findEvent } from '../../../merchants/webhooks/find-deliveries.ts'
import { notFound } from '../../../platform/refusal.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { CopyBox, Facts, Note, RawJson, Section, Time, Timeline, type TimelineEntry } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { ObjectLink } from '../object-link.tsx'
import { LiveStory } from '../story/live-story.tsx'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea } from './developer-tabs.tsx'
import { DeliveryStatus } from './failing-deliveries.tsx'
import { RESEND_DELIVERY, WEBHOOKS_PATH } from './webhook-forms.ts'

const { delivery: texts } = WEBHOOKS
const { facts } = texts

type DeliveryStoryProps = {
  visit: DashboardVisit
  delivery: Delivery
  subject: string
  attempts: readonly DeliveryAttempt[]
}

/** Shows one delivery: what was sent to where, every attempt with its answer, and the form that sends it again. */
export async function showDelivery(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller } = visit
  const id = visit.params.id ?? ''
  const delivery = await findDelivery(app, caller, id)
  const event = await findEvent(app, caller, id)
  if (delivery === null || event === null) throw notFound('delivery')
  const props = { visit, delivery, subject: event.subject, attempts: await listAttempts(app, caller, id) }
  const isOpen = delivery.status === 'pending'
  if (visit.part === 'story') return { kind: 'part', body: <DeliveryStory {...props} />, final: !isOpen }
  return pageReply(
    `${delivery.event} ${id}`,
    <DeveloperArea visit={visit} at={WEBHOOKS_PATH} title={delivery.event}>
      <DeliveryStory {...props} />
      <Section title={texts.resend.title}>
        <FormBox of={RESEND_DELIVERY} visit={visit} state={state} params={{ id }} />
      </Section>
      <Section title={texts.request}>
        <p class="hint">{texts.requestSays}</p>
        <CopyBox label={texts.headers} text={formatHeaders(delivery)} />
        <CopyBox label={texts.body} text={event.body} />
      </Section>
      <RawJson value={presentDelivery(delivery)} />
    </DeveloperArea>,
    { status: state?.status ?? 200, ...(isOpen ? { refreshSeconds: 10 } : {}) },
  )
}

/** The part of the page that changes while the delivery is under way. */
function DeliveryStory({ visit, delivery, subject, attempts }: DeliveryStoryProps) {
  const isOpen = delivery.status === 'pending'
  return (
    <LiveStory class="split" visit={visit} path={`${WEBHOOKS_PATH}/${delivery.id}`} live={isOpen}>
      <Section title={texts.attempts} aside={<DeliveryStatus delivery={delivery} />}>
        {isFailing(delivery) ? (
          <Note tone="warn">{texts.failing}</Note>
        ) : (
          isOpen && <Note tone="open">{delivery.nextAttemptAt === null ? texts.waits : texts.underWay}</Note>
        )}
        {attempts.length === 0 ? (
          <p class="quiet">{texts.noAttempts}</p>
        ) : (
          <Timeline entries={attempts.map((attempt, index) => buildAttemptEntry(attempt, index === 0))} />
        )}
      </Section>
      <Section title={facts.event}>
        <Facts
          facts={[
            [facts.status, <DeliveryStatus delivery={delivery} />],
            [facts.id, <code>{delivery.id}</code>],
            [facts.subject, <ObjectLink visit={visit} id={subject} />],
            [facts.url, delivery.url === null ? null : <code>{delivery.url}</code>],
            [facts.attempts, delivery.attempts],
            delivery.nextAttemptAt !== null && [facts.next, <Time at={delivery.nextAttemptAt} />],
            delivery.deliveredAt !== null && [facts.delivered, <Time at={delivery.deliveredAt} />],
            [facts.created, <Time at={delivery.createdAt} />],
          ]}
        />
      </Section>
    </LiveStory>
  )
}

/** Builds the entry of an attempt. The answer to the newest attempt, if that failed, is what the reader came for: it is unfolded. */
function buildAttemptEntry(
  { at, responseCode, error, ms, url, answer }: DeliveryAttempt,
  isNewest: boolean,
): TimelineEntry {
  const title = error === null || /^http /.test(error) ? texts.answered(responseCode ?? 0) : texts.failed(error)
  return {
    at,
    title,
    tone: error === null ? 'good' : 'bad',
    detail: (
      <>
        {texts.took(ms, url)}
        {answer !== null && (
          <details class="raw" open={isNewest && error !== null}>
            <summary>{texts.answer}</summary>
            <pre tabIndex={0} role="region" aria-label={texts.answer}>
              <code>{answer.split('\n').map(oneLine).join('\n')}</code>
            </pre>
          </details>
        )}
      </>
    ),
  }
}

const formatHeaders = ({ id, url }: Delivery) =>
  [
    `POST ${url ?? ''}`,
    'Content-Type: application/json',
    `webhook-id: ${id}`,
    'webhook-timestamp: <Unix seconds of the attempt>',
    'webhook-signature: v1,<base64>',
    'X-Service-Signature: <hex>',
  ].join('\n')
