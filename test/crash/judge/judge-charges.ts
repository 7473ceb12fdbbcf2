import type { Mode } from '../../../src/platform/mode.ts'
import type { Operator } from '../../fakes/operator.ts'
import type { Installation } from '../installation.ts'
import { answersTo, type Book } from '../journal.ts'
import { failsInSandbox, REFUSED_PHONE, UNSERVED_PHONE } from '../requests.ts'

/** A charge with its credits in the ledger and the payout that refunded it. */
export type ChargeRow = {
  id: string
  handle: string
  mode: Mode
  status: string
  /** Null on a link. */
  reference: string | null
  phone: string | null
  email: string | null
  link: string | null
  one_shot: boolean
  net: number
  /** Null where a gift card covers all. */
  rail_reference: string | null
  /** The payout that refunds it, or `GIVEN_TO_CARD` where a gift card had paid everything and was credited again. */
  refund_id: string | null
  /** It paid an order whose machine reported a jam. */
  jammed: boolean
  credits: number
  credited: number
}
export type Wrongs = { doubled: string[]; falselyFailed: string[]; wrongEnd: string[] }

export const GIVEN_TO_CARD = 'its gift card'

const CHARGES = `select c.id, m.handle, c.mode, c.status, c.reference, c.phone, c.email,
    c.payment_link_id as link, c.pays_once as one_shot, c.rail_reference,
    coalesce((select p.id from payouts p where p.merchant_id = c.merchant_id and p.charge_id = c.id and p.voided_at is null),
      (select '${GIVEN_TO_CARD}' from gift_card_uses u where u.merchant_id = c.merchant_id and u.charge_id = c.id
        and u.state = 'restored' and c.amount = c.gift_card_amount)) as refund_id,
    exists (select 1 from vending_orders o where o.merchant_id = c.merchant_id and o.id = c.payment_link_id
      and o.vending_status = 'failed' and o.confirmed) as jammed,
    (c.amount - c.gift_card_amount - c.fee)::float8 as net, count(t.subject)::int as credits,
    coalesce(sum(t.amount), 0)::float8 as credited
  from charges c join merchants m on m.id = c.merchant_id
  left join transfers t on t.merchant_id = c.merchant_id and t.subject = c.id and t.kind = 'charge_net'
  where c.voided_at is null group by c.merchant_id, c.id, m.handle`

export const chargeRows = (installation: Installation) => installation.sql<ChargeRow>(CHARGES)

export function judgeCharges(charges: ChargeRow[], book: Book, operator: Operator | undefined): Wrongs {
  return {
    doubled: doubledOnes(book, charges),
    falselyFailed: charges.filter((charge) => isFalselyFailed(charge, operator)).map(describe),
    wrongEnd: charges.filter((charge) => endsWrongly(charge, operator)).map(describe),
  }
}

const describe = (charge: ChargeRow) =>
  `${charge.reference ?? charge.link} ${charge.id} ${charge.mode} ${charge.status}`

/** Each key has exactly the charge that its answer shows, and there is no charge that nobody requested. */
function doubledOnes(book: Book, charges: ChargeRow[]): string[] {
  const acknowledged = new Set(answersTo(book, 'charge').flatMap(({ key, status }) => (status < 300 ? [key] : [])))
  const made = new Map<string | null, number>()
  for (const { reference, link } of charges) if (link === null) made.set(reference, (made.get(reference) ?? 0) + 1)
  return [...made].flatMap(([reference, count]) => {
    const wanted = reference !== null && acknowledged.has(reference) ? 1 : 0
    return count > wanted ? [`${reference}: ${count} charges, ${wanted} acknowledged`] : []
  })
}

/** The statuses that it may have by now. */
function endsOf(charge: ChargeRow, operator: Operator | undefined): string[] {
  const paid = charge.refund_id === null ? 'succeeded' : 'refunded'
  if (charge.mode === 'live') return liveEndsOf(charge, operator?.movements(), paid)
  return [charge.phone !== null && failsInSandbox(charge.phone) ? 'failed' : paid]
}

function liveEndsOf(
  { rail_reference: reference, phone }: ChargeRow,
  movements: ReadonlyMap<string, number> | undefined,
  paid: string,
): string[] {
  // Covered by a gift card: no operator was asked.
  if (reference === null || movements?.has(reference)) return [paid]
  // Only the operator's own refusal may fail a charge that it did not take; the process that heard the refusal may have died.
  return phone === REFUSED_PHONE || phone === UNSERVED_PHONE ? ['failed', 'authorized'] : ['authorized']
}

const isFalselyFailed = (charge: ChargeRow, operator: Operator | undefined) =>
  charge.status === 'failed' && !endsOf(charge, operator).includes('failed')

function endsWrongly(charge: ChargeRow, operator: Operator | undefined): boolean {
  if (!endsOf(charge, operator).includes(charge.status)) return true
  // Only mobile money is posted, so a charge that a gift card covers fully is not.
  const isPosted = (charge.status === 'succeeded' || charge.status === 'refunded') && charge.net > 0
  const credits = isPosted ? 1 : 0
  return charge.credits !== credits || charge.credited !== credits * charge.net
}
