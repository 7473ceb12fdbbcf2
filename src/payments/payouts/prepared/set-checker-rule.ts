import { type PersonCaller, serviceActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { readMailOwners } from '../../../merchants/account/mail-owners.ts'
import { filterWithoutRole, readFreshRoleEnd } from '../../../merchants/people/roles.ts'
import type { Call } from '../../../platform/db/database.ts'
import { invalidRequest, Refusal } from '../../../platform/refusal.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import {
  aboveAt,
  type CheckerRule,
  findRule,
  lockRule,
  pendingChangeAt,
  pendingRuleChanges,
  writeRule,
} from './checker-rule.ts'
import { freshPerson } from './open-checks.ts'

/** How long a weaker rule waits where no second person agrees (docs/decisions/0026). */
export const WEAKER_AFTER_MS = 24 * 3_600_000

/** The rule that holds now, and the weaker one that an owner has asked for. Amounts are whole UGX; null: no second person is needed. */
export type CheckerState = {
  above: number | null
  wanted: { above: number | null; from: Date; by: number; name: string } | null
}

/** Reads the present rule of the second person. */
export async function checkerState(app: App, { merchantId }: PersonCaller): Promise<CheckerState> {
  const read = findRule(merchantId)
  const [rule] = await app.db.query(read.statement, read.values)
  return buildState(rule, app.clock.now())
}

/** Sets the rule for an owner on the dashboard like setCheckerRule, but refuses it where no other owner could approve. Throws Refusal. */
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
      { field: 'above' },
    )
  return setCheckerRule(app, caller, above)
}

/** Counts the owners who can approve: those with a proven address. */
const countOwners = async (app: App, merchantId: number): Promise<number> =>
  (await readMailOwners(app, merchantId)).length

/**
 * Sets the amount above which live payouts of people need a second person; null: none needs one. A stricter rule holds at once. A
 * weaker one holds when a second owner agrees, or after a day. Throws Refusal.
 */
export async function setCheckerRule(app: App, caller: PersonCaller, above: number | null): Promise<CheckerState> {
  if (above !== null && (!Number.isSafeInteger(above) || above < 0))
    throw invalidRequest('above must be a whole amount', 'above')
  return changeRule(app, caller, (rule, at) => {
    const now = aboveAt(rule, at)
    const present = withoutPendingChange(caller, now, at)
    if (above === now) return present
    const stricter = above !== null && (now === null || above < now)
    if (stricter) return { ...present, above }
    const { personId: nextBy, name: nextName } = caller
    return { ...present, nextAbove: above, nextFrom: addMs(at, WEAKER_AFTER_MS), nextBy, nextName }
  })
}

/** Agrees, as a second owner, to the weaker rule that waits, which then holds at once. `above`: the rule that this person saw. Throws Refusal. */
export async function agreeToChecker(app: App, caller: PersonCaller, above: number | null): Promise<CheckerState> {
  allow({ ...caller, mode: 'live' }, 'checker.set')
  const { wanted } = await checkerState(app, caller)
  if (wanted === null) throw changedMeanwhile()
  if (wanted.by === caller.personId) throw ownChange()
  const until = await readFreshRoleEnd(app, caller.merchantId, [wanted.by, caller.personId])
  if (until !== null) throw freshPerson(until)
  return changeRule(app, caller, (rule, at) => {
    const waiting = pendingChangeAt(rule, at)
    if (waiting === null || waiting.nextAbove !== above) throw changedMeanwhile()
    if (waiting.nextBy !== wanted.by) throw changedMeanwhile()
    return withoutPendingChange(caller, waiting.nextAbove, at)
  })
}

/** Drops the weaker rule that waits, by any owner. */
export const dropCheckerChange = (app: App, caller: PersonCaller): Promise<CheckerState> =>
  changeRule(app, caller, (rule, at) => withoutPendingChange(caller, aboveAt(rule, at), at))

/** Drops the weaker rules that wait and were asked for by people who are no longer owners. Returns how many. */
export async function dropChangesWithoutRole(app: App): Promise<number> {
  allow(serviceActor('roles'), 'checker.set')
  const read = pendingRuleChanges(app.clock.now())
  const pending = await app.db.query(read.statement, read.values)
  const formerOwners = await filterWithoutRole(app, pending, ['owner'])
  for (const { merchantId, personId } of formerOwners)
    await app.db.transaction(async (tx) => {
      const at = app.clock.now()
      const actor = serviceActor('roles')
      const [, [rule]] = await tx.send(...lockRule(merchantId, { by: actor.name, at }))
      if (pendingChangeAt(rule, at)?.nextBy !== personId) return { value: null }
      const changed = withoutPendingChange({ merchantId, name: actor.name }, aboveAt(rule, at), at)
      const [before, after] = [buildState(rule, at), buildState(changed, at)]
      const act = { actor, action: 'checker.set', at, merchantId, mode: 'live' } as const
      return { value: null, last: [writeRule(changed), auditRow({ ...act, before, after })] }
    })
  return formerOwners.length
}

type NextRule = (rule: CheckerRule | undefined, at: Date) => CheckerRule

async function changeRule(app: App, caller: PersonCaller, next: NextRule): Promise<CheckerState> {
  // The rule is about live money, whatever mode the owner's page is in.
  allow({ ...caller, mode: 'live' }, 'checker.set')
  const { merchantId } = caller
  return app.db.transaction(async (tx) => {
    const at = app.clock.now()
    const [, [rule]] = await tx.send(...lockRule(merchantId, { by: caller.name, at }))
    const changed = next(rule, at)
    const [before, after] = [buildState(rule, at), buildState(changed, at)]
    const act = { actor: caller, action: 'checker.set', at, merchantId, mode: 'live' } as const
    const last: Call[] = [writeRule(changed), auditRow({ ...act, before, after })]
    return { value: after, last }
  })
}

const withoutPendingChange = (
  { merchantId, name }: Pick<PersonCaller, 'merchantId' | 'name'>,
  above: number | null,
  at: Date,
): CheckerRule => ({
  ...{ merchantId, above, changedAt: at, changedBy: name },
  ...{ nextAbove: null, nextFrom: null, nextBy: null, nextName: null },
})

function buildState(rule: CheckerRule | undefined, at: Date): CheckerState {
  const waiting = pendingChangeAt(rule, at)
  const wanted = waiting && {
    above: waiting.nextAbove,
    from: waiting.nextFrom as Date, // A rule that waits has a time.
    ...{ by: waiting.nextBy as number, name: waiting.nextName ?? '' },
  }
  return { above: aboveAt(rule, at), wanted }
}

const changedMeanwhile = () =>
  new Refusal(409, 'conflict', 'nobody asks for this change any more: look at the rule again')
const ownChange = () => new Refusal(403, 'same_person', 'you asked for this change yourself: a second owner must agree')
