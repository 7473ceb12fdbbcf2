import { type Answer, NOT_FOUND } from './answer.ts'
import type { Book, Operation, Product, Transaction } from './book.ts'
import type { Callbacks } from './callbacks.ts'
import { jsonOf, paymentRefusal, type Request, type World } from './checks.ts'
import type { Clock } from './clock.ts'
import { FAULT_OF_PHONE, RULE_FAULTS } from './faults.ts'
import { presentStatus } from './present.ts'
import { EXPIRY_MS, type Profile } from './profiles.ts'
import type { Rule, Rules, Told } from './rules.ts'
import { lastTwo, scenarioOf } from './scenarios.ts'

/** Who decides about a payment: at once, by the profile's own times, or when it is told. */
export type Decide = 'at once' | 'profile' | 'when told'

export type Desk = {
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
}

/** A request to move money. */
export async function takePayment(
  desk: Desk,
  request: Request,
  { product, operation }: { product: Product; operation: Operation },
): Promise<Answer> {
  const reference = request.headers['x-reference-id'] ?? ''
  const asked = readPayment(request, { product, operation })
  const rule = ruleFor(desk, { ...asked, reference, product, operation })
  const { onSubmit } = rule ?? {}
  const known = desk.book.transactions.has(reference) || desk.book.burnt.has(reference)
  const refused = paymentRefusal(request, desk.world)
  if (refused?.burns) desk.book.burnt.add(reference)
  const taken =
    refused === null && !known && (onSubmit?.record ?? true) ? record(desk, request, { asked, rule }) : null
  if (taken !== null) await callEarly(desk, taken)
  const wait = (onSubmit?.delayMs ?? 0) + (desk.decide === 'profile' ? desk.profile.submitMs(desk.chance) : 0)
  await desk.clock.wait(wait)
  if (taken !== null) decideLater(desk, taken)
  if (onSubmit?.http !== undefined && !known) {
    const { status, code, body, headers } = onSubmit.http
    if (status === 400 && taken === null) desk.book.burnt.add(reference)
    return {
      status,
      ...(code === undefined ? { body: body ?? '' } : { body: { code, message: code } }),
      headers: headers ?? {},
    }
  }
  if (onSubmit?.wire !== undefined && (!known || refused === null))
    return {
      status: 0,
      wire: onSubmit.wire,
      ...(onSubmit.bytesPerSecond ? { bytesPerSecond: onSubmit.bytesPerSecond } : {}),
    }
  return refused?.answer ?? { status: 202 }
}

type Asked = { phone: string; amount: number; externalId: string; payerMessage: string; payeeNote: string }

function readPayment({ body }: Request, _: { product: Product; operation: Operation }): Asked {
  const read = jsonOf(body) ?? {}
  const party = (read.payer ?? read.payee ?? {}) as { partyId?: unknown }
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return {
    phone: text(party.partyId),
    amount: Number(text(read.amount)) || 0,
    externalId: text(read.externalId),
    payerMessage: text(read.payerMessage),
    payeeNote: text(read.payeeNote),
  }
}

/** A rule that was set, else the scenario of the phone. */
function ruleFor(
  { rules, profile }: Desk,
  asked: Asked & { reference: string; product: Product; operation: Operation },
): Rule | null {
  const found = rules.find(asked)
  if (found !== null) return found
  const nn = lastTwo(profile.faultPhones, asked.phone)
  const fault = nn === null ? undefined : FAULT_OF_PHONE[nn]
  return fault === undefined
    ? scenarioOf(profile.phones, asked.phone, asked.operation)
    : RULE_FAULTS[fault]({})
}

function record(
  desk: Desk,
  request: Request,
  { asked, rule }: { asked: Asked; rule: Rule | null },
): Transaction {
  const { product, operation } = placeOf(request.path)
  const transaction: Transaction = {
    reference: request.headers['x-reference-id'] ?? '',
    product,
    operation,
    ...asked,
    currency: desk.world.currency,
    callbackUrl: request.headers['x-callback-url'] ?? null,
    createdMs: desk.clock.nowMs(),
    status: rule?.initial ?? 'PENDING',
    reason: null,
    financialTransactionId: null,
    endedMs: null,
    moves: 0,
    asked: 0,
    rule,
  }
  desk.book.add(transaction)
  return transaction
}

