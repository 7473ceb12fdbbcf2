import { ruleOf } from '../../actors/actions.ts'
import { mayDo } from '../../actors/allow.ts'
import { sessionColumns } from '../../pages/account/account-parts.tsx'
import { ACCOUNT } from '../../pages/account/texts.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormState } from '../../pages/form-spec.ts'
import { Section, Time } from '../../pages/parts.tsx'
import { RolesTable } from '../../pages/roles-table.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import type { Link } from '../../people/links.ts'
import { listOperatorSessions, type OpenSession } from '../../people/open-sessions.ts'
import { listOperators, type Operator } from '../../people/operators/change-operators.ts'
import { listOperatorInvitations } from '../../people/operators/invite-operators.ts'
import { ACTION_NAMES } from '../texts/action-names.ts'
import { ROLE_NAMES } from '../texts/frame.ts'
import { OPERATORS_PAGE } from '../texts/operators.ts'
import type { ConsoleVisit } from '../visit.ts'
import { END_SESSION, INVITE, REMOVE, RESET, SET_ROLE, TAKE_BACK } from './operator-forms.ts'

const { list, invite, open, sessions, roles } = OPERATORS_PAGE
type Of = { visit: ConsoleVisit; state: FormState | null }

/** Shows everybody who works on the console. Only an admin sees the forms, invitations and sessions. */
export async function showOperators(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const of = { visit, state }
  const isAdmin = mayDo(visit.caller, 'operator.role')
  const operators = await listOperators(visit.gateway)
  return shownPage(
    OPERATORS_PAGE.title,
    <>
      <h1>{OPERATORS_PAGE.title}</h1>
      <Section title={list.title}>
        <Table caption={list.title} rows={operators} columns={operatorColumns(of, isAdmin)} />
      </Section>
      {isAdmin && <Decisions {...of} {...(await readDecisions(visit))} />}
      <Section title={roles.title}>
        <p class="hint">{roles.own}</p>
        <RolesTable
          {...{ title: roles.title, act: roles.act, roles: ROLE_NAMES, names: ACTION_NAMES }}
          whoMay={(action) => ruleOf(action).operators}
        />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

async function readDecisions({ gateway }: ConsoleVisit) {
  const [invited, signedIn] = await Promise.all([
    listOperatorInvitations(gateway),
    listOperatorSessions(gateway),
  ])
  return { invited, signedIn }
}

const Decisions = ({
  visit,
  state,
  invited,
  signedIn,
}: Of & { invited: readonly Link[]; signedIn: readonly OpenSession[] }) => (
  <>
    <Section title={invite.title}>
      <FormBox of={INVITE} visit={visit} state={state} values={{ role: 'support' }} />
    </Section>
    {invited.length > 0 && (
      <Section title={open.title}>
        <Table caption={open.title} rows={invited} columns={linkColumns({ visit, state })} />
      </Section>
    )}
    <Section title={sessions.title}>
      <Table caption={sessions.title} rows={signedIn} columns={signedInColumns({ visit, state })} />
    </Section>
  </>
)

const ownState = ({ state, visit }: Of, id: string) => (visit.params.id === id ? state : null)

function operatorColumns(of: Of, isAdmin: boolean): Column<Operator>[] {
  const { columns } = list
  const ownId = of.visit.signedIn.person.publicId
  const renderName = ({ name, publicId }: Operator) => (
    <span>
      <bdi>{shown(name)}</bdi>
      {publicId === ownId && <span class="quiet"> ({list.you})</span>}
    </span>
  )
  const formatFactors = ({ factors }: Operator) =>
    factors.length === 0 ? list.none : factors.map((kind) => list.kinds[kind]).join(', ')
  return [
    { title: columns.name, cell: renderName },
    { title: columns.email, cell: ({ email }) => <bdi>{shown(email)}</bdi> },
    { title: columns.role, cell: ({ role }) => <span class="one-line">{ROLE_NAMES[role]}</span> },
    { title: columns.factors, cell: formatFactors },
    { title: columns.seen, cell: ({ seenAt }) => <Time at={seenAt} /> },
    { title: columns.since, cell: ({ createdAt }) => <Time at={createdAt} day /> },
    ...(isAdmin
      ? [{ title: columns.acts, cell: (operator: Operator) => <Acts {...of} operator={operator} /> }]
      : []),
  ]
}

function Acts({ operator, ...of }: Of & { operator: Operator }) {
  const params = { id: operator.publicId }
  const state = ownState(of, operator.publicId)
  const { visit } = of
  return (
    <details open={state !== null}>
      <summary>
        {list.open}
        <span class="ear"> {shown(operator.name)}</span>
      </summary>
      <FormBox of={SET_ROLE} visit={visit} params={params} state={state} values={{ role: operator.role }} />
      <FormBox of={RESET} visit={visit} params={params} state={state} />
      <FormBox of={REMOVE} visit={visit} params={params} state={state} />
    </details>
  )
}

function linkColumns(of: Of): Column<Link>[] {
  const { columns } = open
  const { visit } = of
  return [
    { title: columns.email, cell: ({ email }) => <bdi>{shown(email ?? '')}</bdi> },
    { title: columns.role, cell: ({ operatorRole }) => ROLE_NAMES[operatorRole ?? 'support'] },
    { title: columns.until, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      title: columns.acts,
      cell: ({ id }) => (
        <FormBox of={TAKE_BACK} visit={visit} params={{ id }} state={ownState(of, id)} compact />
      ),
    },
  ]
}

function signedInColumns(of: Of): Column<OpenSession>[] {
  const { columns } = ACCOUNT.sessions
  const { visit } = of
  return [
    { title: columns.name, cell: ({ name }) => <bdi>{shown(name)}</bdi> },
    ...sessionColumns(visit),
    {
      title: columns.acts,
      cell: ({ id }) => (
        <FormBox of={END_SESSION} visit={visit} params={{ id }} state={ownState(of, id)} compact />
      ),
    },
  ]
}
