import { mayDo } from '../../../api/access/allow.ts'
import { getSubaccount, readBalances } from '../../../payments/subaccounts/find-subaccounts.ts'
import { presentWithBalances, type Subaccount } from '../../../payments/subaccounts/subaccount.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Money, Note, OutsideText, RawJson, Section, State, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { formatShillings } from '../../parts/wording.ts'
import { SUBACCOUNTS } from '../texts/subaccounts.ts'
import type { DashboardVisit } from '../visit.ts'

const { facts, payOut } = SUBACCOUNTS

export const PAY_OUT_SUBACCOUNT: FormSpec = {
  path: '/subaccounts/:id/pay-out',
  action: 'subaccount.payout',
  fields: [{ name: 'amount', label: payOut.amount, kind: 'amount', codes: ['insufficient_balance'] }],
  submit: payOut.submit,
  once: true,
}
export const ACTIVATE_SUBACCOUNT: FormSpec = {
  path: '/subaccounts/:id/activate',
  action: 'subaccount.set',
  fields: [],
  submit: SUBACCOUNTS.activate.submit,
}
export const DEACTIVATE_SUBACCOUNT: FormSpec = {
  path: '/subaccounts/:id/deactivate',
  action: 'subaccount.set',
  fields: [],
  submit: SUBACCOUNTS.deactivate.submit,
  danger: true,
}

/** Shows one subaccount: its balances in this mode, and the forms that pay it out and switch it. */
export async function showSubaccount(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller } = visit
  const subaccount = await getSubaccount(app, caller, visit.params.id ?? '')
  const balances = await readBalances(app, caller, subaccount.id)
  const params = { id: subaccount.id }
  return pageReply(
    subaccount.name,
    <>
      <div class="top">
        <h1>
          <OutsideText text={subaccount.name} />
        </h1>
        <State of="subaccount" state={subaccount.status} />
        <code>{subaccount.id}</code>
      </div>
      <Facts
        facts={[
          [facts.available, <Money amount={balances.available} />],
          [facts.pending, <Money amount={balances.pending} />],
          [facts.phone, <OutsideText text={subaccount.payoutPhone} />],
          [facts.ref, <OutsideText text={subaccount.externalRef} />],
          [facts.created, <Time at={subaccount.createdAt} />],
        ]}
      />
      <PayOut visit={visit} state={state} subaccount={subaccount} available={balances.available} />
      <FormBox
        of={subaccount.status === 'active' ? DEACTIVATE_SUBACCOUNT : ACTIVATE_SUBACCOUNT}
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
        <FormBox of={PAY_OUT_SUBACCOUNT} visit={visit} state={state} params={{ id }}>
          <p class="hint">{payOut.hint(formatShillings(available), payoutPhone)}</p>
        </FormBox>
      )}
    </Section>
  )
}
