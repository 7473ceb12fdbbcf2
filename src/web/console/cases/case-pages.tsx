import { mayDo } from '../../../api/access/allow.ts'
import {
  type CaseAtMerchant,
  type CaseOfAny,
  getCaseOfAny,
  listCasesOfAll,
  MAX_CASES_LISTED,
} from '../../../operations/cases/read-cases.ts'
import { CASE_MOVES, MAX_MESSAGE_CHARACTERS } from '../../../operations/cases/support-case.ts'
import { statesOf } from '../../../platform/moves.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Facts, Note, OutsideText, Time } from '../../parts/parts.tsx'
import { Quote } from '../../parts/quote.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, Table } from '../../parts/table.tsx'
import { SubjectLink } from '../payments/subject-link.tsx'
import { CASES } from '../texts/cases.ts'
import type { ConsoleVisit } from '../visit.ts'
import { CASE_COLUMNS, CaseBadge } from './case-parts.tsx'

const { page: words } = CASES
const STATES = statesOf(CASE_MOVES)

export const ANSWER_CASE: FormSpec = {
  path: '/cases/:id/answer',
  action: 'case.answer',
  fields: [
    {
      ...{ name: 'says', label: words.answer, kind: 'lines', rows: 6, maxLength: MAX_MESSAGE_CHARACTERS },
      about: ['message'],
    },
  ],
  submit: words.send,
  once: true,
}
export const CLOSE_CASE: FormSpec = {
  path: '/cases/:id/close',
  action: 'case.close',
  fields: [],
  submit: words.close,
  danger: true,
}

/** Shows the cases of all merchants in one state; without one those that wait. */
export async function showCases(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const state = STATES.find((one) => one === query.state) ?? 'waiting'
  const cases = await listCasesOfAll(gateway, caller, state)
  const here = visit.to('/cases')
  return pageReply(
    CASES.title,
    <>
      <h1>{CASES.title}</h1>
      <p>{CASES.lead}</p>
      <nav class="tabs" aria-label={CASES.title}>
        {STATES.map((one) => (
          <a href={addressWith(here, { state: one })} aria-current={one === state ? 'page' : undefined}>
            {CASES.states[one]}
          </a>
        ))}
      </nav>
      {cases.length === 0 ? (
        <Empty title={CASES.empty} />
      ) : (
        <Table
          caption={CASES.title}
          rows={cases}
          columns={CASE_COLUMNS}
          href={({ id }: CaseOfAny) => visit.to(`/cases/${id}`)}
        />
      )}
      {cases.length === MAX_CASES_LISTED && <Note>{CASES.most}</Note>}
    </>,
  )
}

/** Shows a case with its merchant and object, what was written, and the forms that answer and close it. */
export async function showCase(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const located = await getCaseOfAny(visit.gateway, visit.caller, visit.params.id ?? '')
  const { supportCase, messages } = located
  const params = { id: supportCase.id }
  const isOpen = supportCase.state !== 'closed'
  return pageReply(
    supportCase.id,
    <>
      <div class="top">
        <h1>
          <bdi>{oneLine(located.merchant.name)}</bdi>
        </h1>
        <CaseBadge of={supportCase} />
        <code>{supportCase.id}</code>
      </div>
      <CaseFacts visit={visit} located={located} />
      {messages.map(({ says, saidBy, saidAt }) => (
        <Quote says={says} by={saidBy} at={saidAt} />
      ))}
      {isOpen && (
        <FormBox of={ANSWER_CASE} visit={visit} state={state} params={params}>
          <p class="hint">{words.answerHint}</p>
        </FormBox>
      )}
      {isOpen && mayDo(visit.caller, CLOSE_CASE.action) && (
        <div class="actions">
          <details open={state?.path === CLOSE_CASE.path}>
            <summary>{words.close}</summary>
            <FormBox of={CLOSE_CASE} visit={visit} state={state} params={params}>
              <p class="hint">{words.closeHint}</p>
              {supportCase.state === 'waiting' && <Note tone="warn">{words.unanswered}</Note>}
            </FormBox>
          </details>
        </div>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

function CaseFacts({ visit, located: { merchant, supportCase } }: { visit: ConsoleVisit; located: CaseAtMerchant }) {
  const { facts } = words
  const { subject, page, reference, mode } = supportCase
  const asTheySee = `/as/${merchant.publicId}${mode === 'test' ? '/test' : ''}${page === '/' ? '' : page}`
  return (
    <Facts
      facts={[
        [
          facts.merchant,
          <a href={visit.to(`/merchants/${merchant.publicId}`)}>
            <bdi>{oneLine(merchant.name)}</bdi>
          </a>,
        ],
        [facts.mode, mode],
        subject !== null && [facts.about, <SubjectLink visit={visit} subject={subject} />],
        page !== null && [
          facts.page,
          <>
            <OutsideText text={page} /> <a href={visit.to(asTheySee)}>{words.look}</a>
            <p class="hint">{words.lookHint}</p>
          </>,
        ],
        reference !== null && [facts.reference, <code>{reference}</code>],
        [facts.opened, <Time at={supportCase.openedAt} />],
      ]}
    />
  )
}
