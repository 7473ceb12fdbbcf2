import { mayDo } from '../../actors/allow.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Facts, Money, Note, RawJson, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { ugx } from '../../pages/wording.ts'
import { getSubaccount, readBalances } from '../../subaccounts/find-subaccounts.ts'
import { presentWithBalances, type Subaccount } from '../../subaccounts/subaccount.ts'
import { SUBACCOUNTS } from '../texts/subaccounts.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts, payOut } = SUBACCOUNTS

export const PAY_OUT: FormSpec = {
  path: '/subaccounts/:id/pay-out',
  action: 'subaccount.payout',
  fields: [{ name: 'amount', label: payOut.amount, kind: 'amount', refused: /amount|balance/ }],
  submit: payOut.submit,
  once: true,
}
export const ACTIVATE: FormSpec = {
  path: '/subaccounts/:id/activate',
  action: 'subaccount.set',
  fields: [],
  submit: SUBACCOUNTS.activate.submit,
}
export const DEACTIVATE: FormSpec = {
  path: '/subaccounts/:id/deactivate',
  action: 'subaccount.set',
  fields: [],
  submit: SUBACCOUNTS.deactivate.submit,
  danger: true,
}

/** Shows one subaccount: its balances in this mode, and the forms that pay it out and switch it. */
export async function showSubaccount(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, caller } = visit
  const subaccount = await getSubaccount(app, caller, visit.params.id ?? '')
  const balances = await readBalances(app, caller, subaccount.id)
  const params = { id: subaccount.id }
  return shownPage(
    subaccount.name,
    <>
      <div class="top">
        <h1>
          <Said text={subaccount.name} />
        </h1>
        <Status word={subaccount.status} />
        <code>{subaccount.id}</code>
      </div>
      <Facts
        facts={[
          [facts.available, <Money amount={balances.available} />],
          [facts.pending, <Money amount={balances.pending} />],
          [facts.phone, <Said text={subaccount.payoutPhone} />],
          [facts.ref, <Said text={subaccount.externalRef} />],
          [facts.created, <Time at={subaccount.createdAt} />],
        ]}
      />
      <PayOut visit={visit} state={state} subaccount={subaccount} available={balances.available} />
      <FormBox
        of={subaccount.status === 'active' ? DEACTIVATE : ACTIVATE}
        visit={visit}
        state={state}
        params={params}
      />
      <RawJson value={presentWithBalances(subaccount, balances)} />
    </>,
    { status: state?.status ?? 200 },
  )
}

type PayOutProps = {
  visit: DashboardVisit
  state: FormState | null
  subaccount: Subaccount
  available: number
}

function PayOut({ visit, state, subaccount: { id, payoutPhone }, available }: PayOutProps) {
  if (!mayDo(visit.caller, 'subaccount.payout')) return null
  return (
    <Section title={payOut.title}>
      {payoutPhone === null ? (
        <Note>{payOut.noPhone}</Note>
      ) : (
        <FormBox of={PAY_OUT} visit={visit} state={state} params={{ id }}>
          <p class="hint">{payOut.hint(ugx(available), payoutPhone)}</p>
        </FormBox>
      )}
    </Section>
  )
}
