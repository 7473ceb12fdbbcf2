import type { Mode } from '../../../src/platform/mode.ts'
import type { Operator } from '../../fakes/operator.ts'
import type { Installation } from '../installation.ts'
import { answersTo, type Book } from '../journal.ts'
import { failsInSandbox, REFUSED_PHONE } from '../requests.ts'
import type { Wrongs } from './judge-charges.ts'

/** A payout with every transfer that names it, in ledger order. */
export type PayoutRow = {
  id: string
  handle: string
  mode: Mode
  kind: string
  status: string
  reference: string | null
  phone: string
  amount: number
  fee: number
  rail_reference: string
  charge_id: string | null
  voided: boolean
  transfers: string
}

const PAYOUTS = `select p.id, m.handle, p.mode, p.kind, p.status, p.reference, p.recipient_phone as phone,
    p.amount::float8 as amount, p.fee::float8 as fee, p.rail_reference, p.charge_id, p.voided_at is not null as voided,
    coalesce(string_agg(t.kind || ' ' || t.amount, ', ' order by t.seq), '') as transfers
  from payouts p join merchants m on m.id = p.merchant_id
  left join transfers t on t.merchant_id = p.merchant_id and t.subject = p.id
  group by p.merchant_id, p.id, m.handle`
// The tables cannot hold a cycle that pays one recipient twice; this query shows one that leaves somebody out.
const SCHEDULES = `select s.name, s.status, jsonb_array_length(s.recipients) as recipients, count(p.id)::int as paid,
    count(distinct p.cycle_at)::int as cycles, count(distinct p.item_index)::int as indexes,
    coalesce(bool_and(s.next_run_at > p.cycle_at), false) as advanced
  from schedules s left join payouts p on p.merchant_id = s.merchant_id and p.schedule_id = s.id
  group by s.merchant_id, s.id`

export const payoutRows = (installation: Installation) => installation.sql<PayoutRow>(PAYOUTS)

export function judgePayouts(payouts: PayoutRow[], book: Book, operator: Operator | undefined): Wrongs {
  const shown = payouts.filter(({ voided }) => !voided)
  return {
    doubled: doubledOnes(book, shown),
    falselyFailed: shown.filter((payout) => payout.status === 'failed' && mustEnd(payout) !== 'failed').map(describe),
    wrongEnd: payouts
      .filter((payout) => endsWrongly(payout) || saysMoreThanTheOperator(payout, operator))
      .map(describe),
  }
}

/** By now every schedule has run exactly once: one cycle, every recipient in it, and the next date in the future. */
export async function judgeSchedules(installation: Installation): Promise<string[]> {
  const schedules = await installation.sql(SCHEDULES)
  return schedules.flatMap(({ name, status, recipients, paid, cycles, indexes, advanced }) =>
    status === 'active' && cycles === 1 && paid === recipients && indexes === recipients && advanced
      ? []
      : [`${name}: ${status}, ${cycles} cycles, ${paid} payouts for ${recipients} recipients`],
  )
}

const describe = ({ reference, id, mode, kind, status, transfers }: PayoutRow) =>
  `${reference} ${id} ${mode} ${kind} ${status}: ${transfers}`

const nameOf = ({ handle, mode, kind, reference }: Pick<PayoutRow, 'handle' | 'mode' | 'kind' | 'reference'>) =>
  `${handle} ${mode} ${kind} ${reference}`

/** One payout for each acknowledged key, and one for each reference accepted in a bulk answer; none that nobody requested. */
function doubledOnes(book: Book, payouts: PayoutRow[]): string[] {
  const acknowledged = new Set([
    ...answersTo(book, 'payout').flatMap(({ key, status, request: { merchant: handle, mode } }) =>
      status < 300 ? [nameOf({ handle, mode, kind: 'payout', reference: key })] : [],
    ),
    ...answersTo(book, 'bulk').flatMap(({ status, body, request: { merchant: handle, mode } }) =>
      status < 300
        ? JSON.parse(body).results.flatMap(({ ok, reference }: any) =>
            ok ? [nameOf({ handle, mode, kind: 'bulk', reference })] : [],
          )
        : [],
    ),
  ])
  const made = new Map<string, number>()
  for (const payout of payouts)
    if (payout.kind === 'payout' || payout.kind === 'bulk')
      made.set(nameOf(payout), (made.get(nameOf(payout)) ?? 0) + 1)
  return [...made].flatMap(([name, count]) => {
    const wanted = acknowledged.has(name) ? 1 : 0
    return count > wanted ? [`${name}: ${count} payouts, ${wanted} acknowledged`] : []
  })
}

/** A live payout is sent again under the same reference until the operator takes it or refuses its recipient. */
const mustEnd = ({ mode, phone }: PayoutRow) =>
  (mode === 'test' ? failsInSandbox(phone) : phone === REFUSED_PHONE) ? 'failed' : 'succeeded'

function endsWrongly(payout: PayoutRow): boolean {
  if (!payout.voided && payout.status !== mustEnd(payout)) return true
  return payout.transfers !== transfersDue(payout)
}

const saysMoreThanTheOperator = ({ mode, voided, status, rail_reference }: PayoutRow, operator?: Operator) =>
  mode === 'live' && (operator?.movements().get(rail_reference) ?? 0) !== (!voided && status === 'succeeded' ? 1 : 0)

/** Reserved once; then either paid with its fee or released, once. */
function transfersDue({ kind, voided, status, amount, fee }: PayoutRow): string {
  const reserved = `payout_reserve ${amount + fee}`
  if (voided || status === 'failed') return `${reserved}, payout_return ${amount + fee}`
  if (status === 'succeeded') return `${reserved}, payout_sent ${amount}, payout_fee ${fee}`
  return `${reserved} (${kind} still open)`
}
