import { assert } from '../../../platform/assert.ts'
import { numberColumn, textColumn, timeColumn, unnestColumns } from '../../../platform/db/columns.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { dueCondition } from '../../../platform/db/due-times.ts'
import { statement } from '../../../platform/db/statement.ts'
import { writeExactJson } from '../../../platform/text/exact-json.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { ReportedGoods } from '../orders/order.ts'
import { CLAIM_COLUMNS, CLAIM_MOVES, type ClaimState, type DispenseClaim } from './claim.ts'
import type { MoveSource } from './dispense-move.ts'

// How long a claim that was not commanded belongs to the process that stored it.
export const CLAIM_LEASE_MS = 60_000
// The call takes 30 s at most: after this time, the process that made it is gone, and the outcome is unknown.
const COMMAND_LEASE_MS = 60_000

// No other file writes claims, and the database refuses every move that `CLAIM_MOVES` does not have.
const ADD_CLAIM = statement<{ id: string }>(
  'add dispense claim',
  `insert into dispense_claims (merchant_id, id, mode, charge_id, kind, order_id, machine, goods, pay_account, attempt, state,
     lease_until, claimed_at, vending_status)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'claimed', $11, $12, case when $5 = 'direct' then 'dispensing' end)
   on conflict (merchant_id, charge_id) where released_at is null do nothing returning id`,
)
// From this commit on the command may have left: the program never sends it again (VE4). The statement locks the charge, because a
// claim may have waited for a minute after its process died, and nothing may be commanded after a refund (VE3).
const COMMAND_CLAIM = statement<{ payerPhone: string | null }>(
  'command dispense',
  `with paid as materialized (
     select c.phone from dispense_claims d join charges c on c.merchant_id = d.merchant_id and c.id = d.charge_id
     where d.merchant_id = $1 and d.id = $2 and c.status = 'succeeded' for share of c)
   update dispense_claims k set state = 'commanding', commanded_at = $3, lease_until = $4
   from paid where k.merchant_id = $1 and k.id = $2 and k.state = 'claimed'
     and exists (select 1 from merchants m where m.id = $1 and m.vending_enabled) returning paid.phone as "payerPhone"`,
)
const TAKE_UP_CLAIMS = statement<DispenseClaim>(
  'dispense claims left unsent',
  `update dispense_claims k set lease_until = $2 from (select merchant_id, id from dispense_claims
     where state = 'claimed' and ${dueCondition('lease_until', '$1', CLAIM_LEASE_MS)} order by lease_until limit $3 for no key update skip locked) left_over
   where k.merchant_id = left_over.merchant_id and k.id = left_over.id returning ${CLAIM_COLUMNS}`,
)
const RECORD_CLAIM_ANSWER = statement(
  'answer of dispense',
  `update dispense_claims k set state = $3, supplier_code = $4, supplier_message = $5, answered_at = $6, lease_until = null,
     reports_at = $7, reports = $8
   where k.merchant_id = $1 and k.id = $2 and k.state = 'commanding'`,
)
const DOUBT_CLAIMS = statement<DispenseClaim>(
  'dispense commands left unanswered',
  `update dispense_claims k set state = 'ambiguous', answered_at = $1, lease_until = null
   from (select merchant_id, id from dispense_claims where state = 'commanding' and ${dueCondition('lease_until', '$1', COMMAND_LEASE_MS)}
     order by lease_until limit $2 for no key update skip locked) left_over
   where k.merchant_id = left_over.merchant_id and k.id = left_over.id returning ${CLAIM_COLUMNS}`,
)
// A reported jam, a definite refusal and a person's "not delivered" free the charge for another try. A delivery keeps the charge, and
// takes it again if the machine reports it only after a failure. A supplier's answer that ends a claim counts as answered now. A
// direct dispense has no order row, so its claim stores the outcome.
const END_CLAIMS = statement(
  'end dispense claims',
  `update dispense_claims k set state = n.state, released_at = case when n.state = 'released' then $13::timestamptz end,
     answered_at = case when n.heard then $13 else coalesce(k.answered_at, $13) end, lease_until = null,
     supplier_code = case when n.heard then n.code else k.supplier_code end,
     supplier_message = case when n.heard then n.message else k.supplier_message end,
     reports_at = n.reports_at, reports = coalesce(n.reports, k.reports), outcome_source = n.source, outcome_note = n.note,
     optimistic = k.optimistic or (k.kind = 'direct' and n.state not in ('released', 'delivered')),
     vending_status = case when k.kind = 'direct' then case when n.state = 'released' then 'failed' else 'dispensed' end end,
     dispense_result = case when k.kind = 'direct' then n.result::json end,
     units_dispensed = case when k.kind = 'direct' then n.units end
   from ${unnestColumns('bigint', 'text', 'text', 'boolean', 'text', 'text', 'timestamptz', 'text', 'text', 'bigint', 'text', 'text')} as n (merchant_id, id, state, heard, code, message, reports_at, reports, result, units, source, note)
   where k.merchant_id = n.merchant_id and k.id = n.id`,
)
// Nothing was sent, and from now on nothing can be, because only a claim that is still `claimed` is commanded.
const RELEASE_UNSENT = statement(
  'release unsent direct claim',
  `update dispense_claims set state = 'released', released_at = $3, lease_until = null, vending_status = 'failed'
   where merchant_id = $1 and id = $2 and state = 'claimed'`,
)
const END_REPORT = statement(
  'simulated report done',
  'update dispense_claims set reports_at = null where merchant_id = $1 and id = $2',
)

