import { type PersonCaller, service } from '../../actors/actor.ts'
import { allow } from '../../actors/allow.ts'
import { auditRow } from '../../actors/audit-row.ts'
import type { App } from '../../app.ts'
import { ownersToTell } from '../../merchants/tell-owners.ts'
import { freshUntil, withoutRole } from '../../people/roles.ts'
import { later } from '../../platform/clock.ts'
import type { Call } from '../../platform/db/database.ts'
import { invalidRequest, Refusal } from '../../platform/refusal.ts'
import {
  aboveAt,
  type CheckerRule,
  findRule,
  lockRule,
  waitingAt,
  waitingWishes,
  writeRule,
} from './checker-rule.ts'
import { freshPerson } from './open-checks.ts'

/** How long a weaker rule waits where no second person agrees (docs/decisions/0026). */
export const WEAKER_AFTER_MS = 24 * 3_600_000

/** What holds now, and what somebody wants. Amounts are whole UGX; null: no second person is needed. */
export type CheckerState = {
  above: number | null
  wanted: { above: number | null; from: Date; by: number; name: string } | null
}

/** The rule of the second person as it stands. */
export async function checkerState(app: App, { merchantId }: PersonCaller): Promise<CheckerState> {
  const wanted = findRule(merchantId)
  const [rule] = await app.db.query(wanted.statement, wanted.values)
  return stateOf(rule, app.clock.now())
}

/** Sets the rule as below for an owner who stands before the page: not where nobody else could approve. Throws Refusal. */
export async function setCheckerRuleForTwo(
  app: App,
  caller: PersonCaller,
  above: number | null,
): Promise<CheckerState> {
  allow({ ...caller, mode: 'live' }, 'checker.set')
  if (above !== null && (await countOwners(app, caller.merchantId)) < 2)
    throw new Refusal(
      400,
      'second_owner_needed',
      'above needs a second owner: every larger payout would wait for somebody who does not exist. Invite one under People first',
    )
  return setCheckerRule(app, caller, above)
}

/** The owners who can approve: their addresses are proven. */
const countOwners = async (app: App, merchantId: number): Promise<number> =>
  (await ownersToTell(app, merchantId)).length

/**
 * Sets from which amount on live payouts of people need a second person; null: from none. A stricter rule holds at once. A weaker one
 * holds when a second owner agrees, or after a day. Throws Refusal.
 */
export async function setCheckerRule(
  app: App,
  caller: PersonCaller,
  above: number | null,
): Promise<CheckerState> {
  if (above !== null && (!Number.isSafeInteger(above) || above < 0))
    throw invalidRequest('above must be a whole amount')
  return change(app, caller, (rule, at) => {
    const now = aboveAt(rule, at)
    const kept = settled(caller, now, at)
    if (above === now) return kept
    const stricter = above !== null && (now === null || above < now)
    if (stricter) return { ...kept, above }
    const { personId: nextBy, name: nextName } = caller
    return { ...kept, nextAbove: above, nextFrom: later(at, WEAKER_AFTER_MS), nextBy, nextName }
  })
}

/** A second owner agrees to the weaker rule that waits; it holds at once. `above`: what that person has seen. Throws Refusal. */
export async function agreeToChecker(
  app: App,
  caller: PersonCaller,
  above: number | null,
): Promise<CheckerState> {
  allow({ ...caller, mode: 'live' }, 'checker.set')
  const { wanted } = await checkerState(app, caller)
  if (wanted === null) throw changedMeanwhile()
  if (wanted.by === caller.personId) throw ownWish()
  const until = await freshUntil(app, caller.merchantId, [wanted.by, caller.personId])
  if (until !== null) throw freshPerson(until)
  return change(app, caller, (rule, at) => {
    const waiting = waitingAt(rule, at)
    if (waiting === null || waiting.nextAbove !== above) throw changedMeanwhile()
    if (waiting.nextBy !== wanted.by) throw changedMeanwhile()
    return settled(caller, waiting.nextAbove, at)
  })
}

/** Any owner drops the weaker rule that waits. */
export const dropCheckerChange = (app: App, caller: PersonCaller): Promise<CheckerState> =>
  change(app, caller, (rule, at) => settled(caller, aboveAt(rule, at), at))

/** Drops weaker rules that wait and were wished by owners who are none any more. Answers how many. */
export async function dropLeftWishes(app: App): Promise<number> {
  allow(service('roles'), 'checker.set')
  const wanted = waitingWishes(app.clock.now())
  const wishes = await app.db.query(wanted.statement, wanted.values)
  const gone = await withoutRole(app, wishes, ['owner'])
  for (const { merchantId, personId } of gone)
    await app.db.transaction(async (tx) => {
      const at = app.clock.now()
      const actor = service('roles')
      const [, [rule]] = await tx.send(...lockRule(merchantId, { by: actor.name, at }))
      if (waitingAt(rule, at)?.nextBy !== personId) return { value: null }
      const changed = settled({ merchantId, name: actor.name }, aboveAt(rule, at), at)
      const [before, after] = [stateOf(rule, at), stateOf(changed, at)]
      const act = { actor, action: 'checker.set', at, merchantId, mode: 'live' } as const
      return { value: null, last: [writeRule(changed), auditRow({ ...act, before, after })] }
    })
  return gone.length
}

type Next = (rule: CheckerRule | undefined, at: Date) => CheckerRule

async function change(app: App, caller: PersonCaller, next: Next): Promise<CheckerState> {
  // The rule is about live money, wherever the owner stands.
  allow({ ...caller, mode: 'live' }, 'checker.set')
  const { merchantId } = caller
  return app.db.transaction(async (tx) => {
    const at = app.clock.now()
    const [, [rule]] = await tx.send(...lockRule(merchantId, { by: caller.name, at }))
    const changed = next(rule, at)
    const [before, after] = [stateOf(rule, at), stateOf(changed, at)]
    const act = { actor: caller, action: 'checker.set', at, merchantId, mode: 'live' } as const
    const last: Call[] = [writeRule(changed), auditRow({ ...act, before, after })]
    return { value: after, last }
  })
}

const settled = (
  { merchantId, name }: Pick<PersonCaller, 'merchantId' | 'name'>,
  above: number | null,
  at: Date,
): CheckerRule => ({
  ...{ merchantId, above, changedAt: at, changedBy: name },
  ...{ nextAbove: null, nextFrom: null, nextBy: null, nextName: null },
})

function stateOf(rule: CheckerRule | undefined, at: Date): CheckerState {
  const waiting = waitingAt(rule, at)
  const wanted = waiting && {
    above: waiting.nextAbove,
    from: waiting.nextFrom as Date, // Whoever waits has a time.
    ...{ by: waiting.nextBy as number, name: waiting.nextName ?? '' },
  }
  return { above: aboveAt(rule, at), wanted }
}

const changedMeanwhile = () =>
  new Refusal(409, 'conflict', 'nobody asks for this change any more: look at the rule again')
const ownWish = () =>
  new Refusal(403, 'same_person', 'you asked for this change yourself: a second owner must agree')
