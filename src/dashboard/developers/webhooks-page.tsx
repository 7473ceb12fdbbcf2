import { readListWindow } from '../../http/lists.ts'
import { webhookSecretTimes } from '../../merchants/reveal-secrets.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormState } from '../../pages/form-spec.ts'
import { Empty, Facts, Note, Section, Time, timeText } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, cursorsOf, type Filter, Filters, Pager, Table } from '../../pages/table.tsx'
import { kampalaIso } from '../../platform/kampala.ts'
import { DELIVERY_STATUSES, type Delivery } from '../../webhooks/delivery.ts'
import { EVENT_TYPES } from '../../webhooks/events.ts'
import { failingDeliveries } from '../../webhooks/failing-deliveries.ts'
import { listDeliveries } from '../../webhooks/find-deliveries.ts'
import { WEBHOOKS } from '../texts/webhooks.ts'
import type { DashboardVisit } from '../visit.ts'
import { DeliveryStatus, FailingNow, lastAnswerTo } from './failing.tsx'
import { Area, givenOf } from './tabs.tsx'
import { ADDRESS, PING, RESEND_ALL, REVEAL_SECRET, ROTATE_SECRET } from './webhook-forms.ts'

const { address, secret, ping, deliveries, resendAll } = WEBHOOKS
const { columns, filters } = deliveries
const HERE = '/developers/webhooks'

const COLUMNS: readonly Column<Delivery>[] = [
  { title: columns.event, cell: ({ event }) => event },
  { title: columns.status, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { title: columns.code, cell: ({ lastResponseCode, lastError }) => lastResponseCode ?? lastError ?? '–' },
  { title: columns.attempts, cell: ({ attempts }) => attempts, figures: true },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

const choicesOf = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }))
const FILTERS: readonly Filter[] = [
  { name: 'status', label: filters.status, kind: 'select', choices: choicesOf(DELIVERY_STATUSES) },
  { name: 'event', label: filters.event, kind: 'select', choices: choicesOf(EVENT_TYPES) },
]

type Props = { visit: DashboardVisit; state: FormState | null }

/** Shows where events go, the secret that signs them, and their deliveries. */
export async function showWebhooks(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant } = visit
  const times = await webhookSecretTimes(app, merchant.id)
  const failing = await failingDeliveries(app, visit.caller)
  const answer = failing === null ? null : await lastAnswerTo(visit, failing.eventId)
  return shownPage(
    WEBHOOKS.title,
    <Area visit={visit} at={HERE} title={WEBHOOKS.title}>
      <div class="split">
        <Section title={address.title}>
          {merchant.webhookUrl === null ? (
            <Note tone="warn">{address.none}</Note>
          ) : (
            <p>
              <code>{merchant.webhookUrl}</code>
            </p>
          )}
          <FormBox of={ADDRESS} visit={visit} state={state} values={{ url: merchant.webhookUrl ?? '' }} />
        </Section>
        <Secret visit={visit} state={state} times={times} />
      </div>
      {merchant.webhookUrl !== null && (
        <Section title={ping.title}>
          <p class="hint">{ping.says}</p>
          <FormBox of={PING} visit={visit} state={state} compact />
        </Section>
      )}
      {failing !== null && <FailingNow failing={failing} answer={answer} />}
      <Deliveries visit={visit} page={await deliveriesOf(visit)} state={state} />
    </Area>,
    { status: state?.status ?? 200 },
  )
}

function Secret({ visit, state, times }: Props & { times: Awaited<ReturnType<typeof webhookSecretTimes>> }) {
  return (
    <Section title={secret.title}>
      <Facts facts={[[secret.since, <Time at={times.since} />]]} />
      {times.previousUntil !== null && <Note tone="open">{secret.both(timeText(times.previousUntil))}</Note>}
      <details open={state?.path === REVEAL_SECRET.path}>
        <summary>{secret.reveal}</summary>
        <FormBox of={REVEAL_SECRET} visit={visit} state={state} />
      </details>
      <details open={state?.path === ROTATE_SECRET.path}>
        <summary>{secret.rotateTitle}</summary>
        <FormBox of={ROTATE_SECRET} visit={visit} state={state}>
          <p class="hint">{secret.rotateSays}</p>
        </FormBox>
      </details>
    </Section>
  )
}

type DeliveriesPage = Awaited<ReturnType<typeof deliveriesOf>>

function deliveriesOf({ app, caller, query }: DashboardVisit) {
  const { status = null, event = null, after, before } = givenOf(query, 'status', 'event', 'after', 'before')
  return listDeliveries(app, caller, {
    ...readListWindow({ limit: '20', starting_after: after }),
    ...{ endingBefore: before ?? null, status, event },
  })
}

function Deliveries({ visit, page, state }: Props & { page: DeliveriesPage }) {
  const here = visit.to(HERE)
  const isFiltered = FILTERS.some(({ name }) => visit.query[name])
  return (
    <Section title={deliveries.title} id="deliveries">
      <details open={state?.path === RESEND_ALL.path}>
        <summary>{resendAll.title}</summary>
        <FormBox
          of={RESEND_ALL}
          visit={visit}
          state={state}
          values={{ day: kampalaIso(visit.now).slice(0, 10) }}
        >
          <p class="hint">{resendAll.says}</p>
        </FormBox>
      </details>
      <Filters filters={FILTERS} query={visit.query} action={here} />
      {page.data.length > 0 ? (
        <Table
          caption={deliveries.title}
          rows={page.data}
          columns={COLUMNS}
          href={({ id }) => visit.to(`${HERE}/${id}`)}
        />
      ) : isFiltered ? (
        <Empty title={deliveries.filtered} />
      ) : (
        <Empty title={deliveries.empty}>
          <p>{deliveries.emptySays}</p>
        </Empty>
      )}
      <Pager cursors={cursorsOf(page)} query={visit.query} here={here} />
      <p class="hint">{deliveries.kept}</p>
    </Section>
  )
}
