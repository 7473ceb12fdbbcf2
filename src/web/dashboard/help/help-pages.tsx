import { listContacts } from '../../../merchants/mails/contacts.ts'
import { findSubject } from '../../../operations/cases/find-subject.ts'
import { getCase, type ListedCase, listCases, MAX_CASES_LISTED } from '../../../operations/cases/read-cases.ts'
import { CASE_MOVES, type SupportCase } from '../../../operations/cases/support-case.ts'
import { statesOf } from '../../../platform/moves.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Facts, Note, OutsideText, Section, ShortId, Status, Time } from '../../parts/parts.tsx'
import { Quote } from '../../parts/quote.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn, ListFilter } from '../../parts/table.tsx'
import { ObjectLink } from '../object-link.tsx'
import { HELP } from '../texts/help.ts'
import type { DashboardVisit } from '../visit.ts'
import { mayWrite } from './help-foot.tsx'
import { OPEN_CASE, WRITE_AGAIN } from './help-forms.ts'

const { list, page: words } = HELP
const STATES = statesOf(CASE_MOVES)
const TONES = { waiting: 'open', answered: 'good', closed: 'quiet' } as const

const CaseBadge = ({ of: { state } }: { of: SupportCase }) => <Status word={HELP.states[state]} tone={TONES[state]} />

const COLUMNS: readonly ListColumn<ListedCase>[] = [
  column.who(list.columns.says, ({ says }) => says),
  { title: list.columns.state, cell: (row) => <CaseBadge of={row} />, at: 'state' },
  { title: list.columns.subject, cell: ({ subject }) => subject !== null && <ShortId id={subject} />, at: 'ident' },
  column.when(list.columns.last, ({ lastAt }) => lastAt),
]
const FILTERS: readonly ListFilter[] = [
  {
    ...{ name: 'state', label: list.columns.state, kind: 'select' },
    choices: STATES.map((value) => ({ value, label: HELP.states[value] })),
  },
]

/** Shows how to reach us, and what was written to us before. */
export async function showHelp(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const cases = await listCases(app, caller, STATES.find((state) => state === query.state) ?? null)
  return listPage({
    title: HELP.title,
    head: (
      <div class="top">
        <h1>{HELP.title}</h1>
        {mayWrite(visit) && (
          <a class="button" href={visit.to(OPEN_CASE.path)}>
            {HELP.write.title}
          </a>
        )}
      </div>
    ),
    ...{ rows: cases, columns: COLUMNS, href: ({ id }: ListedCase) => visit.to(`/help/${id}`) },
    ...{ here: visit.to('/help'), query, filters: FILTERS, empty: list.empty },
    below: (
      <>
        {cases.length === MAX_CASES_LISTED && <Note>{list.most}</Note>}
        <Reach visit={visit} />
      </>
    ),
  })
}

function Reach({ visit }: { visit: DashboardVisit }) {
  const contacts = listContacts(visit.support, visit.requestId)
  if (contacts.length === 0) return null
  return (
    <Section title={HELP.reach.title}>
      <Facts facts={contacts.map(({ name, written, href }) => [name, <a href={href}>{written}</a>] as const)} />
      <p class="hint">{HELP.reach.says(visit.requestId)}</p>
    </Section>
  )
}

/** Shows the form that opens a case, with the object of the page from which it was opened. */
export async function showWrite(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { from = '', ref = '' } = state?.values ?? visit.query
  const subject = await findSubject(visit.app, visit.caller, from)
  return pageReply(
    HELP.write.title,
    <>
      <h1>{HELP.write.title}</h1>
      {subject !== null && (
        <p>
          {HELP.write.about} <AboutLink visit={visit} subject={subject} page={from} />
        </p>
      )}
      <FormBox of={OPEN_CASE} visit={visit} state={state} values={{ from, ref }}>
        <p class="hint">{HELP.write.hint}</p>
      </FormBox>
    </>,
    { status: state?.status ?? 200 },
  )
}

/** A link to the object. An order is a payment link under the same id, with a page of its own. */
const AboutLink = ({ visit, subject, page }: { visit: DashboardVisit; subject: string; page: string | null }) => (
  <ObjectLink visit={visit} id={subject} {...(page?.startsWith('/orders/') ? { as: 'ord_' as const } : {})} />
)

/** Shows a case: what it is about, what was written on both sides, and the form to write again. */
export async function showCase(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { supportCase, messages } = await getCase(visit.app, visit.caller, visit.params.id ?? '')
  const { id, subject, page, reference, openedAt } = supportCase
  return pageReply(
    words.title,
    <>
      <div class="top">
        <h1>{words.title}</h1>
        <CaseBadge of={supportCase} />
      </div>
      <Facts
        facts={[
          subject !== null && [words.facts.about, <AboutLink visit={visit} subject={subject} page={page} />],
          subject === null && page !== null && [words.facts.page, <OutsideText text={page} />],
          reference !== null && [words.facts.reference, <code>{reference}</code>],
          [words.facts.opened, <Time at={openedAt} />],
        ]}
      />
      {messages.map(({ side, says, saidBy, saidAt }) => (
        <Quote says={says} by={side === 'staff' ? words.us : saidBy} at={saidAt} />
      ))}
      <FormBox of={WRITE_AGAIN} visit={visit} state={state} params={{ id }}>
        {supportCase.state === 'closed' && <p class="hint">{words.againClosed}</p>}
      </FormBox>
    </>,
    { status: state?.status ?? 200 },
  )
}
