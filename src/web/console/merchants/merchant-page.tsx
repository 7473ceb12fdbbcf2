import { actingFor } from '../../../api/access/actor.ts'
import { readAuditAsStaff } from '../../../api/access/read-audit.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { getLedgerHead } from '../../../ledger/get-ledger-head.ts'
import type { Merchant } from '../../../merchants/account/merchant.ts'
import { getMerchant } from '../../../merchants/account/set-merchant.ts'
import { listStaffNotes } from '../../../merchants/account/staff-notes.ts'
import { findSupportViewEnd } from '../../../merchants/account/support-views.ts'
import { listMembers } from '../../../merchants/people/members.ts'
import { listDeliveries } from '../../../merchants/webhooks/find-deliveries.ts'
import { listCasesBeside } from '../../../operations/cases/read-cases.ts'
import {
  type ClosingBlocker,
  listClosingBlockers,
  readRemainder,
} from '../../../operations/closing/account-remainder.ts'
import { NO_CHARGE_FILTERS } from '../../../payments/charges/charge-filters.ts'
import { listCharges } from '../../../payments/charges/find-charges.ts'
import { readOpenExceptions } from '../../../payments/exceptions/resolve-exception.ts'
import { listPayouts } from '../../../payments/payouts/find-payouts.ts'
import { NO_PAYOUT_FILTERS } from '../../../payments/payouts/payout-filters.ts'
import { findWithdrawalNumber } from '../../../payments/withdrawals/find-withdrawals.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { App } from '../../../program/app.ts'
import { readStaffActs } from '../../../reports/staff-acts.ts'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { OutsideText, Section, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { CasesBeside } from '../cases/case-parts.tsx'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'
import { MerchantActs, ViewAsSection } from './merchant-acts.tsx'
import { AuditTable } from './merchant-audit-page.tsx'
import { MerchantState } from './merchant-list.tsx'
import {
  LatestPayments,
  MerchantBalances,
  MerchantExceptions,
  MerchantFacts,
  MerchantNotes,
  MerchantPeople,
  WithdrawalNumberSection,
} from './merchant-parts.tsx'

const { closing } = MERCHANTS.acts
const LATEST_ROWS = '5'
const AUDIT_ROWS_SHOWN = 8

/** Reads everything that the page of a merchant shows, in parallel. */
async function readMerchantPage(visit: ConsoleVisit, app: App, merchant: Merchant) {
  const { gateway, caller, signedIn } = visit
  const { id: merchantId, tag } = merchant
  const live = actingFor(caller, { merchantId, tag, cell: app.cell, mode: 'live' })
  const window = parseListWindow({ limit: LATEST_ROWS })
  const failed = { ...parseListWindow({ limit: '1' }), status: 'failed', event: null }
  const [heads, people, number, charges, payouts, deliveries, exceptions, notes, did, audit, looks, cases] =
    await Promise.all([
      Promise.all((['live', 'test'] as const).map((mode) => getLedgerHead(app, { merchantId, mode }))),
      listMembers(gateway, merchantId),
      findWithdrawalNumber(app, live),
      listCharges(app, live, { ...window, ...NO_CHARGE_FILTERS }),
      listPayouts(app, live, { ...window, ...NO_PAYOUT_FILTERS }),
      listDeliveries(app, live, failed),
      readOpenExceptions(app, merchantId),
      listStaffNotes(gateway, merchantId),
      readStaffActs(app, live, merchant),
      readAuditAsStaff(app, caller, {
        merchantId,
        filter: { part: 'acts', action: null, actor: null, older: null, newer: null },
      }),
      findSupportViewEnd(gateway, { sessionId: signedIn.sessionId, merchantId }),
      listCasesBeside(app, merchantId),
    ])
  const failure = deliveries.data[0] ?? null
  return { heads, people, number, charges, payouts, failure, exceptions, notes, did, audit, looks, cases }
}

/** The data that the parts of a merchant's page show. */
export type MerchantPageData = Awaited<ReturnType<typeof readMerchantPage>> & { app: App; merchant: Merchant }

/** Shows one merchant: its facts, balances, people, latest payments and notes, and the forms that staff may send. */
export async function showMerchant(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
  const merchantData: MerchantPageData = { ...(await readMerchantPage(visit, app, merchant)), app, merchant }
  const name = oneLine(merchant.name)
  return pageReply(
    name,
    <>
      <div class="top">
        <h1>{name}</h1>
        <MerchantState active={merchant.active} account={merchant.account} frozen={merchantData.did.frozen !== null} />
      </div>
      <MerchantFacts visit={visit} merchantData={merchantData} />
      {await renderClosing(merchantData)}
      <MerchantBalances merchantData={merchantData} />
      <MerchantActs visit={visit} merchantData={merchantData} state={state} />
      <ViewAsSection visit={visit} merchantData={merchantData} state={state} />
      <CasesBeside visit={visit} cases={merchantData.cases} />
      <MerchantNotes visit={visit} merchantData={merchantData} state={state} />
      <MerchantExceptions visit={visit} merchantData={merchantData} />
      <WithdrawalNumberSection merchantData={merchantData} />
      <MerchantPeople merchantData={merchantData} />
      <LatestPayments visit={visit} merchantData={merchantData} />
      <Section
        title={MERCHANTS.audit.title}
        aside={<a href={visit.to(`/merchants/${merchant.publicId}/audit`)}>{MERCHANTS.audit.all}</a>}
      >
        <AuditTable entries={merchantData.audit.entries.slice(0, AUDIT_ROWS_SHOWN)} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Shows who closes an account, since when, and what it still waits for; null for an account that is not closing. */
async function renderClosing({ app, merchant }: Pick<MerchantPageData, 'app' | 'merchant'>) {
  if (merchant.account !== 'closing') return null
  const waits: readonly ClosingBlocker[] = listClosingBlockers(app, merchant, await readRemainder(app, merchant))
  return (
    <Section title={closing.title}>
      <p>
        {merchant.closingBy === 'owner' ? closing.byOwner : closing.byUs}{' '}
        {merchant.closingAt !== null && <Time at={merchant.closingAt} />}{' '}
        {merchant.inactiveFor !== null && <OutsideText text={merchant.inactiveFor} />}
      </p>
      {waits.length > 0 && (
        <p>
          {closing.waits} {waits.map((wait) => closing.on[wait]).join(', ')}
        </p>
      )}
    </Section>
  )
}
