import { ruleOf } from '../../../api/access/actions.ts'
import type { MerchantRole } from '../../../api/access/actor.ts'
import { mayDo } from '../../../api/access/allow.ts'
import { listInvitations } from '../../../merchants/people/invitations.ts'
import type { OneTimeLink } from '../../../merchants/people/links.ts'
import { listMembers, type MerchantMember } from '../../../merchants/people/members.ts'
import { listSessionsAt, type OpenSession } from '../../../merchants/people/open-sessions.ts'
import { readRefundLimit } from '../../../merchants/people/refund-limit.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { sessionColumns } from '../../parts/account/account-parts.tsx'
import { ACCOUNT } from '../../parts/account/texts.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FieldChoice, FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import { RolesTable } from '../../parts/roles-table.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { ACTION_NAMES } from '../texts/action-names.ts'
import { PEOPLE } from '../texts/people.ts'
import { SIGN_IN } from '../texts/sign-in.ts'
import type { DashboardVisit } from '../visit.ts'

const MERCHANT_ROLES: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const ROLE_CHOICES: readonly FieldChoice[] = MERCHANT_ROLES.map((value) => ({
  value,
  label: SIGN_IN.roles[value],
}))
const { members, invite, till, limit } = PEOPLE
const { sessions } = ACCOUNT

export const PEOPLE_PATH = '/settings/people'

export const INVITE_MEMBER: FormSpec = {
  path: `${PEOPLE_PATH}/invite`,
  action: 'people.invite',
  fields: [
    { name: 'email', label: invite.email, kind: 'email', hint: invite.hint, autocomplete: 'off' },
    { name: 'role', label: members.role, kind: 'select', choices: ROLE_CHOICES },
  ],
  submit: invite.submit,
  once: true,
}
export const TAKE_BACK_INVITATION: FormSpec = {
  path: `${PEOPLE_PATH}/invitations/:id/take-back`,
  action: 'people.take-back',
  ...{ fields: [], submit: invite.takeBack, plain: true },
}
export const SET_MEMBER_ROLE: FormSpec = {
  path: `${PEOPLE_PATH}/:id/role`,
  action: 'people.role',
  fields: [{ name: 'role', label: members.role, kind: 'select', choices: ROLE_CHOICES }],
  submit: members.change,
}
export const REMOVE_MEMBER: FormSpec = {
  path: `${PEOPLE_PATH}/:id/remove`,
  action: 'people.remove',
  ...{ fields: [], submit: members.remove, danger: true },
}
export const SHOW_TILL_CODE: FormSpec = {
  path: `${PEOPLE_PATH}/till`,
  action: 'till.show',
  fields: [
    { name: 'name', label: till.name, hint: till.nameHint, maxLength: 60 },
    { name: 'hours', label: till.hours, hint: till.hoursHint, kind: 'number', maxLength: 2 },
  ],
  submit: till.submit,
}
export const SET_REFUND_LIMIT: FormSpec = {
  path: `${PEOPLE_PATH}/refund-limit`,
  action: 'people.limit',
  fields: [{ name: 'limit', label: limit.label, hint: limit.hint, kind: 'amount' }],
  submit: limit.submit,
}
export const END_MEMBER_SESSION: FormSpec = {
  path: `${PEOPLE_PATH}/sessions/:id/end`,
  action: 'people.sessions',
  ...{ fields: [], submit: sessions.end, plain: true },
}

