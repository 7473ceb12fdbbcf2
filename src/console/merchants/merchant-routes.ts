import type { App } from '../../app.ts'
import { askReopen } from '../../approvals/reopen.ts'
import { closeAccount, keepAccount } from '../../closing/close-account.ts'
import type { Merchant } from '../../merchants/merchant.ts'
import { addNote } from '../../merchants/operator-notes.ts'
import { freezeAccount } from '../../merchants/payout-freeze.ts'
import { getMerchant, type MerchantChange, setMerchant } from '../../merchants/set-merchant.ts'
import { beginView } from '../../merchants/support-views.ts'
import { amountOf, FieldFault, type FormSpec, type Values } from '../../pages/form-spec.ts'
import { doneTo } from '../../pages/shown.ts'
import { later } from '../../platform/clock.ts'
import { MOST_A_MINUTE, RATE_NAMES, type RateName } from '../../rate-limits/rates.ts'
import { MERCHANTS } from '../texts/merchants.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'
import { showMerchantAudit } from './audit-page.tsx'
import {
  ACTIVATE,
  CLOSE,
  DEACTIVATE,
  FREEZE,
  INSTANT_OFF,
  INSTANT_ON,
  KEEP,
  LIMITS,
  LOOK,
  NOTE,
  RATES,
  REOPEN,
  VENDING_OFF,
  VENDING_ON,
} from './merchant-forms.ts'
import { showMerchants } from './merchant-list.tsx'
import { showMerchant } from './merchant-page.tsx'

const { acts } = MERCHANTS
const HOUR_MS = 3_600_000

type Act = (
  visit: ConsoleVisit,
  routed: { app: App; merchant: Merchant },
  values: Values,
) => Promise<string | undefined>

/** Makes a form of a merchant's page. `act` performs it and returns the text that the page then shows. */
const actForm = (spec: FormSpec, act: Act): ConsoleRoute =>
  form(spec, {
    async submit(visit, values) {
      const routed = await getMerchant(visit.gateway, visit.params.id)
      const doneText = await act(visit, routed, values)
      return doneTo(visit.to(`/merchants/${routed.merchant.publicId}`), doneText)
    },
    again: showMerchant,
  })

const changing = (
  spec: FormSpec,
  doneText: string,
  parseChange: (values: Values) => MerchantChange,
): ConsoleRoute =>
  actForm(spec, async ({ caller }, { app, merchant }, values) => {
    await setMerchant(app, caller, { merchant, change: parseChange(values) })
    return doneText
  })

/** Parses a limit in whole UGX. Null for an empty field: then the usual limit applies. */
function limitIn(values: Values, name: string): number | null {
  if ((values[name] ?? '') === '') return null
  const amount = amountOf(values, name)
  if (amount === 0) throw new FieldFault(name, acts.limitHint)
  return amount
}

/** Parses a rate per minute. Null for an empty field: then the rate of the settings applies. */
function rateIn(values: Values, name: RateName): number | null {
  if ((values[name] ?? '') === '') return null
  const rate = Number(values[name])
  if (rate < 1 || rate > MOST_A_MINUTE) throw new FieldFault(name, acts.rateHint)
  return rate
}

export const MERCHANT_ROUTES: readonly ConsoleRoute[] = [
  page('/merchants', showMerchants),
  page('/merchants/:id', (visit) => showMerchant(visit)),
  page('/merchants/:id/audit', showMerchantAudit),
  changing(ACTIVATE, acts.activated, () => ({ active: true })),
  changing(DEACTIVATE, acts.deactivated, ({ says = '' }) => ({ active: false, inactiveFor: says })),
  changing(LIMITS, acts.limitsSet, (values) => ({
    chargeLimit: limitIn(values, 'charge_limit'),
    payoutLimit: limitIn(values, 'payout_limit'),
  })),
  changing(RATES, acts.ratesSet, (values) => ({
    rateLimits: Object.fromEntries(RATE_NAMES.map((name) => [name, rateIn(values, name)])),
  })),
  changing(INSTANT_ON, acts.done, () => ({ instantSettlement: true })),
  changing(INSTANT_OFF, acts.done, () => ({ instantSettlement: false })),
  changing(VENDING_ON, acts.done, () => ({ vendingEnabled: true })),
  changing(VENDING_OFF, acts.done, () => ({ vendingEnabled: false })),
  actForm(FREEZE, async ({ caller, now }, { app, merchant }, { reason = '', says = '', hours = '' }) => {
    const until = hours === '' ? null : later(now, Number(hours) * HOUR_MS)
    await freezeAccount(app, caller, {
      ...{ merchantId: merchant.id, reason, until },
      says: says === '' ? null : says,
    })
    return acts.frozen
  }),
  actForm(CLOSE, async ({ caller }, { app, merchant }, { says = '' }) => {
    await closeAccount(app, caller, { merchant, says })
    return acts.closed
  }),
  actForm(KEEP, async ({ caller }, { app, merchant }) => {
    await keepAccount(app, caller, merchant)
    return acts.kept
  }),
  actForm(REOPEN, async ({ caller }, { app, merchant }, { reason = '' }) => {
    await askReopen(app, caller, { merchant, reason })
    return acts.reopenAsked
  }),
  actForm(NOTE, async ({ gateway, caller }, { merchant }, { note = '' }) => {
    await addNote(gateway, caller, { merchant, says: note })
    return MERCHANTS.notes.added
  }),
  form(LOOK, {
    async submit(visit, { reason = '' }) {
      const { merchant } = await getMerchant(visit.gateway, visit.params.id)
      await beginView(visit.gateway, visit.caller, { merchant, reason })
      return doneTo(visit.to(`/as/${merchant.publicId}`))
    },
    again: showMerchant,
  }),
]
