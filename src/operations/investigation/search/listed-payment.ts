import { MIN_PART_LENGTH, phonePart, plain, type Searchable } from './tokens.ts'

/** A live payment as the list over all merchants shows it. Whole UGX. */
export type ListedPayment = Searchable & {
  id: string
  merchant: string
  business: string
  status: string
  channel: string
  createdAt: Date
  endedAt: Date | null
}

/** The filters of the list; null means absent. The times are of creation, both included. */
export type PaymentFilter = {
  text: string | null
  state: PaymentState | null
  reason: string | null
  channel: string | null
  merchantId: number | null
  least: number | null
  most: number | null
  from: string | null
  until: string | null
}

/** The states by which the list is filtered. `open` means pending or authorized. */
export const STATES = { open: ['pending', 'authorized'], succeeded: [], failed: [], refunded: [] } as const
export type PaymentState = keyof typeof STATES

/** The statuses of a state. */
const statusesOf = (state: PaymentState): readonly string[] => (state === 'open' ? STATES.open : [state])

/** The kinds of payments by table, with the columns that differ. */
export const PAYMENT_NOUNS = {
  charges: {
    ids: 'txn_',
    phone: 'p.phone',
    name: 'null::text',
    reference: 'p.reference',
    mode: `p.mode = 'live'`,
  },
  payouts: {
    ...{ ids: 'pout_', phone: 'p.recipient_phone', name: 'p.recipient_name', reference: 'p.reference' },
    mode: `p.mode = 'live'`,
  },
  top_ups: { ids: 'top_', phone: 'p.phone', name: 'null::text', reference: 'null::text', mode: 'true' },
} as const
export type PaymentNoun = keyof typeof PAYMENT_NOUNS
export const EACH_PAYMENT_NOUN = Object.keys(PAYMENT_NOUNS) as PaymentNoun[] // Typed by its keys.

/** The columns of a payment `p`, without its merchant's. */
export const paymentColumnsSql = (noun: PaymentNoun): string =>
  `p.id, p.merchant_id, p.amount, p.status::text as status, p.failure_reason as reason, p.channel, ${PAYMENT_NOUNS[noun].phone} as phone,
   ${PAYMENT_NOUNS[noun].name} as name, ${PAYMENT_NOUNS[noun].reference} as reference, p.rail_transaction_id as number, p.created_at, p.completed_at`

/** The columns of rows `p` with their merchants `m`, as a page shows them. */
export const SHOWN_COLUMNS = `p.id, p.merchant_id as "merchantId", m.public_id as merchant, m.name as business, p.amount, p.status, p.reason, p.channel,
  p.phone, p.name, p.reference, p.number, p.created_at as "createdAt", p.completed_at as "endedAt"`

/** The condition of a filter on rows `p`; its values are those of `filterValues`, from parameter `first` on. */
export const filterSql = (first: number): string => {
  const at = (nth: number) => `$${first + nth}`
  return `(${at(0)}::text[] is null or p.status = any(${at(0)})) and (${at(1)}::text is null or p.reason = ${at(1)})
    and (${at(2)}::text is null or p.channel = ${at(2)}) and (${at(3)}::bigint is null or p.merchant_id = ${at(3)})
    and (${at(4)}::bigint is null or p.amount >= ${at(4)}) and (${at(5)}::bigint is null or p.amount <= ${at(5)})
    and p.created_at >= ${at(6)}::timestamptz and p.created_at <= ${at(7)}::timestamptz`
}

export const filterValues = (filter: PaymentFilter): unknown[] => [
  filter.state === null ? null : statusesOf(filter.state),
  ...[filter.reason, filter.channel, filter.merchantId, filter.least, filter.most],
  ...[filter.from ?? '-infinity', filter.until ?? 'infinity'],
]

/**
 * The condition that rows `p` contain a part; its values are those of `partValues`, from parameter `first` on. All texts are one, so that
 * they are lowered and searched once; no part has a line break.
 */
export const partSql = (first: number): string =>
  `($${first}::text is null or strpos(lower(concat_ws(e'\\n', p.reference, p.name, p.number, right(p.phone, 9))), $${first}) > 0
    or strpos(right(p.phone, 9), $${first + 1}::text) > 0)`

export function partValues(text: string | null): [part: string | null, digitsOfPhone: string | null] {
  if (text === null) return [null, null]
  const digits = phonePart(text)
  return [plain(text), digits !== null && digits.length >= MIN_PART_LENGTH ? digits : null]
}

/** Whether the filter has anything but times. */
export const hasMoreFilters = ({ from: _from, until: _until, ...filter }: PaymentFilter): boolean =>
  Object.values(filter).some((value) => value !== null)
