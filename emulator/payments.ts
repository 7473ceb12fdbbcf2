import { type Answer, badlyAnswered } from './answer.ts'
import type { Book, Operation, Transaction, Where } from './book.ts'
import type { Callbacks } from './callbacks.ts'
import { jsonOf, paymentRefusal, type Request, referenceOf, type World } from './checks.ts'
import type { Clock } from './clock.ts'
import { type Decide, decideLater } from './decide.ts'
import { faultOfPhone } from './phone-faults.ts'
import type { Profile } from './profiles.ts'
import type { Rule, Rules, Treatment } from './rules.ts'
import { refundScenario, scenarioOf, syncRefusal } from './scenarios.ts'

/** All that a payment needs. */
export type Desk = {
  seed: number
  world: World
  book: Book
  clock: Clock
  rules: Rules
  profile: Profile
  decide: Decide
  chance: () => number
  callbacks: Callbacks
  /** Questions of the last second, for the operator's cap. */
  statusCap: number | null
  /** References whose first request was treated by a rule that treats only the first. */
  treated: Set<string>
  begin(trouble: NonNullable<Rule['trouble']>): void
}

/** A request to move money. */
export async function takePayment(
  desk: Desk,
  request: Request,
  { operation, ...place }: Omit<Where, 'reference'> & { operation: Operation },
): Promise<Answer> {
  const { book, clock, profile } = desk
  const where = { ...place, reference: referenceOf(request) }
  const asked = readPayment(desk, request, where)
  const rule = ruleFor(desk, { ...asked, ...where, operation })
  const wasTaken = book.isTaken(where)
  const refused = paymentRefusal(request, desk.world, { where, operation })
  if (refused?.burns) book.burn(where)
  const treatment = wasTaken ? undefined : treatmentOf(desk, rule, where)
  const isTaken = refused === null && !wasTaken && (treatment?.record ?? true)
  const taken = isTaken ? record(desk, request, { ...asked, ...where, operation, rule }) : null
  if (taken !== null) await callEarly(desk, taken)
  await clock.wait((treatment?.delayMs ?? 0) + (desk.decide === 'profile' ? profile.submitMs(desk.chance) : 0))
  if (taken !== null) decideLater(desk, taken)
  const badly = refused === null ? badlyAnswered(treatment) : null
  if (badly?.status === 400 && taken === null && !desk.world.isOn('reuseRefused')) book.burn(where)
  const answer = badly ?? refused?.answer ?? { status: 202 }
  if (taken !== null) taken.answered = answer.wire ?? answer.status
  return answer
}

/** How a rule treats this request, and the trouble that it begins. */
function treatmentOf(desk: Desk, rule: Rule | null, { product, reference }: Where): Treatment | undefined {
  const treatment = rule?.onSubmit
  if (treatment?.firstOnly === true) {
    const key = `${product}/${reference}`
    if (desk.treated.has(key)) return undefined
    desk.treated.add(key)
  }
  if (rule?.trouble !== undefined) desk.begin(rule.trouble)
  return treatment
}

type Asked = Pick<Transaction, 'phone' | 'amount' | 'externalId' | 'payerMessage' | 'payeeNote'> & {
  refunds: string
}

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function readPayment({ book }: Desk, { body }: Request, { place }: Where): Asked {
  const read = jsonOf(body) ?? {}
  const party = (read.payer ?? read.payee ?? {}) as { partyId?: unknown }
  const refunds = text(read.referenceIdToRefund)
  const refunded = refunds === '' ? undefined : book.find({ place, product: 'collection', reference: refunds })
  return {
    phone: refunded?.phone ?? text(party.partyId),
    amount: Number(text(read.amount)) || 0,
    externalId: text(read.externalId),
    payerMessage: text(read.payerMessage),
    payeeNote: text(read.payeeNote),
    refunds,
  }
}

/** A rule that was set, else the scenario of the phone. */
function ruleFor(desk: Desk, asked: Asked & Where & { operation: Operation }): Rule | null {
  const { rules, profile, world } = desk
  const found = rules.find(asked)
  if (found !== null) return found
  if (asked.refunds !== '' && asked.phone === '') return refundScenario(asked.refunds)
  const fault = faultOfPhone(profile.faultPhones, asked.phone)
  if (fault !== null) return fault
  const scenario = scenarioOf(profile.phones, asked.phone, asked.operation)
  return scenario !== null && world.isOn('syncRefusal') ? syncRefusal(scenario) : scenario
}

function record(
  { book, world, clock }: Desk,
  request: Request,
  { rule, refunds, ...asked }: Asked & Where & { operation: Operation; rule: Rule | null },
): Transaction {
  const transaction: Transaction = {
    ...asked,
    place: rule?.place ?? asked.place,
    currency: world.currency,
    callbackUrl: request.headers['x-callback-url'] ?? null,
    createdMs: clock.nowMs(),
    status: rule?.initial ?? 'PENDING',
    reason: null,
    financialTransactionId: null,
    endedMs: null,
    moves: 0,
    asked: 0,
    told: null,
    answered: null,
    rule,
  }
  book.add(transaction)
  return transaction
}

async function callEarly({ callbacks }: Desk, transaction: Transaction): Promise<void> {
  for (const calls of transaction.rule?.callbacks ?? [])
    if (calls.early === true) await callbacks.plan(transaction, calls)
}
