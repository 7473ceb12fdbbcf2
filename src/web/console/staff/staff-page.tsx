import { ruleOf } from '../../../api/access/actions.ts'
import { mayDo } from '../../../api/access/allow.ts'
import type { OneTimeLink } from '../../../merchants/people/links.ts'
import { listStaffSessions, type OpenSession } from '../../../merchants/people/open-sessions.ts'
import { listStaff, type StaffMember } from '../../../merchants/people/staff/change-staff.ts'
import { listStaffInvitations } from '../../../merchants/people/staff/invite-staff.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { sessionColumns } from '../../parts/account/account-parts.tsx'
import { ACCOUNT } from '../../parts/account/texts.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import { RolesTable } from '../../parts/roles-table.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { STAFF_ACTION_NAMES } from '../texts/action-names.ts'
import { ROLE_NAMES } from '../texts/frame.ts'
import { STAFF_PAGE_TEXTS } from '../texts/staff.ts'
import type { ConsoleVisit } from '../visit.ts'
import {
  END_STAFF_SESSION_FORM,
  INVITE_STAFF_FORM,
  REMOVE_STAFF_FORM,
  RESET_STAFF_FORM,
  SET_STAFF_ROLE_FORM,
  TAKE_BACK_INVITATION_FORM,
} from './staff-forms.ts'

const { list, invite, open, sessions, roles } = STAFF_PAGE_TEXTS
type StaffPageProps = { visit: ConsoleVisit; state: FormState | null }

/** Shows everybody who works on the console. Only an admin sees the forms, invitations and sessions. */
export async function showStaff(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const of = { visit, state }
  const isAdmin = mayDo(visit.caller, 'operator.role')
  const operators = await listStaff(visit.gateway)
  return pageReply(
    STAFF_PAGE_TEXTS.title,
    <>
      <h1>{STAFF_PAGE_TEXTS.title}</h1>
      <Section title={list.title}>
        <Table caption={list.title} rows={operators} columns={buildStaffColumns(of, isAdmin)} />
      </Section>
      {isAdmin && <AdminSections {...of} {...(await readAdminData(visit))} />}
      <Section title={roles.title}>
        <p class="hint">{roles.own}</p>
        <RolesTable
          {...{ title: roles.title, act: roles.act, roles: ROLE_NAMES, names: STAFF_ACTION_NAMES }}
          whoMay={(action) => ruleOf(action).operators}
        />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

async function readAdminData({ gateway }: ConsoleVisit) {
  const [invited, signedIn] = await Promise.all([listStaffInvitations(gateway), listStaffSessions(gateway)])
  return { invited, signedIn }
}

const AdminSections = ({
  visit,
  state,
  invited,
  signedIn,
}: StaffPageProps & { invited: readonly OneTimeLink[]; signedIn: readonly OpenSession[] }) => (
  <>
    <Section title={invite.title}>
      <FormBox of={INVITE_STAFF_FORM} visit={visit} state={state} values={{ role: 'support' }} />
    </Section>
    {invited.length > 0 && (
      <Section title={open.title}>
        <Table caption={open.title} rows={invited} columns={buildInvitationColumns({ visit, state })} />
      </Section>
    )}
    <Section title={sessions.title}>
      <Table caption={sessions.title} rows={signedIn} columns={buildSessionColumns({ visit, state })} />
    </Section>
  </>
)

const stateOfRow = ({ state, visit }: StaffPageProps, id: string) => (visit.params.id === id ? state : null)

function buildStaffColumns(of: StaffPageProps, isAdmin: boolean): ListColumn<StaffMember>[] {
  const { columns } = list
  const ownId = of.visit.signedIn.person.publicId
  const renderName = ({ name, publicId }: StaffMember) => (
    <span>
      <bdi>{oneLine(name)}</bdi>
      {publicId === ownId && <span class="quiet"> ({list.you})</span>}
    </span>
  )
  const formatFactors = ({ factors }: StaffMember) =>
    factors.length === 0 ? list.none : factors.map((kind) => list.kinds[kind]).join(', ')
  return [
    { title: columns.name, cell: renderName },
    { title: columns.email, cell: ({ email }) => <bdi>{oneLine(email)}</bdi> },
    { title: columns.role, cell: ({ role }) => <span class="one-line">{ROLE_NAMES[role]}</span> },
    { title: columns.factors, cell: formatFactors },
    column.time(columns.seen, ({ seenAt }) => seenAt),
    column.day(columns.since, ({ createdAt }) => createdAt),
    ...(isAdmin
      ? [{ title: columns.acts, cell: (operator: StaffMember) => <StaffActs {...of} operator={operator} /> }]
      : []),
  ]
}

function StaffActs({ operator, ...of }: StaffPageProps & { operator: StaffMember }) {
  const params = { id: operator.publicId }
  const state = stateOfRow(of, operator.publicId)
  const { visit } = of
  return (
    <details open={state !== null}>
      <summary>
        {list.open}
        <span class="ear"> {oneLine(operator.name)}</span>
      </summary>
      <FormBox of={SET_STAFF_ROLE_FORM} visit={visit} params={params} state={state} values={{ role: operator.role }} />
      <FormBox of={RESET_STAFF_FORM} visit={visit} params={params} state={state} />
      <FormBox of={REMOVE_STAFF_FORM} visit={visit} params={params} state={state} />
    </details>
  )
}

function buildInvitationColumns(of: StaffPageProps): ListColumn<OneTimeLink>[] {
  const { columns } = open
  const { visit } = of
  return [
    { title: columns.email, cell: ({ email }) => <bdi>{oneLine(email ?? '')}</bdi> },
    { title: columns.role, cell: ({ operatorRole }) => ROLE_NAMES[operatorRole ?? 'support'] },
    column.time(columns.until, ({ expiresAt }) => expiresAt),
    {
      title: columns.acts,
      cell: ({ id }) => (
        <FormBox of={TAKE_BACK_INVITATION_FORM} visit={visit} params={{ id }} state={stateOfRow(of, id)} compact />
      ),
    },
  ]
}

function buildSessionColumns(of: StaffPageProps): ListColumn<OpenSession>[] {
  const { columns } = ACCOUNT.sessions
  const { visit } = of
  return [
    { title: columns.name, cell: ({ name }) => <bdi>{oneLine(name)}</bdi> },
    ...sessionColumns(visit),
    {
      title: columns.acts,
      cell: ({ id }) => (
        <FormBox of={END_STAFF_SESSION_FORM} visit={visit} params={{ id }} state={stateOfRow(of, id)} compact />
      ),
    },
  ]
}
