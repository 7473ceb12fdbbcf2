import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { lockHeads } from '../ledger/book.ts'
import { assert } from '../platform/assert.ts'
import { type Call, call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { domainRefusal } from '../platform/refusal.ts'
import type { Merchant } from './merchant.ts'
import { setMerchant } from './set-merchant.ts'

type Kept = { charges: boolean; payouts: boolean; topUps: boolean; exceptions: boolean }

const KEPT = statement<Kept>(
  'what a merchant has',
  // The attempts are for charges that were taken back unseen: no index of charges has those.
  `select (exists (select from charges where merchant_id = $1 and mode = 'live' and published and completed_at is not null)
       or exists (select from charges where merchant_id = $1 and mode = 'live' and follow_at is not null)
       or exists (select from rail_attempts where merchant_id = $1 and subject like 'txn\\_%')) as charges,
     exists (select from payouts where merchant_id = $1 and mode = 'live') as payouts,
     exists (select from top_ups where merchant_id = $1) as "topUps",
     exists (select from exceptions where merchant_id = $1 and closed_at is null) as exceptions`,
)
const CLOSE = statement('close merchant', 'update merchants set closed_at = $2 where id = $1')

/**
 * Closes a merchant that was never used with real money: it is switched off for good. Nothing is deleted. Throws a Refusal that says what
 * stands against it: money, a hold, or records that are kept.
 */
export async function closeMerchant(
  app: App,
  actor: Actor,
  { merchant, says }: { merchant: Merchant; says: string },
): Promise<Merchant> {
  allow(actor, 'merchant.close', merchant.id)
  return setMerchant(app, actor, {
    merchant,
    change: { active: false, inactiveFor: says },
    along: (tx, before) => close(app, tx, { actor, before }),
  })
}

async function close(
  app: App,
  tx: Tx,
  { actor, before }: { actor: Actor; before: Merchant },
): Promise<Call[]> {
  // The head is what live money is reserved and booked under: while it is locked none comes and none goes.
  const [[head], [kept]] = await tx.send(
    lockHeads([{ merchantId: before.id, mode: 'live' }]),
    call(KEPT, before.id),
  )
  assert(head && kept, 'a merchant has a head in each mode')
  const money = head.available + head.pending + head.in_flight
  if (money > 0)
    throw refused(
      `this merchant has UGX ${money} (available ${head.available}, pending ${head.pending}, in flight ${head.in_flight})`,
    )
  if (kept.exceptions) throw refused('this merchant has open exceptions')
  if (head.seq > 0 || kept.charges || kept.payouts || kept.topUps)
    throw refused('this merchant has moved real money, and its records are kept')
  const at = app.clock.now()
  const act = {
    actor,
    action: 'merchant.close',
    at,
    merchantId: before.id,
    subject: before.publicId,
  } as const
  return [call(CLOSE, before.id, at.toISOString()), auditRow({ ...act, after: { closed: true } })]
}

const refused = (why: string) =>
  domainRefusal('merchant_in_use', `${why}; it cannot be closed: deactivate it instead`)
