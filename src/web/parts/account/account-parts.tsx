import { type Factor, listFactors } from '../../../merchants/people/factors/factors.ts'
import { listOwnSessions, type OpenSession } from '../../../merchants/people/open-sessions.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../columns.tsx'
import { FormBox } from '../forms/form.tsx'
import type { FormState } from '../forms/form-spec.ts'
import { Section } from '../parts.tsx'
import { type ListColumn, Table } from '../table.tsx'
import type { AccountPage, AccountVisit } from './account-forms.ts'
import { Device } from './device.tsx'
import { ACCOUNT } from './texts.ts'

type AccountPartProps<V extends AccountVisit> = { of: AccountPage<V>; visit: V; state: FormState | null }

/** Reads the facts that the sections of the page show. */
export async function readAccountFacts({ gateway, caller }: AccountVisit) {
  const [{ factors, codesLeft }, sessions] = await Promise.all([
    listFactors(gateway, caller.personId),
    listOwnSessions(gateway, caller),
  ])
  return { factors, codesLeft, sessions }
}

type FactorsProps<V extends AccountVisit> = AccountPartProps<V> & {
  factors: readonly Factor[]
  codesLeft: number
}

/** The second factors of the account, with the forms to add others. */
export function FactorsSection<V extends AccountVisit>({ of, visit, state, factors, codesLeft }: FactorsProps<V>) {
  const texts = ACCOUNT.factors
  const { forms } = of
  const columns: ListColumn<Factor>[] = [
    { title: texts.columns.name, cell: ({ name, kind }) => `${texts.kinds[kind]}: ${oneLine(name)}` },
    column.day(texts.columns.since, ({ createdAt }) => createdAt),
    column.time(texts.columns.used, ({ usedAt }) => usedAt),
    {
      title: texts.columns.acts,
      cell: ({ id }) => {
        const own = visit.params.id === id ? state : null
        return (
          <details open={own !== null}>
            <summary>{texts.remove}</summary>
            <FormBox of={forms.removeFactor} visit={visit} params={{ id }} state={own} />
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
          <p class="hint">{of.removeWarn}</p>
          <p>{ACCOUNT.codes.left(codesLeft)}</p>
          <FormBox of={forms.renewCodes} visit={visit} state={state} />
        </>
      )}
      {!factors.some(({ kind }) => kind === 'totp') && <FormBox of={forms.beginApp} visit={visit} state={state} />}
      <details
        data-make-passkey={visit.to(`${forms.addPasskey.path}/options`)}
        open={state?.path === forms.addPasskey.path}
      >
        <summary>{texts.passkey}</summary>
        <FormBox of={forms.addPasskey} visit={visit} state={state} />
        <noscript>
          <p class="hint">{texts.passkeyNone}</p>
        </noscript>
      </details>
    </Section>
  )
}

export const PasswordSection = <V extends AccountVisit>({ of, visit, state }: AccountPartProps<V>) => (
  <Section title={ACCOUNT.password.title}>
    <FormBox of={of.forms.password} visit={visit} state={state} />
  </Section>
)

export const NameSection = <V extends AccountVisit>({ of, visit, state }: AccountPartProps<V>) => (
  <Section title={ACCOUNT.name.title}>
    <FormBox of={of.forms.name} visit={visit} state={state} values={{ name: visit.signedIn.person.name }} />
  </Section>
)

/** The devices on which the person is signed in. */
export function SessionsSection<V extends AccountVisit>({
  of,
  visit,
  state,
  sessions,
}: AccountPartProps<V> & { sessions: readonly OpenSession[] }) {
  const texts = ACCOUNT.sessions
  const acts: ListColumn<OpenSession> = {
    title: texts.columns.acts,
    cell: ({ id }) => (
      <FormBox
        of={of.forms.endSession}
        visit={visit}
        params={{ id }}
        state={visit.params.id === id ? state : null}
        compact
      />
    ),
  }
  return (
    <Section title={texts.own}>
      <Table caption={texts.own} rows={sessions} columns={[...sessionColumns(visit), acts]} />
      {sessions.length > 1 && <FormBox of={of.forms.endOthers} visit={visit} state={state} compact />}
    </Section>
  )
}

/** The columns of a table of sessions; the session of this browser is marked. */
export function sessionColumns({ signedIn }: Pick<AccountVisit, 'signedIn'>): ListColumn<OpenSession>[] {
  const { columns } = ACCOUNT.sessions
  return [
    { title: columns.where, cell: (session) => <Device session={session} here={signedIn.sessionId} /> },
    column.time(columns.since, ({ createdAt }) => createdAt),
    column.time(columns.seen, ({ seenAt }) => seenAt),
    column.time(columns.ends, ({ endsAt }) => endsAt),
  ]
}
