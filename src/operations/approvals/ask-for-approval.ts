import { createHash } from 'node:crypto'
import { type Actor, actorName, type KeyCaller, type PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Call, Database, Tx } from '../../platform/db/database.ts'
import type { Mode } from '../../platform/mode.ts'
import { invalidRequest, Refusal } from '../../platform/refusal.ts'
import { canonicalJson } from '../../platform/text/canonical-json.ts'
import { newId } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import { APPROVAL_PREFIX, APPROVAL_WAIT_MS, type Approval, type ApprovalCommand } from './approval.ts'
import { judgeAsking } from './judge-approval.ts'
import { addApproval, expireAbout, findWaitingAbout } from './write-approvals.ts'

/** An operator, or a command on the machine: the person who runs it counts as another one than every operator. */
export type Asker = Exclude<Actor, KeyCaller | PersonCaller>

/** A command that needs an approval, and the database that stores it. `merchantId` 0 with the tag of the platform: the directory. */
type ApprovalInput = {
  db: Database
  clock: { now(): Date }
  merchantId: number
  tag: string
  mode: Mode
  subject: string
  command: ApprovalCommand
  /** Judges the command on rows of its transaction, and returns what is written with it. Throws Refusal. */
  extraWrites?(tx: Tx, id: string, at: Date): Promise<readonly Call[]>
}

const MAX_REASON_CHARACTERS = 500

/**
 * Stores a command until a second operator decides on it. Only one approval of a kind and subject waits at a time. Throws Refusal: 403,
 * 409 when one waits already, and what is wrong with the command.
 */
export async function askForApproval(caller: Asker, asking: ApprovalInput): Promise<Approval> {
  allow(caller, 'approval.ask')
  const { command, merchantId, mode, subject, tag, db, clock } = asking
  judgeAsking(caller, command.kind)
  judgeReason(command.reason)
  return db.transaction<Approval>(async (tx) => {
    const at = clock.now()
    const id = newId(APPROVAL_PREFIX, tag)
    const row = newApproval(caller, { ...asking, id, at })
    const others = (await asking.extraWrites?.(tx, id, at)) ?? []
    const [, [added], [waiting]] = await tx.send(expireAbout(row, at), addApproval(row), findWaitingAbout(row))
    if (!added) throw alreadyAsked(waiting?.id ?? subject)
    const act = { actor: caller, action: 'approval.ask', at, subject: id } as const
    const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
    return { value: row, last: [...others, auditRow({ ...act, ...whose, after: auditFactsOf(row) })] }
  })
}

/** The facts for the audit, which the merchant reads too: the digest of the bytes, and no name. */
export const auditFactsOf = ({ kind, digest }: Approval) => ({ kind, digest: digest.toString('hex') })

// No person has this number: every operator may decide on what a command asked for, and none may withdraw it.
const MACHINE_PERSON_ID = 0
const askerIdOf = (caller: Asker): number => (caller.kind === 'operator' ? caller.personId : MACHINE_PERSON_ID)

function newApproval(
  caller: Asker,
  { merchantId, id, mode, subject, command, at }: ApprovalInput & { id: string; at: Date },
): Approval {
  const bytes = Buffer.from(canonicalJson(command))
  return {
    ...{ merchantId, id, kind: command.kind, mode, subject, status: 'waiting', command: bytes },
    digest: createHash('sha256').update(bytes).digest(),
    ...{ reason: command.reason, askedBy: askerIdOf(caller), askedName: actorName(caller), askedAt: at },
    ...{ expiresAt: addMs(at, APPROVAL_WAIT_MS), decidedBy: null, decidedName: null, decidedAt: null },
    ...{ note: null, refused: null, refusedAt: null, waitsForMoney: false },
  }
}

function judgeReason(reason: string): void {
  if (reason.trim() === '') throw invalidRequest('reason is required', 'reason')
  if (reason.length > MAX_REASON_CHARACTERS)
    throw invalidRequest(`reason must be at most ${MAX_REASON_CHARACTERS} characters`, 'reason')
}

const alreadyAsked = (id: string) =>
  new Refusal(409, 'conflict', `somebody has asked for this already: ${id} waits for a second operator`)
