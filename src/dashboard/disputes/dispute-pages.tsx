import { answerDispute, answersTo, type DisputeAnswer } from '../../disputes/answer-dispute.ts'
import { closeDispute, getDispute, listDisputes, MOST_DISPUTES } from '../../disputes/close-dispute.ts'
import type { Dispute } from '../../disputes/dispute.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Empty, Facts, Note, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Filters, Table } from '../../pages/table.tsx'
import { DISPUTES } from '../texts/disputes.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'

const { columns, facts } = DISPUTES

const CLOSE: FormSpec = {
  path: '/disputes/:id/close',
  action: 'dispute.close',
  fields: [],
  submit: DISPUTES.close,
}

const ANSWER: FormSpec = {
  path: '/disputes/:id/answer',
  action: 'dispute.answer',
  fields: [{ name: 'says', label: DISPUTES.answer.label, kind: 'lines', most: 2000, refused: /^answer/ }],
  submit: DISPUTES.answer.submit,
  once: true,
}

const StateOf = ({ dispute: { closedAt } }: { dispute: Dispute }) => (
  <Status
    word={closedAt === null ? DISPUTES.open : DISPUTES.closed}
    tone={closedAt === null ? 'warn' : 'quiet'}
  />
)

const COLUMNS: readonly Column<Dispute>[] = [
  { title: columns.charge, cell: ({ chargeId }) => chargeId },
  { title: columns.reason, cell: ({ reason }) => reason.replaceAll('_', ' ') },
  { title: columns.state, cell: (dispute) => <StateOf dispute={dispute} /> },
  { title: columns.since, cell: ({ openedAt }) => <Time at={openedAt} /> },
  { title: columns.until, cell: ({ respondBy }) => <Time at={respondBy} /> },
]

async function showDisputes(visit: DashboardVisit): Promise<Shown> {
  const { app, merchant, mode, query } = visit
  const disputes = await listDisputes(app, merchant.id, { mode, onlyOpen: query.state === 'open' })
  const choices = [{ value: 'open', label: DISPUTES.choices.open }]
  return shownPage(
    DISPUTES.title,
    <>
      <h1>{DISPUTES.title}</h1>
      <Filters
        filters={[{ name: 'state', label: DISPUTES.onlyOpen, kind: 'select', choices }]}
        query={query}
        action={visit.to('/disputes')}
      />
      {disputes.length === 0 ? (
        <Empty title={DISPUTES.empty.title}>
          <p>{DISPUTES.empty.says}</p>
        </Empty>
      ) : (
        <Table
          caption={DISPUTES.title}
          rows={disputes}
          columns={COLUMNS}
          href={({ id }) => visit.to(`/disputes/${id}`)}
        />
      )}
      {disputes.length === MOST_DISPUTES && <Note>{DISPUTES.most}</Note>}
    </>,
  )
}

async function showDispute(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller, params, merchant } = visit
  const dispute = await getDispute(app, caller, params.id ?? '')
  const answers = await answersTo(app, merchant.id, dispute.id)
  return shownPage(
    DISPUTES.title,
    <>
      <div class="top">
        <h1>{dispute.reason.replaceAll('_', ' ')}</h1>
        <StateOf dispute={dispute} />
      </div>
      <Section title={DISPUTES.about}>
        <Facts
          facts={[
            [facts.charge, <a href={visit.to(`/charges/${dispute.chargeId}`)}>{dispute.chargeId}</a>],
            [facts.details, <Said text={dispute.details} />],
            [facts.contact, <Said text={dispute.contact} />],
            [facts.opened, <Time at={dispute.openedAt} />],
            [facts.until, <Time at={dispute.respondBy} />],
            dispute.closedAt !== null && [facts.closed, <Time at={dispute.closedAt} />],
          ]}
        />
        {dispute.closedAt === null && (
          <FormBox of={CLOSE} visit={visit} state={state} params={{ id: dispute.id }}>
            <p class="hint">{DISPUTES.closeSays}</p>
          </FormBox>
        )}
      </Section>
      <Section title={DISPUTES.answer.title}>
        {answers.length === 0 && <p>{DISPUTES.answer.none}</p>}
        {answers.map((answer) => (
          <Answer answer={answer} />
        ))}
        {dispute.closedAt === null && (
          <FormBox of={ANSWER} visit={visit} state={state} params={{ id: dispute.id }}>
            <p class="hint">{DISPUTES.answer.hint[dispute.mode]}</p>
          </FormBox>
        )}
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

const Answer = ({ answer: { says, saidBy, saidAt } }: { answer: DisputeAnswer }) => (
  <blockquote class="answer">
    <Said text={says} />
    <footer class="hint">
      <bdi>{saidBy}</bdi>, <Time at={saidAt} />
    </footer>
  </blockquote>
)

/** Disputes of a merchant. */
export const DISPUTE_ROUTES: readonly DashboardRoute[] = [
  page('/disputes', showDisputes),
  page('/disputes/:id', (visit) => showDispute(visit)),
  form(ANSWER, {
    async submit(visit, { says = '' }) {
      const { app, caller, merchant, params, once } = visit
      const { id } = await getDispute(app, caller, params.id ?? '')
      await answerDispute(app, caller, { merchant, id, says, ...(once && { once: once.key }) })
      return doneTo(visit.to(`/disputes/${id}`), DISPUTES.answer.done)
    },
    again: showDispute,
  }),
  form(CLOSE, {
    async submit(visit) {
      const { app, caller, merchant, params } = visit
      const { id } = await getDispute(app, caller, params.id ?? '')
      await closeDispute(app, caller, { merchantId: merchant.id, id })
      return doneTo(visit.to(`/disputes/${id}`), DISPUTES.done)
    },
    again: showDispute,
  }),
]
