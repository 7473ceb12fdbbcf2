import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Note, Section, Time, timeText } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { type Factor, listFactors } from '../../people/factors.ts'
import { listOwnSessions, type OpenSession } from '../../people/open-sessions.ts'
import { PEOPLE } from '../texts/people.ts'
import type { DashboardVisit } from '../visit.ts'
import { Device } from './device.tsx'

export const SECURITY_PATH = '/settings/security'
const { security, sessions } = PEOPLE

const bare = { fields: [] } as const

export const NAME: FormSpec = {
  path: `${SECURITY_PATH}/name`,
  action: 'account.name',
  fields: [{ name: 'name', label: security.name.label, most: 100, autocomplete: 'name' }],
  submit: security.name.submit,
}
export const EMAIL: FormSpec = {
  path: `${SECURITY_PATH}/email`,
  action: 'account.email',
  fields: [{ name: 'email', label: security.email.label, hint: security.email.hint, kind: 'email' }],
  submit: security.email.submit,
}
export const RESEND: FormSpec = {
  path: `${SECURITY_PATH}/confirmation`,
  action: 'account.resend',
  ...{ ...bare, submit: security.email.resend, plain: true },
}
export const PASSWORD: FormSpec = {
  path: `${SECURITY_PATH}/password`,
  action: 'account.password',
  fields: [
    {
      name: 'password',
      label: security.password.label,
      hint: security.password.hint,
      kind: 'new-password',
      most: 512,
    },
  ],
  submit: security.password.submit,
}
export const BEGIN_APP: FormSpec = {
  path: `${SECURITY_PATH}/app`,
  action: 'account.factors',
  ...{ ...bare, submit: security.factors.app, once: true },
}
export const REMOVE_FACTOR: FormSpec = {
  path: `${SECURITY_PATH}/factors/:id/remove`,
  action: 'account.factors',
  ...{ ...bare, submit: security.factors.remove, danger: true },
}
export const RENEW_CODES: FormSpec = {
  path: `${SECURITY_PATH}/codes`,
  action: 'account.factors',
  ...{ ...bare, submit: security.codes.renew, plain: true },
}
export const ADD_PASSKEY: FormSpec = {
  path: `${SECURITY_PATH}/passkeys`,
  action: 'account.factors',
  fields: [
    { name: 'name', label: security.factors.passkeyName, hint: security.factors.passkeyHint, most: 60 },
    { name: 'response', label: '', kind: 'hidden', most: 20_000 },
  ],
  submit: security.factors.passkeyButton,
}
export const END_SESSION: FormSpec = {
  path: `${SECURITY_PATH}/sessions/:id/end`,
  action: 'account.sessions',
  ...{ ...bare, submit: sessions.end, plain: true },
}
export const END_OTHERS: FormSpec = {
  path: `${SECURITY_PATH}/sessions/end-others`,
  action: 'account.sessions',
  ...{ ...bare, submit: sessions.others, plain: true },
}
export const SWITCH: FormSpec = {
  path: '/settings/business/:id/switch',
  action: 'account.switch',
  ...{ ...bare, submit: '', plain: true },
}

/** What a person may change about its own sign-in. */
export async function showSecurity(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway, caller, signedIn } = visit
  const [{ factors, codesLeft }, open] = await Promise.all([
    listFactors(gateway, caller.personId),
    listOwnSessions(gateway, caller),
  ])
  return shownPage(
    security.title,
    <>
      <h1>{security.title}</h1>
      {signedIn.heldUntil !== null && <Note tone="warn">{security.held(timeText(signedIn.heldUntil))}</Note>}
      {signedIn.till ? (
        <Note>{security.till}</Note>
      ) : (
        <>
          <Factors {...{ visit, state, factors, codesLeft }} />
          <Section title={security.password.title}>
            <FormBox of={PASSWORD} visit={visit} state={state} />
          </Section>
          <Section title={security.email.title}>
            <p>{security.email.now(shown(signedIn.person.email))}</p>
            {!signedIn.person.confirmed && (
              <>
                <p>{security.email.unconfirmed}</p>
                <FormBox of={RESEND} visit={visit} state={state} />
              </>
            )}
            <FormBox of={EMAIL} visit={visit} state={state} />
          </Section>
          <Section title={security.name.title}>
            <FormBox of={NAME} visit={visit} state={state} values={{ name: signedIn.person.name }} />
          </Section>
        </>
      )}
      <Section title={sessions.own}>
        <Table caption={sessions.own} rows={open} columns={sessionColumns(visit, state)} />
        {open.length > 1 && <FormBox of={END_OTHERS} visit={visit} state={state} compact />}
      </Section>
      {signedIn.memberships.length > 1 && <Businesses visit={visit} />}
    </>,
    { status: state?.status ?? 200, scripts: ['passkeys.js'] },
  )
}

