import { MAX_PER_MINUTE, RATE_NAMES, type RateName } from '../../../api/rate-limits/rates.ts'
import type { Merchant } from '../../../merchants/account/merchant.ts'
import { freezeAccount } from '../../../merchants/account/payout-freeze.ts'
import { getMerchant, type MerchantChange, setMerchant } from '../../../merchants/account/set-merchant.ts'
import { addStaffNote } from '../../../merchants/account/staff-notes.ts'
import { beginSupportView } from '../../../merchants/account/support-views.ts'
import { askReopen } from '../../../operations/approvals/reopen-account.ts'
import { closeAccount, keepAccountOpen } from '../../../operations/closing/close-account.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { FieldFault, type FormSpec, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { showMerchantAudit } from './merchant-audit-page.tsx'
import {
  ACTIVATE_MERCHANT_FORM,
  CLOSE_ACCOUNT_FORM,
  DEACTIVATE_MERCHANT_FORM,
  FREEZE_MERCHANT_FORM,
  INSTANT_OFF_FORM,
  INSTANT_ON_FORM,
  KEEP_ACCOUNT_FORM,
  MERCHANT_LIMITS_FORM,
  MERCHANT_NOTE_FORM,
  MERCHANT_RATES_FORM,
  REOPEN_ACCOUNT_FORM,
  VENDING_OFF_FORM,
  VENDING_ON_FORM,
  VIEW_AS_FORM,
} from './merchant-forms.ts'
import { showMerchants } from './merchant-list.tsx'
import { showMerchant } from './merchant-page.tsx'

const { acts } = MERCHANTS
const HOUR_MS = 3_600_000

type MerchantAct = (
  visit: ConsoleVisit,
  routed: { app: App; merchant: Merchant },
  values: FormValues,
) => Promise<string | undefined>

/** Makes a form of a merchant's page. `act` performs it and returns the text that the page then shows. */
const merchantForm = (spec: FormSpec, act: MerchantAct): ConsoleRoute =>
  formRoute(spec, {
    async submit(visit, values) {
      const routed = await getMerchant(visit.gateway, visit.params.id)
      const doneText = await act(visit, routed, values)
      return redirectDone(visit.to(`/merchants/${routed.merchant.publicId}`), doneText)
    },
    showRefused: showMerchant,
  })

const merchantChangeForm = (
  spec: FormSpec,
  doneText: string,
  parseChange: (values: FormValues) => MerchantChange,
): ConsoleRoute =>
  merchantForm(spec, async ({ caller }, { app, merchant }, values) => {
    await setMerchant(app, caller, { merchant, change: parseChange(values) })
    return doneText
  })

/** Parses a limit in whole UGX. Null for an empty field: then the usual limit applies. */
function parseLimit(values: FormValues, name: string): number | null {
  if ((values[name] ?? '') === '') return null
  const amount = getAmount(values, name)
  if (amount === 0) throw new FieldFault(name, acts.limitHint)
  return amount
}

/** Parses a rate per minute. Null for an empty field: then the rate of the settings applies. */
function parseRate(values: FormValues, name: RateName): number | null {
  if ((values[name] ?? '') === '') return null
  const rate = Number(values[name])
  if (rate < 1 || rate > MAX_PER_MINUTE) throw new FieldFault(name, acts.rateHint)
  return rate
}

export const MERCHANT_ROUTES: readonly ConsoleRoute[] = [
  pageRoute('/merchants', showMerchants, 'console.read'),
  pageRoute('/merchants/:id', showMerchant, 'console.read'),
  pageRoute('/merchants/:id/audit', showMerchantAudit, 'console.read'),
  merchantChangeForm(ACTIVATE_MERCHANT_FORM, acts.activated, () => ({ active: true })),
  merchantChangeForm(DEACTIVATE_MERCHANT_FORM, acts.deactivated, ({ says = '' }) => ({
    active: false,
    inactiveFor: says,
  })),
  merchantChangeForm(MERCHANT_LIMITS_FORM, acts.limitsSet, (values) => ({
    chargeLimit: parseLimit(values, 'charge_limit'),
    payoutLimit: parseLimit(values, 'payout_limit'),
  })),
  merchantChangeForm(MERCHANT_RATES_FORM, acts.ratesSet, (values) => ({
    rateLimits: Object.fromEntries(RATE_NAMES.map((name) => [name, parseRate(values, name)])),
  })),
  merchantChangeForm(INSTANT_ON_FORM, acts.done, () => ({ instantSettlement: true })),
  merchantChangeForm(INSTANT_OFF_FORM, acts.done, () => ({ instantSettlement: false })),
  merchantChangeForm(VENDING_ON_FORM, acts.done, () => ({ vendingEnabled: true })),
  merchantChangeForm(VENDING_OFF_FORM, acts.done, () => ({ vendingEnabled: false })),
  merchantForm(
    FREEZE_MERCHANT_FORM,
    async ({ caller, now }, { app, merchant }, { reason = '', says = '', hours = '' }) => {
      const until = hours === '' ? null : addMs(now, Number(hours) * HOUR_MS)
      await freezeAccount(app, caller, {
        ...{ merchantId: merchant.id, reason, until },
        says: says === '' ? null : says,
      })
      return acts.frozen
    },
  ),
  merchantForm(CLOSE_ACCOUNT_FORM, async ({ caller }, { app, merchant }, { says = '' }) => {
    await closeAccount(app, caller, { merchant, says })
    return acts.closed
  }),
  merchantForm(KEEP_ACCOUNT_FORM, async ({ caller }, { app, merchant }) => {
    await keepAccountOpen(app, caller, merchant)
    return acts.kept
  }),
  merchantForm(REOPEN_ACCOUNT_FORM, async ({ caller }, { app, merchant }, { reason = '' }) => {
    await askReopen(app, caller, { merchant, reason })
    return acts.reopenAsked
  }),
  merchantForm(MERCHANT_NOTE_FORM, async ({ gateway, caller }, { merchant }, { note = '' }) => {
    await addStaffNote(gateway, caller, { merchant, says: note })
    return MERCHANTS.notes.added
  }),
  formRoute(VIEW_AS_FORM, {
    async submit(visit, { reason = '' }) {
      const { merchant } = await getMerchant(visit.gateway, visit.params.id)
      await beginSupportView(visit.gateway, visit.caller, { merchant, reason })
      return redirectDone(visit.to(`/as/${merchant.publicId}`))
    },
    showRefused: showMerchant,
  }),
]
