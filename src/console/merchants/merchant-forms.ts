import type { FormSpec } from '../../pages/form-spec.ts'
import { PARTS } from '../../pages/texts.ts'
import { RATE_NAMES } from '../../rate-limits/rates.ts'
import { MERCHANTS } from '../texts/merchants.ts'

const { acts, notes, look } = MERCHANTS
const at = (act: string) => `/merchants/:id/${act}`

export const ACTIVATE: FormSpec = {
  path: at('activate'),
  action: 'merchant.set',
  fields: [],
  submit: acts.activate,
}
export const DEACTIVATE: FormSpec = {
  path: at('deactivate'),
  action: 'merchant.set',
  fields: [{ name: 'says', label: acts.told, most: 500 }],
  submit: acts.deactivate,
  danger: true,
}
export const LIMITS: FormSpec = {
  path: at('limits'),
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
export const RATES: FormSpec = {
  path: at('rates'),
  action: 'merchant.terms',
  fields: RATE_NAMES.map((name) => ({
    name,
    label: PARTS.rates.names[name],
    kind: 'number',
    most: 7,
    optional: true,
  })),
  submit: acts.rates,
}
export const INSTANT_ON: FormSpec = {
  path: at('instant/on'),
  action: 'merchant.terms',
  fields: [],
  submit: acts.instantOn,
}
export const INSTANT_OFF: FormSpec = { ...INSTANT_ON, path: at('instant/off'), submit: acts.instantOff }
export const VENDING_ON: FormSpec = {
  path: at('vending/on'),
  action: 'merchant.vending',
  fields: [],
  submit: acts.vendingOn,
}
export const VENDING_OFF: FormSpec = { ...VENDING_ON, path: at('vending/off'), submit: acts.vendingOff }
export const FREEZE: FormSpec = {
  path: at('freeze'),
  action: 'payouts.freeze',
  fields: [
    { name: 'reason', label: acts.reason, most: 500 },
    { name: 'says', label: acts.says, most: 500, optional: true },
    {
      name: 'hours',
      label: acts.hours,
      kind: 'number',
      most: 4,
      hint: acts.hoursHint,
      optional: true,
      refused: /until/,
    },
  ],
  submit: acts.freeze,
  danger: true,
}
export const CLOSE: FormSpec = {
  path: at('close'),
  action: 'merchant.close',
  fields: [{ name: 'says', label: acts.told, most: 500 }],
  submit: acts.close,
  danger: true,
}
export const KEEP: FormSpec = {
  path: at('keep'),
  action: 'merchant.close',
  fields: [],
  submit: acts.keep,
}
export const REOPEN: FormSpec = {
  path: at('reopen'),
  action: 'merchant.reopen',
  fields: [{ name: 'reason', label: acts.reason, most: 500 }],
  submit: acts.reopen,
}
export const NOTE: FormSpec = {
  path: at('notes'),
  action: 'merchant.note',
  fields: [{ name: 'note', label: notes.says, kind: 'lines', most: 2000 }],
  submit: notes.add,
  once: true,
}
export const LOOK: FormSpec = {
  path: at('look'),
  action: 'merchant.view-as',
  fields: [{ name: 'reason', label: look.reason, most: 500 }],
  submit: look.begin,
}
