import { RATE_NAMES } from '../../../api/rate-limits/rates.ts'
import type { FormField, FormSpec } from '../../parts/forms/form-spec.ts'
import { PARTS } from '../../parts/texts.ts'
import { MERCHANTS } from '../texts/merchants.ts'

const { acts, notes, look } = MERCHANTS
const merchantPath = (act: string) => `/merchants/:id/${act}`

export const ACTIVATE_MERCHANT_FORM: FormSpec = {
  path: merchantPath('activate'),
  action: 'merchant.set',
  fields: [],
  submit: acts.activate,
}
export const DEACTIVATE_MERCHANT_FORM: FormSpec = {
  path: merchantPath('deactivate'),
  action: 'merchant.set',
  fields: [{ name: 'says', label: acts.told, maxLength: 500 }],
  submit: acts.deactivate,
  danger: true,
}
export const MERCHANT_LIMITS_FORM: FormSpec = {
  path: merchantPath('limits'),
  action: 'merchant.terms',
  fields: [
    {
      name: 'charge_limit',
      label: acts.chargeLimit,
      kind: 'amount',
      hint: acts.limitHint,
      optional: true,
    },
    {
      name: 'payout_limit',
      label: acts.payoutLimit,
      kind: 'amount',
      hint: acts.limitHint,
      optional: true,
    },
  ],
  submit: acts.limits,
}
export const MERCHANT_RATES_FORM: FormSpec = {
  path: merchantPath('rates'),
  action: 'merchant.terms',
  fields: RATE_NAMES.map(
    (name): FormField => ({
      name,
      label: PARTS.rates.names[name],
      kind: 'number',
      maxLength: 7,
      optional: true,
    }),
  ),
  submit: acts.rates,
}
export const INSTANT_ON_FORM: FormSpec = {
  path: merchantPath('instant/on'),
  action: 'merchant.terms',
  fields: [],
  submit: acts.instantOn,
}
export const INSTANT_OFF_FORM: FormSpec = {
  ...INSTANT_ON_FORM,
  path: merchantPath('instant/off'),
  submit: acts.instantOff,
}
export const VENDING_ON_FORM: FormSpec = {
  path: merchantPath('vending/on'),
  action: 'merchant.vending',
  fields: [],
  submit: acts.vendingOn,
}
export const VENDING_OFF_FORM: FormSpec = {
  ...VENDING_ON_FORM,
  path: merchantPath('vending/off'),
  submit: acts.vendingOff,
}
export const FREEZE_MERCHANT_FORM: FormSpec = {
  path: merchantPath('freeze'),
  action: 'payouts.freeze',
  fields: [
    { name: 'reason', label: acts.reason, maxLength: 500 },
    { name: 'says', label: acts.says, maxLength: 500, optional: true },
    {
      name: 'hours',
      label: acts.hours,
      kind: 'number',
      maxLength: 4,
      hint: acts.hoursHint,
      optional: true,
      about: ['until'],
    },
  ],
  submit: acts.freeze,
  danger: true,
}
export const CLOSE_ACCOUNT_FORM: FormSpec = {
  path: merchantPath('close'),
  action: 'merchant.close',
  fields: [{ name: 'says', label: acts.told, maxLength: 500 }],
  submit: acts.close,
  danger: true,
}
export const KEEP_ACCOUNT_FORM: FormSpec = {
  path: merchantPath('keep'),
  action: 'merchant.close',
  fields: [],
  submit: acts.keep,
}
export const REOPEN_ACCOUNT_FORM: FormSpec = {
  path: merchantPath('reopen'),
  action: 'merchant.reopen',
  fields: [{ name: 'reason', label: acts.reason, maxLength: 500 }],
  submit: acts.reopen,
}
export const MERCHANT_NOTE_FORM: FormSpec = {
  path: merchantPath('notes'),
  action: 'merchant.note',
  fields: [{ name: 'note', label: notes.says, kind: 'lines', maxLength: 2000 }],
  submit: notes.add,
  once: true,
}
export const VIEW_AS_FORM: FormSpec = {
  path: merchantPath('look'),
  action: 'merchant.view-as',
  fields: [{ name: 'reason', label: look.reason, maxLength: 500 }],
  submit: look.begin,
}