/** Shows everybody who works for the merchant. People who may not change that see names and roles, and no forms. */
export async function showPeople(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, merchant, caller } = visit
  const [people, invitations, openSessions, refundLimit] = await Promise.all([
    listMembers(gateway, merchant.id),
    listInvitations(gateway, merchant.id),
    listSessionsAt(gateway, merchant.id),
    readRefundLimit(gateway, merchant.id),
  ])
  const mayManage = mayDo(caller, 'people.role')
  return pageReply(
    PEOPLE.title,
    <>
      <h1>{PEOPLE.title}</h1>
      <Section title={members.title}>
        <Table caption={members.title} rows={people} columns={memberColumns(visit, state)} />
      </Section>
      {mayManage && (
        <>
          <Section title={invite.title}>
            <FormBox of={INVITE_MEMBER} visit={visit} state={state} values={{ role: 'cashier' }} />
          </Section>
          {invitations.length > 0 && (
            <Section title={invite.open}>
              <Table caption={invite.open} rows={invitations} columns={invitationColumns(visit, state)} />
            </Section>
          )}
          <Section title={till.title}>
            <p>{till.lead}</p>
            <FormBox of={SHOW_TILL_CODE} visit={visit} state={state} values={{ hours: '8' }} />
          </Section>
          <Section title={limit.title}>
            <FormBox of={SET_REFUND_LIMIT} visit={visit} state={state} values={{ limit: String(refundLimit) }} />
          </Section>
          <Section title={sessions.title}>
            <Table caption={sessions.title} rows={openSessions} columns={openSessionColumns(visit, state)} />
          </Section>
        </>
      )}
      <Section title={PEOPLE.roles.title}>
        <p class="hint">{PEOPLE.roles.own}</p>
        <RolesTable
          {...{ title: PEOPLE.roles.title, act: PEOPLE.roles.act, names: ACTION_NAMES }}
          roles={PEOPLE.roles.names}
          whoMay={(action) => ruleOf(action).persons}
        />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

/** The state of a refused form belongs to the row that the form's address names; other rows have none. */
const findRowState = (state: FormState | null, visit: DashboardVisit, id: string) =>
  visit.params.id === id ? state : null

function memberColumns(visit: DashboardVisit, state: FormState | null): ListColumn<MerchantMember>[] {
  const { columns } = members
  const nameCell = ({ name, publicId }: MerchantMember) => (
    <span>
      <bdi>{oneLine(name)}</bdi>
      {publicId === visit.signedIn.person.publicId && <span class="quiet"> ({members.you})</span>}
    </span>
  )
  return [
    { title: columns.name, cell: nameCell, at: 'who' },
    {
      title: columns.email,
      cell: ({ email, till }) => (till ? members.till : <bdi>{oneLine(email ?? '')}</bdi>),
      at: 'what',
    },
    { title: columns.role, cell: ({ role }) => <span class="one-line">{SIGN_IN.roles[role]}</span>, at: 'amount' },
    { title: columns.factor, cell: ({ hasFactor }) => (hasFactor ? members.on : members.none) },
    column.when(columns.seen, ({ seenAt }) => seenAt),
    ...(mayDo(visit.caller, 'people.role')
      ? [
          {
            title: columns.acts,
            cell: (member: MerchantMember) => <MemberForms {...{ visit, state, member }} />,
            at: 'more' as const,
          },
        ]
      : []),
  ]
}

type MemberFormsProps = { visit: DashboardVisit; state: FormState | null; member: MerchantMember }

function MemberForms({ visit, state, member }: MemberFormsProps) {
  const params = { id: member.publicId }
  const own = findRowState(state, visit, member.publicId)
  return (
    <details open={own !== null}>
      <summary>
        {members.open}
        <span class="ear"> {oneLine(member.name)}</span>
      </summary>
      {!member.till && (
        <FormBox of={SET_MEMBER_ROLE} visit={visit} params={params} state={own} values={{ role: member.role }} />
      )}
      <FormBox of={REMOVE_MEMBER} visit={visit} params={params} state={own} />
    </details>
  )
}

function invitationColumns(visit: DashboardVisit, state: FormState | null): ListColumn<OneTimeLink>[] {
  const { columns } = invite
  return [
    { title: columns.whom, cell: ({ email, name }) => <bdi>{oneLine(email ?? name ?? '')}</bdi> },
    {
      title: columns.role,
      cell: ({ role, purpose }) => (purpose === 'till' ? members.till : SIGN_IN.roles[role ?? 'viewer']),
    },
    column.time(columns.until, ({ expiresAt }) => expiresAt),
    {
      title: columns.acts,
      cell: ({ id }) => (
        <FormBox
          of={TAKE_BACK_INVITATION}
          visit={visit}
          params={{ id }}
          state={findRowState(state, visit, id)}
          compact
        />
      ),
    },
  ]
}

function openSessionColumns(visit: DashboardVisit, state: FormState | null): ListColumn<OpenSession>[] {
  const { columns } = sessions
  return [
    { title: columns.name, cell: ({ name }) => <bdi>{oneLine(name)}</bdi> },
    ...sessionColumns(visit),
    {
      title: columns.acts,
      cell: ({ id }) => (
        <FormBox of={END_MEMBER_SESSION} visit={visit} params={{ id }} state={findRowState(state, visit, id)} compact />
      ),
    },
  ]
}
