import { at } from '../../actors/actor.ts'
import { readAuditOf } from '../../actors/read-audit.ts'
import type { App } from '../../app.ts'
import { listCharges } from '../../charges/find-charges.ts'
import { openExceptions } from '../../exceptions/resolve-exception.ts'
import { readListWindow } from '../../http/lists.ts'
import { findHead } from '../../ledger/heads.ts'
import type { Merchant } from '../../merchants/merchant.ts'
import { listNotes } from '../../merchants/operator-notes.ts'
import { getMerchant } from '../../merchants/set-merchant.ts'
import { openView } from '../../merchants/support-views.ts'
import type { FormState } from '../../pages/form-spec.ts'
import { Section } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { listPayouts } from '../../payouts/find-payouts.ts'
import { listMembers } from '../../people/members.ts'
import { whatWeDid } from '../../reports/what-we-did.ts'
import { listDeliveries } from '../../webhooks/find-deliveries.ts'
import { findWithdrawalNumber } from '../../withdrawals/find-withdrawals.ts'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'
import { AuditTable } from './audit-page.tsx'
import { closingSection } from './closing.tsx'
import { Acts, Look } from './merchant-acts.tsx'
import { State } from './merchant-list.tsx'
import { Exceptions, Latest, MerchantFacts, Money, Notes, Numbers, People } from './merchant-parts.tsx'

const LATEST = '5'
const AUDIT_SHOWN = 8

/** Reads everything that the page of a merchant shows, in parallel. */
async function readAll(visit: ConsoleVisit, app: App, merchant: Merchant) {
  const { gateway, caller, signedIn } = visit
  const { id: merchantId, tag } = merchant
  const live = at(caller, { merchantId, tag, cell: app.cell, mode: 'live' })
  const window = readListWindow({ limit: LATEST })
  const filter = { ...window, status: null, reference: null, phone: null, email: null }
  const failed = { ...readListWindow({ limit: '1' }), status: 'failed', event: null }
  const [heads, people, number, charges, payouts, deliveries, exceptions, notes, did, audit, looks] =
    await Promise.all([
      Promise.all((['live', 'test'] as const).map((mode) => findHead(app, { merchantId, mode }))),
      listMembers(gateway, merchantId),
      findWithdrawalNumber(app, live),
      listCharges(app, live, filter),
      listPayouts(app, live, filter),
      listDeliveries(app, live, failed),
      openExceptions(app, merchantId),
      listNotes(gateway, merchantId),
      whatWeDid(app, live, merchant),
      readAuditOf(app, caller, {
        merchantId,
        filter: { of: 'acts', action: null, actor: null, older: null, newer: null },
      }),
      openView(gateway, { sessionId: signedIn.sessionId, merchantId }),
    ])
  const failure = deliveries.data[0] ?? null
  return { heads, people, number, charges, payouts, failure, exceptions, notes, did, audit, looks }
}

/** The data that the parts of a merchant's page show. */
export type MerchantRead = Awaited<ReturnType<typeof readAll>> & { app: App; merchant: Merchant }

/** Shows one merchant: its facts, balances, people, latest payments and notes, and the forms that staff may send. */
export async function showMerchant(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
  const merchantData: MerchantRead = { ...(await readAll(visit, app, merchant)), app, merchant }
  const name = shown(merchant.name)
  return shownPage(
    name,
    <>
      <div class="top">
        <h1>{name}</h1>
        <State
          active={merchant.active}
          account={merchant.account}
          frozen={merchantData.did.frozen !== null}
        />
      </div>
      <MerchantFacts visit={visit} merchantData={merchantData} />
      {await closingSection(merchantData)}
      <Money merchantData={merchantData} />
      <Acts visit={visit} merchantData={merchantData} state={state} />
      <Look visit={visit} merchantData={merchantData} state={state} />
      <Notes visit={visit} merchantData={merchantData} state={state} />
      <Exceptions visit={visit} merchantData={merchantData} />
      <Numbers merchantData={merchantData} />
      <People merchantData={merchantData} />
      <Latest visit={visit} merchantData={merchantData} />
      <Section
        title={MERCHANTS.audit.title}
        aside={<a href={visit.to(`/merchants/${merchant.publicId}/audit`)}>{MERCHANTS.audit.all}</a>}
      >
        <AuditTable entries={merchantData.audit.entries.slice(0, AUDIT_SHOWN)} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
