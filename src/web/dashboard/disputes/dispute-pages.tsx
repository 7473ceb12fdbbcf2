import { mayDo } from '../../../api/access/allow.ts'
import type { Charge } from '../../../payments/charges/charge.ts'
import { getCharge } from '../../../payments/charges/find-charges.ts'
import { listAnswers } from '../../../selling/disputes/answer-dispute.ts'
import { DEFAULT_DISPUTES_LISTED, getDispute, listDisputes } from '../../../selling/disputes/close-dispute.ts'
import { DISPUTE_STATES, type Dispute, stateOfDispute } from '../../../selling/disputes/dispute.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import {
  Facts,
  Money,
  Note,
  OutsideText,
  PhoneNumber,
  Section,
  ShortId,
  State,
  Status,
  Time,
} from '../../parts/parts.tsx'
import { Quote } from '../../parts/quote.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn, ListFilter } from '../../parts/table.tsx'
import { ObjectLink } from '../object-link.tsx'
import { DISPUTES } from '../texts/disputes.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, facts } = DISPUTES

export const CLOSE_DISPUTE: FormSpec = {
  path: '/disputes/:id/close',
  action: 'dispute.close',
  fields: [{ name: 'settled', label: DISPUTES.settled, kind: 'check' }],
  submit: DISPUTES.close,
  danger: true,
}

export const ANSWER_DISPUTE: FormSpec = {
  path: '/disputes/:id/answer',
  action: 'dispute.answer',
  fields: [{ name: 'says', label: DISPUTES.answer.label, kind: 'lines', maxLength: 2000, about: ['answer'] }],
  submit: DISPUTES.answer.submit,
  once: true,
}

const TONES = { open: 'warn', answered: 'good', closed: 'quiet' } as const
const DisputeBadge = ({ dispute }: { dispute: Dispute }) => {
  const state = stateOfDispute(dispute)
  return <Status word={DISPUTES.states[state]} tone={TONES[state]} />
}

const COLUMNS: readonly ListColumn<Dispute>[] = [
  { title: columns.reason, cell: ({ reason }) => reason.replaceAll('_', ' '), at: 'who' },
  { title: columns.state, cell: (dispute) => <DisputeBadge dispute={dispute} />, at: 'state' },
  column.when(columns.since, ({ openedAt }) => openedAt),
  column.time(columns.until, ({ respondBy }) => respondBy),
  { title: columns.charge, cell: ({ chargeId }) => <ShortId id={chargeId} /> },
]

const FILTERS: readonly ListFilter[] = [
  {
    ...{ name: 'state', label: columns.state, kind: 'select' },
    choices: DISPUTE_STATES.map((value) => ({ value, label: DISPUTES.states[value] })),
  },
]

export async function showDisputes(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, merchant, mode, query } = visit
  const state = DISPUTE_STATES.find((disputeState) => disputeState === query.state) ?? null
  const disputes = await listDisputes(app, merchant.id, { mode, state })
  return listPage({
    title: DISPUTES.title,
    ...{ rows: disputes, columns: COLUMNS, href: ({ id }: Dispute) => visit.to(`/disputes/${id}`) },
    ...{ here: visit.to('/disputes'), query, filters: FILTERS },
    empty: DISPUTES.empty,
    below: disputes.length === DEFAULT_DISPUTES_LISTED && <Note>{DISPUTES.most}</Note>,
  })
}

export async function showDispute(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, params, merchant } = visit
  const dispute = await getDispute(app, caller, params.id ?? '')
  const [answers, charge] = await Promise.all([
    listAnswers(app, merchant.id, dispute.id),
    getCharge(app, caller, dispute.chargeId),
  ])
  const formParams = { id: dispute.id }
  return pageReply(
    DISPUTES.title,
    <>
      <div class="top">
        <h1>{dispute.reason.replaceAll('_', ' ')}</h1>
        <DisputeBadge dispute={dispute} />
      </div>
      <Section title={DISPUTES.about}>
        <Facts
          facts={[
            [facts.details, <OutsideText text={dispute.details} />],
            [facts.contact, <OutsideText text={dispute.contact} />],
            [facts.opened, <Time at={dispute.openedAt} />],
            dispute.answeredAt === null && [facts.until, <Time at={dispute.respondBy} />],
            dispute.closedAt !== null && [facts.closed, <Time at={dispute.closedAt} />],
          ]}
        />
      </Section>
      <Section title={DISPUTES.payment.title}>
        <DisputedPayment visit={visit} charge={charge} />
      </Section>
      <Section title={DISPUTES.answer.title}>
        {answers.length === 0 && <p>{DISPUTES.answer.none}</p>}
        {answers.map(({ says, saidBy, saidAt }) => (
          <Quote says={says} by={saidBy} at={saidAt} />
        ))}
        {dispute.closedAt === null && (
          <FormBox of={ANSWER_DISPUTE} visit={visit} state={state} params={formParams}>
            <p class="hint">{DISPUTES.answer.hint[dispute.mode]}</p>
          </FormBox>
        )}
      </Section>
      {dispute.closedAt === null && mayDo(caller, CLOSE_DISPUTE.action) && (
        <div class="actions">
          <details open={state?.path === CLOSE_DISPUTE.path}>
            <summary>{DISPUTES.close}</summary>
            <FormBox of={CLOSE_DISPUTE} visit={visit} state={state} params={formParams}>
              <p class="hint">{DISPUTES.closeSays}</p>
              {answers.length === 0 && <Note tone="warn">{DISPUTES.unanswered}</Note>}
            </FormBox>
          </details>
        </div>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Shows the charge that was reported, with the way to its refund. */
function DisputedPayment({ visit, charge }: { visit: DashboardVisit; charge: Charge }) {
  const { payment } = DISPUTES
  const mayRefund = charge.status === 'succeeded' && mayDo(visit.caller, 'charge.refund')
  return (
    <>
      <Facts
        facts={[
          [facts.charge, <ObjectLink visit={visit} id={charge.id} />],
          [payment.amount, <Money amount={charge.amount} />],
          [payment.status, <State of="charge" state={charge.status} />],
          [
            payment.customer,
            charge.phone === null ? <OutsideText text={charge.email} /> : <PhoneNumber phone={charge.phone} />,
          ],
          charge.reference !== null && [payment.reference, <OutsideText text={charge.reference} />],
          [payment.made, <Time at={charge.createdAt} />],
          charge.refundId !== null && [payment.refund, <ObjectLink visit={visit} id={charge.refundId} />],
        ]}
      />
      {mayRefund && (
        <a class="button plain" href={visit.to(`/charges/${charge.id}#refund`)}>
          {payment.giveBack}
        </a>
      )}
    </>
  )
}
