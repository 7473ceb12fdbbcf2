import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { moveCharge } from '../../payments/charges/move-charge.ts'
import { closeException, findException, type OpenedException } from '../../payments/exceptions/resolve-exception.ts'
import { movePayout } from '../../payments/payouts/move-payout.ts'
import { moveTopUp } from '../../payments/top-ups/move-top-up.ts'
import type { Call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { endAttempt } from '../../rails/attempts.ts'
import { addEvidence } from '../../rails/evidence.ts'
import type { LockedMovement } from '../../rails/lock-movements.ts'
import type { RailSide } from '../../rails/rail.ts'

/** A movement that its operator may never have received. */
type LostMovementFacts = {
  id: string
  reference: string
  installation: string
  side: RailSide
  /** The period that a statement must cover. */
  from: Date
  to: Date
  isUnknown: boolean
  isCovered: boolean
  giftCardAmount: number | null
  subaccountId: string | null
}

const HOURS_24 = `$3::timestamptz - interval '24 hours'`
const ANSWERS = `select from rail_evidence e where e.merchant_id = a.merchant_id and e.attempt_id = a.id
  and e.operation = 'status' and e.at > ${HOURS_24}`
const FIND = statement<LostMovementFacts>(
  'movement that may be lost',
  `select a.subject as id, a.id as reference, a.installation, a.side, a.earliest as "from", a.latest as "to",
     a.state in ('accepted', 'in_doubt') and a.last_answer = 'not_found' and a.first_not_found_at <= ${HOURS_24}
       and exists (${ANSWERS} and e.answer = 'not_found') and not exists (${ANSWERS} and e.answer <> 'not_found') as "isUnknown",
     exists (select from rail_statements s where s.installation = a.installation and a.side = any(s.sides)
       and s.from_at <= a.earliest and least(s.to_at, s.imported_at) >= a.latest) as "isCovered",
     c.gift_card_amount as "giftCardAmount", p.subaccount_id as "subaccountId"
   from (select *, first_sent_at - interval '2 hours' as earliest,
       greatest(sending_since, first_sent_at) + interval '26 hours' as latest from rail_attempts
     where merchant_id = $1 and subject = $2) a
   left join charges c on c.merchant_id = a.merchant_id and c.id = a.subject
   left join payouts p on p.merchant_id = a.merchant_id and p.id = a.subject`,
)
// A line without our id is stored in the first cell, wherever its movement is. Some statements write references in capitals.
const LINES_ABOUT = statement(
  'statement lines about movement',
  `select 1 from rail_statement_lines where lower(external_id) = any($1::text[])
   union all select 1 from rail_statement_lines where rail_transaction_id = any($1::text[]) limit 1`,
)
const FAILURE_REASON = 'timeout'
const DAY_MS = 86_400_000

/**
 * Fails a movement that its operator never received (rails.md 5.4): for 24 hours it has answered nothing but "not found", and a statement
 * of its own that covers the movement's time has no line about it. Its money goes back, and the exception is resolved. Throws a refusal
 * that says what is missing, with nothing written.
 */
export async function endLost(
  app: App,
  actor: Actor,
  { merchantId, id, note }: { merchantId: number; id: string; note: string },
): Promise<OpenedException> {
  allow(actor, 'movement.end-lost', merchantId)
  const exception = await findException(app, merchantId, id)
  if (exception === null) throw notFound('exception')
  if (exception.closedAt !== null) throw domainRefusal('conflict', 'this exception was already resolved')
  if (exception.kind !== 'never_arrived')
    throw domainRefusal(
      'conflict',
      `only a movement that its operator never knew can be ended so: this exception is ${exception.kind}`,
    )
  const [lost] = await app.db.query(FIND, [merchantId, exception.subject, app.clock.now().toISOString()])
  if (!lost) throw notFound('movement')
  await refuseWithoutProof(app, lost)
  const ended = { closedAt: app.clock.now(), note, resolvedBy: actorName(actor) }
  const closed: OpenedException = { ...exception, ...ended, resolution: 'ended_lost' }
  const alongside = [...outcomeWrites(app, actor, { merchantId, lost, note }), closeException(closed)]
  const moved = await failMovement(app, { merchantId, lost, alongside })
  if (moved !== 'moved') throw domainRefusal('conflict', 'its operator has answered in the meantime: look at it again')
  return closed
}

/** A statement covers a period only once all its lines are stored, so the lines are read after it. */
async function refuseWithoutProof(app: App, lost: LostMovementFacts): Promise<void> {
  const { id, reference, installation, side, from, to, isUnknown, isCovered } = lost
  if (!isUnknown)
    throw domainRefusal('conflict', `its operator has not answered "not found", and nothing else, for 24 hours`)
  if (!isCovered)
    throw domainRefusal(
      'conflict',
      `no imported statement of ${installation} with ${side} lines covers ${from.toISOString()} to ${to.toISOString()}`,
    )
  const names = [id, reference]
  const lines = await Promise.all(app.allCells().map((cell) => cell.db.query(LINES_ABOUT, [names])))
  if (lines.flat().length > 0) throw domainRefusal('conflict', `a statement of its operator has a line about ${id}`)
}

type FailLostInput = { merchantId: number; lost: LostMovementFacts; alongside: readonly Call[] }

/** Fails the movement by the mover of its noun, if the proof still holds on the locked rows. */
function failMovement(app: App, { merchantId, lost, alongside }: FailLostInput): Promise<string> {
  const key = { merchantId, id: lost.id, mode: 'live' } as const
  const still = (post: LockedMovement<string>) => isStillLost(post, app.clock.nowMs())
  const end = { to: { status: 'failed', reason: FAILURE_REASON }, still, alongside } as const
  if (lost.giftCardAmount !== null)
    return moveCharge(app, { charge: { ...key, giftCardAmount: lost.giftCardAmount }, ...end })
  if (lost.side === 'collect') return moveTopUp(app, { topUp: key, ...end })
  return movePayout(app, { payout: { ...key, subaccountId: lost.subaccountId }, ...end })
}

const isStillLost = ({ state, lastAnswer, firstNotFoundAt }: LockedMovement<string>, nowMs: number): boolean =>
  (state === 'accepted' || state === 'in_doubt') &&
  lastAnswer === 'not_found' &&
  firstNotFoundAt !== null &&
  firstNotFoundAt.getTime() <= nowMs - DAY_MS

function outcomeWrites(
  app: App,
  actor: Actor,
  { merchantId, lost, note }: { merchantId: number; lost: LostMovementFacts; note: string },
): Call[] {
  const { id: subject, reference, installation } = lost
  const at = app.clock.now()
  const evidence = { at, operation: 'statement', stage: 'answered', elapsedMs: 0 } as const
  const act = { actor, action: 'movement.end-lost', at, merchantId, mode: 'live', subject } as const
  return [
    endAttempt({ merchantId, reference }, { at }),
    addEvidence({ merchantId, reference, installation }, 'failed', evidence),
    auditRow({ ...act, after: { status: 'failed', reason: FAILURE_REASON, note, by: actorName(actor) } }),
  ]
}
