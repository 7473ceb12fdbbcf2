import { Facts, Money, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { whatWeDid } from '../../reports/what-we-did.ts'
import { BUSINESS } from '../texts/business.ts'
import { type DashboardRoute, type DashboardVisit, page } from '../visit.ts'
import { WhatWeDidSection } from './what-we-did.tsx'

const { facts } = BUSINESS

/** What the gateway knows of the business. */
async function showBusiness(visit: DashboardVisit): Promise<Shown> {
  const { merchant, app, caller } = visit
  const { amountMax } = app.config
  const did = await whatWeDid(app, caller, merchant)
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
      </Section>
      <WhatWeDidSection visit={visit} did={did} />
    </>,
  )
}

export const BUSINESS_ROUTES: readonly DashboardRoute[] = [page('/settings/business', showBusiness)]
