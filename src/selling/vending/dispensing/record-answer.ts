import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { simulatedSupplier } from '../suppliers/simulated-supplier.ts'
import type { CommandReply } from '../suppliers/supplier.ts'
import { readVendingProfile } from '../suppliers/suppliers.ts'
import type { ClaimState, DispenseClaim } from './claim.ts'
import { dispenseTarget } from './dispense-move.ts'
import { answerClaim, type SupplierAnswer } from './move-claim.ts'
import { moveDispense } from './move-dispense.ts'

type ReplyOfKind<Kind extends CommandReply['kind']> = Extract<CommandReply, { kind: Kind }>

const NOTE_DOUBT = statement(
  'doubt about order',
  `update vending_orders set vending_error = $4
   where merchant_id = $1 and id = $2 and vending_status = 'dispensing' and attempts = $3`,
)
const READ_WITHHOLDING = statement<{ paid: boolean; enabled: boolean }>(
  'why dispense was not commanded',
  `select c.status = 'succeeded' as paid, m.vending_enabled as enabled from dispense_claims k
   join charges c on c.merchant_id = k.merchant_id and c.id = k.charge_id join merchants m on m.id = k.merchant_id
   where k.merchant_id = $1 and k.id = $2 and k.state = 'claimed'`,
)

const MAX_MESSAGE_CHARACTERS = 200
const UNCLEAR_ANSWER = 'the machine supplier did not answer clearly - waiting for the report of the machine'
const REFUNDED = 'the payment was refunded before the machine was told'
export const TURNED_OFF = 'vending is disabled for this merchant'
// A slow call may outlast its lease, which makes the claim ambiguous. After a report or a decision, the answer does not count any more.
const UNDECIDED: readonly ClaimState[] = ['commanding', 'ambiguous']

/** Records the supplier's answer to the command of this claim, and nothing about any other command. */
export async function recordAnswer(app: App, claim: DispenseClaim, answer: CommandReply): Promise<void> {
  switch (answer.kind) {
    case 'refused':
      return recordRefusal(app, claim, answer)
    case 'ambiguous':
      await storeAnswer(app, claim, { state: 'ambiguous', answer: toSupplierAnswer(answer) })
      return noteDoubt(app, claim)
    case 'accepted':
      return recordAcceptance(app, claim, answer)
  }
}

/** Notes on the order that the outcome of its command is unknown. */
export async function noteDoubt(
  app: App,
  { merchantId, orderId, kind, attempt }: Pick<DispenseClaim, 'merchantId' | 'orderId' | 'kind' | 'attempt'>,
): Promise<void> {
  if (kind === 'order') await app.db.query(NOTE_DOUBT, [merchantId, orderId, attempt, UNCLEAR_ANSWER])
}

/** Records a refusal: nothing will be dispensed, the charge is free again, and an order has failed. */
async function recordRefusal(app: App, claim: DispenseClaim, answer: ReplyOfKind<'refused'>): Promise<void> {
  const error = `machine supplier refused the command: ${cutMessage(answer.message)}`
  await failDispense(app, claim, { answer, error, while: UNDECIDED })
}

/**
 * Releases a claim that cannot be commanded because of its charge or merchant. Null when another process has it, or when
 * nothing prevents the command any more; then it is sent after its lease.
 */
export async function releaseUncommandable(app: App, claim: DispenseClaim): Promise<CommandReply | null> {
  const [why] = await app.db.query(READ_WITHHOLDING, [claim.merchantId, claim.id])
  if (!why || (why.paid && why.enabled)) return null
  const error = why.paid ? TURNED_OFF : REFUNDED
  const answer = { kind: 'refused', code: null, message: error } as const
  return (await failDispense(app, claim, { answer, error, while: ['claimed'] })) ? answer : null
}

type FailureInput = { answer: ReplyOfKind<'refused'>; error: string; while: readonly ClaimState[] }

/** Fails the dispense only if its claim is still in one of these states: a delivery that was reported meanwhile keeps its charge. */
async function failDispense(
  app: App,
  claim: DispenseClaim,
  { answer, error, while: states }: FailureInput,
): Promise<boolean> {
  const moved = await moveDispense(app, {
    ...dispenseTarget(claim),
    to: { status: 'failed', confirmed: false, result: null, error },
    source: 'command',
    about: { claimId: claim.id, while: states },
    supplierAnswer: toSupplierAnswer(answer),
  })
  return moved === 'moved'
}

/** Records an acceptance. It is no delivery, unless the merchant's supplier never reports (contract.md 3 u): then both are one commit. */
async function recordAcceptance(app: App, claim: DispenseClaim, accepted: ReplyOfKind<'accepted'>): Promise<void> {
  const answer = { ...toSupplierAnswer(accepted), ...planSimulatedReport(app, claim) }
  const { profile } = await readVendingProfile(app, claim.merchantId)
  if (profile !== 'optimistic') return storeAnswer(app, claim, { state: 'accepted', answer })
  await moveDispense(app, {
    ...dispenseTarget(claim),
    to: { status: 'dispensed', confirmed: false, result: null, note: null },
    source: 'command',
    about: { claimId: claim.id, while: UNDECIDED },
    supplierAnswer: answer,
  })
}

async function storeAnswer(
  app: App,
  claim: DispenseClaim,
  recorded: { state: 'accepted' | 'ambiguous'; answer: SupplierAnswer },
): Promise<void> {
  const record = answerClaim(claim, { ...recorded, at: app.clock.now() })
  await app.db.query(record.statement, record.values)
}

/** Plans when and what the simulated machine reports, if its number makes it report by itself. */
function planSimulatedReport(app: App, claim: DispenseClaim): Pick<SupplierAnswer, 'reportsAt' | 'reports'> {
  const report = claim.mode === 'test' ? (simulatedSupplier.report?.(claim.machine) ?? null) : null
  if (report === null) return { reportsAt: null, reports: null }
  return { reportsAt: addMs(app.clock.now(), report.afterMs), reports: report.reports }
}

const toSupplierAnswer = (answer: CommandReply): SupplierAnswer => ({
  code: answer.kind === 'ambiguous' ? null : answer.code,
  message: cutMessage(answer.message),
  reportsAt: null,
  reports: null,
})

const cutMessage = (text: string) => [...text].slice(0, MAX_MESSAGE_CHARACTERS).join('')
