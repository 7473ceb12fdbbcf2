import type { App } from '../app.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Claim, ClaimState } from './claim.ts'
import { moveDirect } from './move-direct.ts'
import { moveOrder } from './move-order.ts'
import { simulatedSupplier } from './simulated-supplier.ts'
import type { CommandAnswer } from './supplier.ts'
import { profileOf } from './suppliers.ts'

type Heard<Kind extends CommandAnswer['kind']> = Extract<CommandAnswer, { kind: Kind }>

const ANSWERED = statement(
  'answer of dispense',
  `update dispense_claims k set state = $3, supplier_code = $4, supplier_message = $5, answered_at = $6, lease_until = null,
     reports_at = $7, reports = $8
   where k.merchant_id = $1 and k.id = $2 and k.state = 'commanding'`,
)
const NOTE = statement(
  'note answer of dispense',
  `update dispense_claims set supplier_code = $3, supplier_message = $4 where merchant_id = $1 and id = $2`,
)
const DOUBT = statement(
  'doubt about order',
  `update vending_orders set vending_error = $4
   where merchant_id = $1 and id = $2 and vending_status = 'dispensing' and attempts = $3`,
)
// Only where nobody has heard more of it meanwhile: a delivery keeps its charge.
const RELEASE_DIRECT = statement<{ id: string }>(
  'release direct dispense',
  `update dispense_claims set state = 'released', released_at = $3, answered_at = $3, lease_until = null,
     vending_status = 'failed', supplier_code = $4, supplier_message = $5
   where merchant_id = $1 and id = $2 and state = any($6) returning id`,
)
const WITHHELD = statement<{ paid: boolean; enabled: boolean }>(
  'why dispense was not commanded',
  `select c.status = 'succeeded' as paid, m.vending_enabled as enabled from dispense_claims k
   join charges c on c.merchant_id = k.merchant_id and c.id = k.charge_id join merchants m on m.id = k.merchant_id
   where k.merchant_id = $1 and k.id = $2 and k.state = 'claimed'`,
)

const LONGEST_MESSAGE = 200
const UNKNOWN_ANSWER = 'the machine supplier did not answer clearly - waiting for the report of the machine'
const REFUNDED = 'the payment was refunded before the machine was told'
export const TURNED_OFF = 'vending is disabled for this merchant'
// The lease of a slow call may have ended meanwhile; what a machine or a person has said since counts more.
const UNDECIDED: readonly ClaimState[] = ['commanding', 'ambiguous']

/** Records what a supplier has said to the command of this claim, and nothing about any other command. */
export async function recordAnswer(app: App, claim: Claim, answer: CommandAnswer): Promise<void> {
  switch (answer.kind) {
    case 'refused':
      return recordRefusal(app, claim, answer)
    case 'ambiguous':
      await app.db.query(ANSWERED, [...ofAnswer(app, claim, answer), null, null])
      return sayDoubt(app, claim)
    case 'accepted':
      return recordAcceptance(app, claim, answer)
  }
}

/** Says on the order of a command that nobody knows what became of it. */
export async function sayDoubt(
  app: App,
  { merchantId, orderId, kind, attempt }: Pick<Claim, 'merchantId' | 'orderId' | 'kind' | 'attempt'>,
): Promise<void> {
  if (kind === 'order') await app.db.query(DOUBT, [merchantId, orderId, attempt, UNKNOWN_ANSWER])
}

/** Nothing will be dispensed: the charge is free for another try, and an order has failed. */
async function recordRefusal(app: App, claim: Claim, answer: Heard<'refused'>): Promise<void> {
  const error = `machine supplier refused the command: ${cut(answer.message)}`
  await fail(app, claim, { answer, error, states: UNDECIDED })
}

/**
 * A claim that was not commanded: because of its charge or its merchant it never will be. Null when somebody else has it, or
 * when nothing stands in the way any more: then it is taken up after its lease.
 */
export async function withhold(app: App, claim: Claim): Promise<CommandAnswer | null> {
  const [why] = await app.db.query(WITHHELD, [claim.merchantId, claim.id])
  if (!why || (why.paid && why.enabled)) return null
  const error = why.paid ? TURNED_OFF : REFUNDED
  const answer = { kind: 'refused', code: null, message: error } as const
  return (await fail(app, claim, { answer, error, states: ['claimed'] })) ? answer : null
}

async function fail(
  app: App,
  claim: Claim,
  { answer, error, states }: { answer: Heard<'refused'>; error: string; states: readonly ClaimState[] },
): Promise<boolean> {
  const { merchantId, id, orderId } = claim
  const { code } = answer
  const message = cut(answer.message)
  if (claim.kind === 'direct') {
    const at = app.clock.now().toISOString()
    return (await app.db.query(RELEASE_DIRECT, [merchantId, id, at, code, message, states])).length > 0
  }
  const moved = await moveOrder(app, {
    merchantId,
    id: orderId,
    to: { status: 'failed', confirmed: false, result: null, error },
    source: 'command',
    about: { claimId: id, while: states },
    alongside: [call(NOTE, merchantId, id, code, message)],
  })
  return moved === 'moved'
}

/** Accepted is not delivered, unless the merchant's supplier never reports (contract.md 3 u): then both in one commit. */
async function recordAcceptance(app: App, claim: Claim, answer: Heard<'accepted'>): Promise<void> {
  const { merchantId, orderId, chargeId } = claim
  const answered = acceptance(app, claim, answer)
  const { profile } = await profileOf(app, merchantId)
  if (profile !== 'optimistic') {
    await app.db.query(answered.statement, answered.values)
    return
  }
  const move = {
    merchantId,
    to: { status: 'dispensed', confirmed: false, result: null, note: null },
    source: 'command',
    about: { claimId: claim.id, while: UNDECIDED },
    alongside: [answered],
  } as const
  if (claim.kind === 'direct') await moveDirect(app, { ...move, chargeId })
  else await moveOrder(app, { ...move, id: orderId })
}

/** A simulated machine that will report by itself is given its time. */
function acceptance(app: App, claim: Claim, answer: Heard<'accepted'>): Call {
  const report = claim.mode === 'test' ? (simulatedSupplier.report?.(claim.machine) ?? null) : null
  const reportsAt = report === null ? null : new Date(app.clock.nowMs() + report.afterMs).toISOString()
  return call(ANSWERED, ...ofAnswer(app, claim, answer), reportsAt, report?.reports ?? null)
}

function ofAnswer(app: App, { merchantId, id }: Claim, answer: Heard<'accepted' | 'ambiguous'>): unknown[] {
  const code = answer.kind === 'accepted' ? answer.code : null
  return [merchantId, id, answer.kind, code, cut(answer.message), app.clock.now().toISOString()]
}

const cut = (text: string) => [...text].slice(0, LONGEST_MESSAGE).join('')