type FactorsProps = {
  visit: DashboardVisit
  state: FormState | null
  factors: readonly Factor[]
  codesLeft: number
}

function Factors({ visit, state, factors, codesLeft }: FactorsProps) {
  const texts = security.factors
  const columns: Column<Factor>[] = [
    { title: texts.columns.name, cell: ({ name, kind }) => `${texts.kinds[kind]}: ${shown(name)}` },
    { title: texts.columns.since, cell: ({ createdAt }) => <Time at={createdAt} day /> },
    { title: texts.columns.used, cell: ({ usedAt }) => <Time at={usedAt} /> },
    {
      title: texts.columns.acts,
      cell: ({ id }) => {
        const own = visit.params.id === id ? state : null
        return (
          <details open={own !== null}>
            <summary>{texts.remove}</summary>
            <FormBox of={REMOVE_FACTOR} visit={visit} params={{ id }} state={own} />
          </details>
        )
      },
    },
  ]
  return (
    <Section title={texts.title}>
      {factors.length === 0 ? (
        <p>{texts.none}</p>
      ) : (
        <>
          <Table caption={texts.title} rows={factors} columns={columns} />
          <p class="hint">{texts.removeWarn}</p>
          <p>{security.codes.left(codesLeft)}</p>
          <FormBox of={RENEW_CODES} visit={visit} state={state} />
        </>
      )}
      {!factors.some(({ kind }) => kind === 'totp') && <FormBox of={BEGIN_APP} visit={visit} state={state} />}
      <details
        data-make-passkey={visit.to(`${ADD_PASSKEY.path}/options`)}
        open={state?.path === ADD_PASSKEY.path}
      >
        <summary>{texts.passkey}</summary>
        <FormBox of={ADD_PASSKEY} visit={visit} state={state} />
        <noscript>
          <p class="hint">{texts.passkeyNone}</p>
        </noscript>
      </details>
    </Section>
  )
}

function sessionColumns(visit: DashboardVisit, state: FormState | null): Column<OpenSession>[] {
  const { columns } = sessions
  return [
    { title: columns.where, cell: (session) => <Device session={session} here={visit.signedIn.sessionId} /> },
    { title: columns.since, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: columns.seen, cell: ({ seenAt }) => <Time at={seenAt} /> },
    { title: columns.ends, cell: ({ endsAt }) => <Time at={endsAt} /> },
    {
      title: columns.acts,
      cell: ({ id }) => (
        <FormBox
          of={END_SESSION}
          visit={visit}
          params={{ id }}
          state={visit.params.id === id ? state : null}
          compact
        />
      ),
    },
  ]
}

/** The other businesses of the person, each with a button that goes there. */
const Businesses = ({ visit }: { visit: DashboardVisit }) => (
  <Section title={security.switch.title}>
    <ul>
      {visit.signedIn.memberships.map(({ publicId, handle, merchantId }) => (
        <li>
          {merchantId === visit.merchant.id ? (
            `${handle} (${security.switch.here})`
          ) : (
            <FormBox
              of={{ ...SWITCH, submit: security.switch.submit(handle) }}
              visit={visit}
              params={{ id: publicId }}
              compact
            />
          )}
        </li>
      ))}
    </ul>
  </Section>
)
