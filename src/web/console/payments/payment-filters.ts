import {
  type PaymentFilter,
  type PaymentState,
  STATES,
} from '../../../operations/investigation/search/listed-payment.ts'
import { AMBIGUOUS_REASON } from '../../../payments/payouts/payout.ts'
import { badRequest } from '../../../platform/refusal.ts'
import { CHANNELS, PAYOUT_FAILURES } from '../../../rails/rail.ts'
import { parseMinutes } from '../../parts/days.ts'
import type { ListFilter } from '../../parts/table.tsx'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'

const { filters: words } = PAYMENTS.list
const STATE_NAMES = Object.keys(STATES) as PaymentState[] // Typed by its keys.
const REASONS: readonly string[] = [...PAYOUT_FAILURES, AMBIGUOUS_REASON]
const AMOUNT_PATTERN = /^([0-9]{1,13})(?:-([0-9]{1,13}))?$/

/** The filters of the list of payments. Their names are those in the query. */
export const PAYMENT_FILTERS: readonly ListFilter[] = [
  { name: 'q', label: words.q, hint: words.partHint },
  {
    ...{ name: 'state', label: words.state, kind: 'select' },
    choices: STATE_NAMES.map((value) => ({ value, label: words.states[value] })),
  },
  {
    ...{ name: 'reason', label: words.reason, kind: 'select' },
    choices: REASONS.map((value) => ({ value, label: PAYMENTS.list.reasonOf(value) })),
  },
  { name: 'amount', label: words.amount, hint: words.amountHint },
  { name: 'merchant', label: words.merchant, hint: words.merchantHint },
  {
    ...{ name: 'channel', label: words.channel, kind: 'select' },
    choices: CHANNELS.map((value) => ({ value, label: value })),
  },
  { name: 'from', label: words.from, kind: 'moment' },
  { name: 'until', label: words.until, kind: 'moment' },
]

/** Parses the filters from the query. Throws 400 for a value that no filter has. */
export function parsePaymentFilter(query: ConsoleVisit['query'], merchantId: number | null): PaymentFilter {
  const { from, until } = parseMinutes(query)
  const { reason = null, channel = null, state } = query
  const [least, most] = parseAmounts(query.amount)
  return {
    text: query.q ?? null,
    state: parseChoice('state', STATE_NAMES, state ?? null),
    reason: parseChoice('reason', REASONS, reason),
    channel: parseChoice('channel', CHANNELS, channel),
    ...{ merchantId, least, most, from: from ?? null, until: until ?? null },
  }
}

function parseChoice<const T extends string>(name: string, known: readonly T[], value: string | null): T | null {
  if (value === null) return null
  const match = known.find((choice) => choice === value)
  if (match === undefined) throw badRequest(`${name} must be one of those on the page`)
  return match
}

/** Parses `12500` or `10000-20000` (whole UGX), with the commas and blanks that people write. */
function parseAmounts(text: string | undefined): [least: number | null, most: number | null] {
  if (text === undefined) return [null, null]
  const [, least, most] = AMOUNT_PATTERN.exec(text.replace(/[, ]/g, '').replace('–', '-')) ?? []
  if (least === undefined) throw badRequest('amount must be whole shillings, such as 12500 or 10000-20000')
  return [Number(least), Number(most ?? least)]
}
