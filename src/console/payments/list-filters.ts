import type { PaymentFilter, PaymentState } from '../../investigation/search/listed-payment.ts'
import { STATES } from '../../investigation/search/listed-payment.ts'
import { readMinutes } from '../../pages/days.ts'
import type { Filter } from '../../pages/table.tsx'
import { AMBIGUOUS } from '../../payouts/payout.ts'
import { badRequest } from '../../platform/refusal.ts'
import { CHANNELS, PAYOUT_FAILURES } from '../../rails/rail.ts'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'

const { filters: words } = PAYMENTS.list
const STATE_NAMES = Object.keys(STATES) as PaymentState[] // Typed by its keys.
const REASONS: readonly string[] = [...PAYOUT_FAILURES, AMBIGUOUS]
const AMOUNT = /^([0-9]{1,13})(?:-([0-9]{1,13}))?$/

/** The filters of the list of payments. Their names are those in the query. */
export const LIST_FILTERS: readonly Filter[] = [
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
export function filterOf(query: ConsoleVisit['query'], merchantId: number | null): PaymentFilter {
  const { from, until } = readMinutes(query)
  const { reason = null, channel = null, state } = query
  const [least, most] = amountsOf(query.amount)
  return {
    text: query.q ?? null,
    state: oneOf('state', STATE_NAMES, state ?? null),
    reason: oneOf('reason', REASONS, reason),
    channel: oneOf('channel', CHANNELS, channel),
    ...{ merchantId, least, most, from: from ?? null, until: until ?? null },
  }
}

function oneOf<const T extends string>(name: string, known: readonly T[], value: string | null): T | null {
  if (value === null) return null
  const match = known.find((choice) => choice === value)
  if (match === undefined) throw badRequest(`${name} must be one of those on the page`)
  return match
}

/** Parses `12500` or `10000-20000` (whole UGX), with the commas and blanks that people write. */
function amountsOf(text: string | undefined): [least: number | null, most: number | null] {
  if (text === undefined) return [null, null]
  const [, least, most] = AMOUNT.exec(text.replace(/[, ]/g, '').replace('–', '-')) ?? []
  if (least === undefined) throw badRequest('amount must be whole shillings, such as 12500 or 10000-20000')
  return [Number(least), Number(most ?? least)]
}
