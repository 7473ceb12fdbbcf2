import type { Caller, PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { assert } from '../../../platform/assert.ts'
import type { Call, Tx } from '../../../platform/db/database.ts'
import { notFound, Refusal } from '../../../platform/refusal.ts'
import { kampalaTime } from '../../../platform/time/kampala.ts'
import { aboveAt, type CheckerRule, shareRules } from './checker-rule.ts'
import type { PreparedPayout, StoredPrepared } from './prepared-payout.ts'
import { approvePreparedRow, lockPrepared } from './write-prepared.ts'

/** The prepared payout that is being approved. Until `freshUntil` its maker and its approver count as one person; null: they are two. */
export type ApprovalInProgress = { id: string; freshUntil: Date | null }
/** A request that moves money out. `prepared`: the prepared payout that its caller approves with it, if any. */
export type CheckedRequest = {
  caller: Caller
  fingerprint: Buffer
  prepared?: ApprovalInProgress | undefined
}

/** The rules and prepared payouts that decide whether a person may send a request, read and locked for one commit. */
export type CheckerChecks = {
  /**
   * Judges a request for `amount` (whole UGX, without fees), runs `make`, and marks its prepared payout as approved. Throws Refusal; a
   * refusal of an approval is never stored under the key, so that the approval may come again.
   */
  passing<Made extends { id: string }>(request: CheckedRequest, amount: number, make: () => Made): Made
  writes(): Call[]
}

// API keys need no second person, so their batches read nothing.
const NO_PERSONS: CheckerChecks = { passing: (_request, _amount, make) => make(), writes: () => [] }

/** Opens the checks of maker and checker, in the transaction that sends the money, on locked rows. Nothing else judges them. */
export async function openChecks(tx: Tx, requests: readonly CheckedRequest[], at: Date): Promise<CheckerChecks> {
  const persons = requests.filter(({ caller }) => caller.kind === 'person')
  if (persons.length === 0) return NO_PERSONS
  const keys = persons.flatMap(({ caller: { merchantId }, prepared }) =>
    prepared === undefined ? [] : [{ merchantId, id: prepared.id }],
  )
  const [rules, prepared] = await tx.send(
    shareRules([...new Set(persons.map(({ caller }) => caller.merchantId))]),
    lockPrepared(keys),
  )
  return buildChecks({ rules, prepared, at })
}

type LockedChecks = { rules: readonly CheckerRule[]; prepared: readonly StoredPrepared[]; at: Date }

function buildChecks({ rules, prepared, at }: LockedChecks): CheckerChecks {
  const writes: Call[] = []

  function getApprovable(caller: PersonCaller, request: CheckedRequest): StoredPrepared {
    const row = prepared.find(
      ({ merchantId, id, mode }) =>
        merchantId === caller.merchantId && id === request.prepared?.id && mode === caller.mode,
    )
    allow(caller, 'payout.approve')
    if (row === undefined) throw notFound('prepared payout')
    judgeApproval(row, caller, at)
    assert(row.fingerprint.equals(request.fingerprint), 'an approval runs exactly what was prepared')
    return row
  }

  function markApproved(row: StoredPrepared, caller: PersonCaller, objectId: string): void {
    const { merchantId, id, mode } = row
    const act = { actor: caller, action: 'payout.approve', at, merchantId, mode, subject: id } as const
    const after = { kind: row.kind, amount: row.amount, prepared_by: row.madeName, object: objectId }
    const decision = { merchantId, id, decidedBy: caller.personId, decidedName: caller.name, at }
    writes.push(approvePreparedRow({ ...decision, objectId }), auditRow({ ...act, after }))
    row.status = 'approved'
    row.takenBack = false
  }

  return {
    passing(request, amount, make) {
      const { caller } = request
      if (caller.kind !== 'person') return make()
      const rule = rules.find(({ merchantId }) => merchantId === caller.merchantId)
      const above = findLimit(caller, amount, rule)
      if (request.prepared === undefined) {
        if (above !== null) throw secondPersonNeeded(above)
        return make()
      }
      const row = getApprovable(caller, request)
      const { freshUntil } = request.prepared
      if (above !== null && freshUntil !== null && freshUntil > at) throw freshPerson(freshUntil)
      const made = withoutStoring(make)
      markApproved(row, caller, made.id)
      return made
    },
    writes: () => writes,
  }

  /** Returns the amount above which two persons are needed, if this is above it; null: the person may send it alone. */
  function findLimit({ mode }: PersonCaller, amount: number, rule: CheckerRule | undefined): number | null {
    const above = aboveAt(rule, at)
    return mode === 'live' && above !== null && amount > above ? above : null
  }
}

/** Runs `make` so that a refusal leaves the key free: the approval may come again, for example when there is money. */
function withoutStoring<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof Refusal && error.stored)) throw error
    throw new Refusal(error.status, error.code, error.message, { hint: error.hint })
  }
}

/** Judges whether this person may approve it now. Throws Refusal. */
export function judgeApproval(row: PreparedPayout, { personId }: PersonCaller, at: Date): void {
  if (row.madeBy === personId) throw samePerson()
  if (row.status === 'approved' && row.takenBack) {
    if (row.expiresAt <= at) throw preparedAlreadyDecided('expired')
    return
  }
  if (row.status !== 'prepared') throw preparedAlreadyDecided(row.status)
  if (row.expiresAt <= at) throw preparedAlreadyDecided('expired')
}

export const SECOND_PERSON = 'second_person_required'

const secondPersonNeeded = (above: number) =>
  new Refusal(
    403,
    SECOND_PERSON,
    `live payouts of more than ${above} need a second person: prepare this one, and let another owner approve it`,
  )
export const freshPerson = (until: Date) =>
  new Refusal(
    403,
    'fresh_person',
    `one of you two got the present role less than a day ago: you count as two persons from ${kampalaTime(until)} on`,
  )
export const samePerson = () =>
  new Refusal(403, 'same_person', 'you prepared this yourself: a second person must decide on it')
export const preparedAlreadyDecided = (status: string) =>
  new Refusal(409, 'conflict', `this prepared payout was already ${status}`)