/** Stops the simulated machine of an order from reporting. Parameters: merchant and order. */
export const SILENCE_MACHINE = statement<{ id: string }>(
  'silence simulated machine',
  `update dispense_claims set reports_at = null
   where merchant_id = $1 and order_id = $2 and kind = 'order' and reports_at is not null returning id`,
)

type ClaimKey = Pick<DispenseClaim, 'merchantId' | 'id'>

/** A supplier's answer as it is stored. `reportsAt` and `reports`: in test mode, when and what the simulated machine will report. */
export type SupplierAnswer = {
  code: string | null
  message: string
  reportsAt: Date | null
  reports: 'delivered' | 'jam' | 'not_finished' | null
}

/** How a claim ends, or that its acceptance counts as a delivery. `result` and `units` are stored for a direct dispense only. */
export type ClaimEnd = ClaimKey & {
  from: ClaimState
  to: ClaimState
  /** The supplier's answer, if that ends the claim. */
  supplierAnswer: SupplierAnswer | null
  result: readonly ReportedGoods[] | null
  units: number | null
  /** Who told the outcome, and what is to be said about it. */
  source: MoveSource
  note: string | null
}

/** Stores a claim on a charge that the transaction has locked. Returns no row if the charge has another open claim. */
export const addDispenseClaim = (claim: DispenseClaim, at: Date): Call<{ id: string }> =>
  call(
    ADD_CLAIM,
    claim.merchantId,
    claim.id,
    claim.mode,
    claim.chargeId,
    claim.kind,
    claim.orderId,
    claim.machine,
    writeExactJson(claim.goods),
    claim.payAccount,
    claim.attempt,
    isoAfter(at, CLAIM_LEASE_MS),
    at.toISOString(),
  )

/**
 * Marks a claim as `commanding`; the caller must then send it. Returns no row if another process has the claim, the charge is not paid any
 * more, or vending is off.
 */
export const commandClaim = ({ merchantId, id }: ClaimKey, at: Date): Call<{ payerPhone: string | null }> =>
  call(COMMAND_CLAIM, merchantId, id, at.toISOString(), isoAfter(at, COMMAND_LEASE_MS))

/** Takes up to `limit` claims over from a dead process that has not sent them. The caller must send them. */
export const takeUpClaims = (at: Date, limit: number): Call<DispenseClaim> =>
  call(TAKE_UP_CLAIMS, at.toISOString(), isoAfter(at, CLAIM_LEASE_MS), limit)

/** Records an acceptance (which is not a delivery yet) or an unclear answer. Changes nothing if the claim has moved on meanwhile. */
export const answerClaim = (
  { merchantId, id }: ClaimKey,
  { state, answer, at }: { state: 'accepted' | 'ambiguous'; answer: SupplierAnswer; at: Date },
): Call => {
  const { code, message, reportsAt, reports } = answer
  const time = at.toISOString()
  return call(
    RECORD_CLAIM_ANSWER,
    merchantId,
    id,
    state,
    code,
    message,
    time,
    reportsAt?.toISOString() ?? null,
    reports,
  )
}

/** Marks up to `limit` commands as `ambiguous` whose process died while it sent them. */
export const doubtClaims = (at: Date, limit: number): Call<DispenseClaim> => call(DOUBT_CLAIMS, at.toISOString(), limit)

/** Ends locked claims. Asserts that `CLAIM_MOVES` has each move. */
export function endClaims(ends: readonly ClaimEnd[], at: Date): Call[] {
  if (ends.length === 0) return []
  for (const { from, to } of ends) assert(from === to || to in CLAIM_MOVES[from], `${from} claims never become ${to}`)
  return [
    call(
      END_CLAIMS,
      numberColumn(ends.map(({ merchantId }) => merchantId)),
      textColumn(ends.map(({ id }) => id)),
      textColumn(ends.map(({ to }) => to)),
      ends.map(({ supplierAnswer }) => supplierAnswer !== null),
      ends.map(({ supplierAnswer }) => supplierAnswer?.code ?? null),
      ends.map(({ supplierAnswer }) => supplierAnswer?.message ?? null),
      timeColumn(ends.map(({ supplierAnswer }) => supplierAnswer?.reportsAt ?? null)),
      textColumn(ends.map(({ supplierAnswer }) => supplierAnswer?.reports ?? null)),
      ends.map(({ result }) => (result === null ? null : JSON.stringify(result))),
      numberColumn(ends.map(({ units }) => units)),
      textColumn(ends.map(({ source }) => source)),
      ends.map(({ note }) => note),
      at.toISOString(),
    ),
  ]
}

/** Releases a direct claim that was never sent. */
export const releaseUnsent = ({ merchantId, id }: ClaimKey, at: Date): Call =>
  call(RELEASE_UNSENT, merchantId, id, at.toISOString())

/** Records that the simulated machine has reported. */
export const endReport = ({ merchantId, id }: ClaimKey): Call => call(END_REPORT, merchantId, id)

const isoAfter = (at: Date, ms: number) => addMs(at, ms).toISOString()
