import { changeHandle } from '../../merchants/change-handle.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Facts, Money, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { whatWeDid } from '../../reports/what-we-did.ts'
import { BUSINESS } from '../texts/business.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { WhatWeDidSection } from './what-we-did.tsx'

const { facts, handle } = BUSINESS

const HANDLE: FormSpec = {
  path: '/settings/business/handle',
  action: 'merchant.handle',
  fields: [{ name: 'handle', label: handle.label, hint: handle.hint, most: 30, refused: /handle/ }],
  submit: handle.submit,
}

/** Shows what the gateway knows of the business, and what our staff did about it. */
async function showBusiness(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { merchant, app, caller } = visit
  const { amountMax } = app.config
  const acts = await whatWeDid(app, caller, merchant)
  return shownPage(
    BUSINESS.title,
    <>
      <h1>{BUSINESS.title}</h1>
      <Section title={BUSINESS.about}>
        <Facts
          facts={[
            [facts.name, <Said text={merchant.name} />],
            [facts.handle, `${merchant.handle} (${facts.handleSays})`],
            [facts.email, <Said text={merchant.email} />],
            [facts.id, <code>{merchant.publicId}</code>],
            [facts.verification, <Status word={merchant.kycStatus} />],
            [facts.active, merchant.active ? facts.on : facts.off],
            [facts.settlement, merchant.instantSettlement ? facts.instant : facts.held],
            [facts.vending, merchant.vendingEnabled ? facts.on : facts.off],
            [facts.chargeLimit, <Money amount={merchant.chargeLimit ?? amountMax} />],
            [facts.payoutLimit, <Money amount={merchant.payoutLimit ?? amountMax} />],
            [facts.created, <Time at={merchant.createdAt} day />],
          ]}
        />
        <p class="hint">{BUSINESS.change}</p>
        <FormBox of={HANDLE} visit={visit} state={state} />
      </Section>
      <WhatWeDidSection visit={visit} acts={acts} />
    </>,
    { status: state?.status ?? 200 },
  )
}

export const BUSINESS_ROUTES: readonly DashboardRoute[] = [
  page('/settings/business', (visit) => showBusiness(visit)),
  form(HANDLE, {
    async submit({ gateway, caller, to }, values) {
      const newHandle = await changeHandle(gateway, caller, values.handle ?? '')
      return doneTo(to('/settings/business'), handle.done(newHandle))
    },
    again: showBusiness,
  }),
]
