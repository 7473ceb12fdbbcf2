import { assert } from '../../platform/assert.ts'
import { domainRefusal, Refusal } from '../../platform/refusal.ts'
import { kampalaTime } from '../../platform/time/kampala.ts'
import { type Action, type ActionRule, ruleOf } from './actions.ts'
import type { Actor, PersonCaller } from './actor.ts'

// How long a second factor counts as fresh (reliability.md A73).
const SECOND_FACTOR_FRESH_MS = 5 * 60_000

/**
 * Refuses (403) what the table does not allow this actor. Every operation that changes something calls it first. `merchantId`:
 * the merchant acted on, where it is not the caller's own by construction.
 */
export function allow(actor: Actor, action: Action, merchantId?: number): void {
  requireRole(actor, action)
  const rule = ruleOf(action)
  if ((actor.kind === 'key' || actor.kind === 'person') && merchantId !== undefined)
    assert(actor.merchantId === merchantId, 'a merchant acts on itself alone')
  if (actor.kind === 'person' && actor.mode === 'live') allowInLiveMode(actor, rule)
  if (rule.fresh && !hasFreshFactor(actor))
    throw new Refusal(403, 'step_up_required', 'confirm this with your second factor first')
}

/** Refuses (403) an actor whose role may not do this. Does not check the second factor: pages call it before they ask for the factor. */
export function requireRole(actor: Actor, action: Action): void {
  const rule = ruleOf(action)
  if (!isAllowed(actor, rule)) throw actor.kind === 'key' ? keyRefusal(rule) : roleRefusal(actor)
}

/** Whether the table allows the action, so that a page offers it. Checks neither the factor nor live mode. */
export const mayDo = (actor: Actor, action: Action): boolean => isAllowed(actor, ruleOf(action))

function isAllowed(actor: Actor, { key, persons = [], operators = [], others = [], tills }: ActionRule): boolean {
  switch (actor.kind) {
    case 'key':
      return key === 'any' || (key === 'full' && actor.scope === 'full')
    case 'person':
      return persons.includes(actor.role) && (actor.till !== true || tills === true)
    case 'operator':
      return operators.includes(actor.role)
    case 'command':
    case 'service':
    case 'public':
      return others.includes(actor.kind)
  }
}

/** Refuses (403) what a person may not do with real money yet: address not proven, or money out held. */
function allowInLiveMode({ confirmed, heldUntil }: PersonCaller, rule: ActionRule): void {
  if (!confirmed && !rule.unconfirmed)
    throw new Refusal(
      403,
      'email_unconfirmed',
      'confirm your e-mail address first: open the link in the mail we sent you. Until then you can do everything in test mode',
    )
  if (rule.moneyOut && heldUntil !== null)
    throw new Refusal(
      403,
      'money_out_held',
      `money out from the dashboard waits until ${kampalaTime(heldUntil)} because the sign-in of your account was changed`,
    )
}

/** Refuses (400) in test mode what only exists for real money. */
export function requireLiveMode(actor: Actor): void {
  if (actor.kind === 'person' && actor.mode === 'test')
    throw domainRefusal('live_only', 'this is about real money: change to live mode first')
}

/** Whether the second factor was given within the last five minutes. True for actors that have none: keys, commands, tasks, tills. */
export function hasFreshFactor(actor: Actor): boolean {
  if (actor.kind !== 'person' && actor.kind !== 'operator') return true
  if (actor.kind === 'person' && actor.till === true) return true
  return actor.factorAgeMs !== null && actor.factorAgeMs <= SECOND_FACTOR_FRESH_MS
}

const keyRefusal = ({ key }: ActionRule) =>
  key === undefined
    ? new Refusal(403, 'forbidden', 'no API key may do this')
    : new Refusal(
        403,
        'forbidden',
        'this endpoint requires a full secret key; collections-only keys cannot move money out',
      )

const roleRefusal = (actor: Exclude<Actor, { kind: 'key' }>) =>
  new Refusal(
    403,
    'forbidden',
    actor.kind === 'person' && actor.till === true
      ? 'a till may not do this: it has the counter, charges, links, invoices, orders and disputes'
      : 'role' in actor
        ? `your role (${actor.role}) may not do this`
        : `a ${actor.kind} actor may not do this`,
  )
