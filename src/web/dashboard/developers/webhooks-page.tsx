import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { readWebhookSecretTimes } from '../../../merchants/account/reveal-secrets.ts'
import { listAddresses } from '../../../merchants/webhooks/addresses/find-addresses.ts'
import { DELIVERY_STATUSES } from '../../../merchants/webhooks/delivery.ts'
import { EVENT_TYPES } from '../../../merchants/webhooks/events.ts'
import { findFailingDeliveries } from '../../../merchants/webhooks/failing-deliveries.ts'
import { listDeliveries } from '../../../merchants/webhooks/find-deliveries.ts'
import { kampalaIso } from '../../../platform/time/kampala.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { List } from '../../parts/list-page.tsx'
import { Facts, formatPageTime, Note, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { cursorsOf, type ListFilter } from '../../parts/table.tsx'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeveloperArea, pickFilters } from './developer-tabs.tsx'
import { DELIVERY_LIST_COLUMNS, FailingNote, findLastAnswer } from './failing-deliveries.tsx'
import { GRADE_RECEIVER } from './grade-page.tsx'
import { MoreAddresses } from './more-addresses.tsx'
import {
  RESEND_FAILED_SINCE,
  REVEAL_WEBHOOK_SECRET,
  ROTATE_WEBHOOK_SECRET,
  SEND_TEST_EVENT,
  SET_WEBHOOK_ADDRESS,
  WEBHOOKS_PATH,
} from './webhook-forms.ts'

const { address, secret, ping, grade, deliveries, resendAll } = WEBHOOKS
const { filters } = deliveries

const buildChoices = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }))
const FILTERS: readonly ListFilter[] = [
  { name: 'status', label: filters.status, kind: 'select', choices: buildChoices(DELIVERY_STATUSES) },
  { name: 'event', label: filters.event, kind: 'select', choices: buildChoices(EVENT_TYPES) },
]

type WebhooksPartProps = { visit: DashboardVisit; state: FormState | null }

/** Shows where events go, the secret that signs them, and their deliveries. */
export async function showWebhooks(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant } = visit
  const times = await readWebhookSecretTimes(app, merchant.id)
  const failing = await findFailingDeliveries(app, visit.caller)
  const answer = failing === null ? null : await findLastAnswer(visit, failing.eventId)
  const [, ...further] = await listAddresses(app, visit.caller)
  return pageReply(
    WEBHOOKS.title,
    <DeveloperArea visit={visit} at={WEBHOOKS_PATH} title={WEBHOOKS.title}>
      <div class="split">
        <Section title={address.title}>
          {merchant.webhookUrl === null ? (
            <Note tone="warn">{address.none}</Note>
          ) : (
            <p>
              <code>{merchant.webhookUrl}</code>
            </p>
          )}
          <FormBox of={SET_WEBHOOK_ADDRESS} visit={visit} state={state} values={{ url: merchant.webhookUrl ?? '' }} />
        </Section>
        <Secret visit={visit} state={state} times={times} />
      </div>
      {merchant.webhookUrl !== null && (
        <Section title={ping.title}>
          <p class="hint">{ping.says}</p>
          <FormBox of={SEND_TEST_EVENT} visit={visit} state={state} compact />
        </Section>
      )}
      {merchant.webhookUrl !== null && (
        <Section title={grade.title}>
          <p class="hint">{visit.mode === 'test' ? grade.says : grade.inTestMode}</p>
          {visit.mode === 'test' && <FormBox of={GRADE_RECEIVER} visit={visit} state={state} compact />}
        </Section>
      )}
      <MoreAddresses visit={visit} state={state} addresses={further} />
      {failing !== null && <FailingNote failing={failing} answer={answer} />}
      <Deliveries visit={visit} page={await readDeliveryPage(visit)} state={state} />
    </DeveloperArea>,
    { status: state?.status ?? 200 },
  )
}

function Secret({
  visit,
  state,
  times,
}: WebhooksPartProps & { times: Awaited<ReturnType<typeof readWebhookSecretTimes>> }) {
  return (
    <Section title={secret.title}>
      <Facts facts={[[secret.since, <Time at={times.since} />]]} />
      {times.previousUntil !== null && <Note tone="open">{secret.both(formatPageTime(times.previousUntil))}</Note>}
      <details open={state?.path === REVEAL_WEBHOOK_SECRET.path}>
        <summary>{secret.reveal}</summary>
        <FormBox of={REVEAL_WEBHOOK_SECRET} visit={visit} state={state} />
      </details>
      <details open={state?.path === ROTATE_WEBHOOK_SECRET.path}>
        <summary>{secret.rotateTitle}</summary>
        <FormBox of={ROTATE_WEBHOOK_SECRET} visit={visit} state={state}>
          <p class="hint">{secret.rotateSays}</p>
        </FormBox>
      </details>
    </Section>
  )
}

type DeliveriesPage = Awaited<ReturnType<typeof readDeliveryPage>>

function readDeliveryPage({ app, caller, query }: DashboardVisit) {
  const { status = null, event = null, after, before } = pickFilters(query, 'status', 'event', 'after', 'before')
  return listDeliveries(app, caller, {
    ...parseListWindow({ limit: '20', starting_after: after }),
    ...{ endingBefore: before ?? null, status, event },
  })
}

function Deliveries({ visit, page, state }: WebhooksPartProps & { page: DeliveriesPage }) {
  return (
    <Section title={deliveries.title} id="deliveries">
      <details open={state?.path === RESEND_FAILED_SINCE.path}>
        <summary>{resendAll.title}</summary>
        <FormBox
          of={RESEND_FAILED_SINCE}
          visit={visit}
          state={state}
          values={{ day: kampalaIso(visit.now).slice(0, 10) }}
        >
          <p class="hint">{resendAll.says}</p>
        </FormBox>
      </details>
      <List
        {...{ caption: deliveries.title, rows: page.data, columns: DELIVERY_LIST_COLUMNS, filters: FILTERS }}
        {...{ here: visit.to(WEBHOOKS_PATH), query: visit.query, cursors: cursorsOf(page) }}
        href={({ id }) => visit.to(`${WEBHOOKS_PATH}/${id}`)}
        empty={{ title: deliveries.empty, says: deliveries.emptySays, filtered: deliveries.filtered }}
      />
      <p class="hint">{deliveries.kept}</p>
    </Section>
  )
}
