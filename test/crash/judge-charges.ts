import type { Operator } from '../fakes/operator.ts'
import type { Installation } from './installation.ts'
import { answersTo, type Book } from './journal.ts'
import { failsInSandbox } from './requests.ts'

/** A charge as the judge sees it, with what the ledger credited for it and the payout that gave it back. */
export type ChargeRow = {
  id: string
  handle: string
  mode: 'test' | 'live'
  status: string
  reference: string
  phone: string
  net: number
  rail_reference: string
  refund_id: string | null
  credits: number
  credited: number
}
export type Wrongs = { doubled: string[]; falselyFailed: string[]; wrongEnd: string[] }

const CHARGES = `select c.id, m.handle, c.mode, c.status, c.reference, c.phone, c.rail_reference,
    (select p.id from payouts p where p.merchant_id = c.merchant_id and p.charge_id = c.id and p.voided_at is null) as refund_id,
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

const describe = (charge: ChargeRow) => `${charge.reference} ${charge.id} ${charge.mode} ${charge.status}`

/** Each key has exactly the charge that its answer shows, and there is no charge that nobody asked for. */
function doubledOnes(book: Book, charges: ChargeRow[]): string[] {
  const acknowledged = new Set(
    answersTo(book, 'charge').flatMap(({ key, status }) => (status < 300 ? [key] : [])),
  )
  const made = new Map<string, number>()
  for (const { reference } of charges) made.set(reference, (made.get(reference) ?? 0) + 1)
  return [...made].flatMap(([reference, count]) => {
    const wanted = acknowledged.has(reference) ? 1 : 0
    return count > wanted ? [`${reference}: ${count} charges, ${wanted} acknowledged`] : []
  })
}

function mustEnd(charge: ChargeRow, operator: Operator | undefined): string {
  // What the operator never heard of ends by nothing but the operator's own word.
  if (charge.mode === 'live')
    return operator?.movements().has(charge.rail_reference) ? 'succeeded' : 'authorized'
  if (failsInSandbox(charge.phone)) return 'failed'
  return charge.refund_id === null ? 'succeeded' : 'refunded'
}

const isFalselyFailed = (charge: ChargeRow, operator: Operator | undefined) =>
  charge.status === 'failed' && mustEnd(charge, operator) !== 'failed'

function endsWrongly(charge: ChargeRow, operator: Operator | undefined): boolean {
  if (charge.status !== mustEnd(charge, operator)) return true
  const credits = charge.status === 'succeeded' || charge.status === 'refunded' ? 1 : 0
  return charge.credits !== credits || charge.credited !== credits * charge.net
}
