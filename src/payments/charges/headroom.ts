import { lockHeads } from '../../ledger/book.ts'
import { modeColumn, numberColumn } from '../../platform/db/columns.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'
import { type MerchantMode, merchantModeKey } from '../../platform/mode.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { addSums, type ExactSum } from '../../platform/sums.ts'

type HeadroomInput = MerchantMode & { amount: number }
type BalanceTotal = MerchantMode & { total: ExactSum }

// Kept free for credits that are not counted beforehand: fees that refunds bring back, and ordinary charges that are stored
// at the same time.
const UNCOUNTED_RESERVE = 10 ** 14
const MAX_COUNTED_BALANCE = Number.MAX_SAFE_INTEGER - UNCOUNTED_RESERVE
// While the balance is below the first and the charge below the second of these, nothing needs to be counted: it would take eight
// million open charges of the largest ordinary amount to fill the balance.
const NEARLY_FULL = 10 ** 15
const MAX_ORDINARY_AMOUNT = 10 ** 9

const BALANCE_TOTALS = statement<BalanceTotal>(
  'totals of ledger heads',
  `select h.merchant_id as "merchantId", h.mode, h.available + h.pending + h.in_flight as total from ledger_heads h
   where (h.merchant_id, h.mode) in (select * from unnest($1::bigint[], $2::mode[]))`,
)

const NONE_NEARLY_FULL = statement(
  'no ledger head is nearly full',
  `select 1 / (count(*) = 0)::int as guarded from ledger_heads h
   where (h.merchant_id, h.mode) in (select * from unnest($1::bigint[], $2::mode[]))
     and h.available + h.pending + h.in_flight >= ${NEARLY_FULL}`,
)

const OPEN_TOTALS = statement<BalanceTotal>(
  'totals of open charges and top-ups',
  `select n.merchant_id as "merchantId", n.mode, (coalesce((select sum(c.amount - c.gift_card_amount) from charges c
     where c.merchant_id = n.merchant_id and c.mode = n.mode and c.status in ('pending', 'authorized')
       and c.follow_at is not null), 0) + coalesce((select sum(t.amount) from top_ups t
     where t.merchant_id = n.merchant_id and n.mode = 'live' and t.status in ('pending', 'authorized')
       and t.voided_at is null), 0))::bigint as total
   from unnest($1::bigint[], $2::mode[]) as n (merchant_id, mode)`,
)

/** How much more the balance of each merchant and mode can hold. */
export type Headroom = {
  /** Sets `amount` (whole UGX) aside. False, with nothing set aside, if the balance could then grow past its largest amount. */
  take(charge: HeadroomInput): boolean
}

export const UNLIMITED: Headroom = { take: () => true }

/** Whether this head is so full that its balance must be counted. */
export const isNearlyFull = ({ total }: BalanceTotal): boolean => total >= NEARLY_FULL

/** Whether one of these charges is so large that the balance must be counted first. */
export const needsCounting = (charges: readonly HeadroomInput[]): boolean => charges.some(isLarge)

/** Fails the transaction where one of these heads is so full that its balance must be counted first. */
export const guardHeadroom = (pairs: readonly MerchantMode[]): Call => callFor(NONE_NEARLY_FULL, pairs)

/** Reads the totals that these heads hold now, for `headroomFor`. */
export const balanceTotals = (pairs: readonly MerchantMode[]): Call<BalanceTotal> => callFor(BALANCE_TOTALS, pairs)

/**
 * Computes the room for new charges, so that no success can lift a balance past the largest exact number: a payment of a
 * customer must always fit. Far below that limit, the usual case, nothing more is read. Near it the head is locked, and its
 * balance and its open charges and top-ups are added up.
 */
export async function headroomFor(
  tx: Tx,
  charges: readonly HeadroomInput[],
  totals: readonly BalanceTotal[],
): Promise<Headroom> {
  const near = findNearlyFull(charges, totals)
  if (near.length === 0) return UNLIMITED
  const [heads, expected] = await tx.send(lockHeads(near), callFor(OPEN_TOTALS, near))
  const room = new Map<number, ExactSum>()
  for (const { merchantId, mode, available, pending, in_flight } of heads) {
    const open = expected.find((row) => row.merchantId === merchantId && row.mode === mode)?.total ?? 0
    room.set(
      merchantModeKey({ merchantId, mode }),
      addSums(MAX_COUNTED_BALANCE, -available, -pending, -in_flight, -open),
    )
  }
  return {
    take: (charge) => {
      const left = room.get(merchantModeKey(charge))
      if (left === undefined) return true
      if (charge.amount > left) return false
      room.set(merchantModeKey(charge), addSums(left, -charge.amount))
      return true
    },
  }
}

/** 400: what a customer has paid would not fit into the balance. */
export const balanceFull = () =>
  domainRefusal('amount_too_large', 'amount exceeds what the balance of this account can still hold', {
    field: 'amount',
  })

/** Finds the merchants and modes where the balance must be counted: the head is nearly full, or a charge is large. */
function findNearlyFull(charges: readonly HeadroomInput[], totals: readonly BalanceTotal[]): MerchantMode[] {
  const near = new Map<number, MerchantMode>()
  for (const row of totals) if (isNearlyFull(row)) near.set(merchantModeKey(row), row)
  for (const charge of charges) if (isLarge(charge)) near.set(merchantModeKey(charge), charge)
  return [...near.values()]
}

const isLarge = ({ amount }: HeadroomInput) => amount > MAX_ORDINARY_AMOUNT

const callFor = <Row>(statement: Statement<Row>, pairs: readonly MerchantMode[]): Call<Row> =>
  call(statement, numberColumn(pairs.map(({ merchantId }) => merchantId)), modeColumn(pairs.map((pair) => pair.mode)))
