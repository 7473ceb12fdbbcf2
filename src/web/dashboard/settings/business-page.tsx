import { readStaffActs } from '../../../reports/staff-acts.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Money, OutsideText, Section, State, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { BUSINESS } from '../texts/business.ts'
import type { DashboardVisit } from '../visit.ts'
import { StaffActsSection } from './staff-acts.tsx'

const { facts, handle } = BUSINESS

export const CHANGE_HANDLE: FormSpec = {
  path: '/settings/business/handle',
  action: 'merchant.handle',
  fields: [{ name: 'handle', label: handle.label, hint: handle.hint, maxLength: 30 }],
  submit: handle.submit,
}

/** Shows what the gateway knows of the business, and what our staff did about it. */
export async function showBusiness(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { merchant, app, caller } = visit
  const { amountMax } = app.config
  const acts = await readStaffActs(app, caller, merchant)
  return pageReply(
    BUSINESS.title,
    <>
      <h1>{BUSINESS.title}</h1>
      <Section title={BUSINESS.about}>
        <Facts
          facts={[
            [facts.name, <OutsideText text={merchant.name} />],
            [facts.handle, `${merchant.handle} (${facts.handleSays})`],
            [facts.email, <OutsideText text={merchant.email} />],
            [facts.id, <code>{merchant.publicId}</code>],
            [facts.verification, <State of="verification" state={merchant.kycStatus} />],
            [facts.active, merchant.active ? facts.on : facts.off],
            [facts.settlement, merchant.instantSettlement ? facts.instant : facts.held],
            [facts.vending, merchant.vendingEnabled ? facts.on : facts.off],
            [facts.chargeLimit, <Money amount={merchant.chargeLimit ?? amountMax} />],
            [facts.payoutLimit, <Money amount={merchant.payoutLimit ?? amountMax} />],
            [facts.created, <Time at={merchant.createdAt} day />],
          ]}
        />
        <p class="hint">{BUSINESS.change}</p>
        <FormBox of={CHANGE_HANDLE} visit={visit} state={state} />
      </Section>
      <StaffActsSection visit={visit} acts={acts} />
    </>,
    { status: state?.status ?? 200 },
  )
}