const OPERATIONS: Record<string, Operation> = {
  requesttopay: 'requesttopay',
  requesttowithdraw: 'requesttowithdraw',
  transfer: 'transfer',
  deposit: 'deposit',
  refund: 'refund',
}

/** The product and operation in a path, as `/collection/v1_0/requesttopay/...`. */
function placeOf(path: string): { product: Product; operation: Operation } {
  const [, product, , operation = ''] = path.split('/')
  return { product: product as Product, operation: OPERATIONS[operation] ?? 'requesttopay' }
}

async function callEarly({ callbacks }: Desk, transaction: Transaction): Promise<void> {
  for (const calls of transaction.rule?.callbacks ?? [])
    if (calls.early === true) await callbacks.plan(transaction, calls)
}

/** Plans how the payment ends: by its rule, by the profile, at once, or when somebody says so. */
function decideLater(desk: Desk, transaction: Transaction): void {
  const { clock, profile, decide, chance } = desk
  const { rule } = transaction
  if (rule?.resolve === 'never') return
  if (rule?.reversal !== undefined) {
    reverseLater(desk, transaction, rule.reversal)
    return
  }
  if (rule?.resolve !== undefined) {
    const { afterMs = 0, status, reason } = rule.resolve
    const decided = () => end(desk, transaction, { status, reason: reason ?? null })
    if (afterMs === 0) void decided()
    else clock.after(afterMs, decided)
    return
  }
  if (decide === 'when told') return
  if (decide === 'at once') {
    void end(desk, transaction, { status: 'SUCCESSFUL' })
    return
  }
  const approval = transaction.operation === 'transfer' ? 500 : profile.approvalMs(chance)
  if (approval === null)
    clock.after(EXPIRY_MS, () => end(desk, transaction, { status: 'FAILED', reason: 'EXPIRED' }))
  else clock.after(approval, () => end(desk, transaction, { status: 'SUCCESSFUL' }))
}

/** The operator tells one end and later the other; the money follows the last. */
function reverseLater(
  desk: Desk,
  transaction: Transaction,
  { first, afterMs }: NonNullable<Rule['reversal']>,
): void {
  const last = first === 'FAILED' ? 'SUCCESSFUL' : 'FAILED'
  void end(desk, transaction, { status: first, reason: first === 'FAILED' ? 'EXPIRED' : null })
  desk.clock.after(afterMs, () => {
    transaction.status = 'PENDING'
    return end(desk, transaction, { status: last, reason: last === 'FAILED' ? 'EXPIRED' : null })
  })
}

/** Ends a payment and calls back about it. */
export function end(
  { book, callbacks, profile, decide, chance }: Desk,
  transaction: Transaction,
  to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string | null },
): Promise<void> {
  book.end(transaction, to)
  const planned = transaction.rule?.callbacks?.filter(({ early }) => early !== true)
  const usual = decide === 'profile' ? usualCalls(profile.callback(chance)) : [{ times: 1 }]
  return Promise.all((planned ?? usual).map((calls) => callbacks.plan(transaction, calls))).then(() => {})
}

const DOUBLE_MS = 180_000
const usualCalls = ({ afterMs, times }: { afterMs: number; times: number }) =>
  times === 0 ? [] : [{ afterMs, times, gapMs: DOUBLE_MS }]

/** A question about a reference. */
export async function tellStatus(desk: Desk, reference: string, product: Product): Promise<Answer> {
  const { book, clock, profile, decide, chance } = desk
  await clock.wait(decide === 'profile' ? profile.statusMs(chance) : 0)
  const found = book.transactions.get(reference)
  if (found === undefined || found.product !== product) return NOT_FOUND
  const lag = found.rule?.statusLagMs ?? 0
  if (clock.nowMs() < found.createdMs + lag) return NOT_FOUND
  const told: Told = found.rule?.onStatus?.[Math.min(found.asked, found.rule.onStatus.length - 1)] ?? {}
  found.asked += 1
  await clock.wait(told.delayMs ?? 0)
  if (told.http !== undefined)
    return { status: told.http.status, body: { code: told.http.code ?? 'RESOURCE_NOT_FOUND' } }
  if (told.wire !== undefined) return { status: 0, wire: told.wire }
  return { status: 200, body: presentStatus(found, told) }
}
