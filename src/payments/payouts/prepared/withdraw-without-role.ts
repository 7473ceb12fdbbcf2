import { ruleOf } from '../../../api/access/actions.ts'
import { serviceActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { filterWithoutRole, type MembershipKey } from '../../../merchants/people/roles.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { PREPARED_COLUMNS, type PreparedPayout } from './prepared-payout.ts'
import { endPreparedRow } from './write-prepared.ts'

// What a person has prepared ends with that person's role. The roles are in the directory and the rows in a cell, so they do not commit
// together: an approval checks the role again before anything is sent.

const MAX_SCANNED = 5000
// One merchant has at most two hundred waiting in each mode.
const MAX_PER_MAKER = 400

const MAKERS = statement<MembershipKey>(
  'makers of what waits',
  `select distinct w.merchant_id as "merchantId", w.made_by as "personId" from (
     select merchant_id, made_by from prepared_payouts where status = 'prepared' order by expires_at limit ${MAX_SCANNED}) w`,
)
const WAITING_OF_MAKER = statement<PreparedPayout>(
  'what a maker has waiting',
  `select ${PREPARED_COLUMNS} from prepared_payouts r where r.merchant_id = $1 and r.made_by = $2 and r.status = 'prepared'
   order by r.id limit ${MAX_PER_MAKER} for no key update of r`,
)

const MAKER_GONE = 'whoever prepared it may not do so any more'
const PREPARERS = ruleOf('payout.prepare').persons ?? []

/** Withdraws what waits of people who may no longer prepare payouts. Returns how many. */
export async function withdrawWithoutRole(app: App): Promise<number> {
  allow(serviceActor('roles'), 'payout.withdraw')
  const gone = await filterWithoutRole(app, await app.db.query(MAKERS), PREPARERS)
  let withdrawn = 0
  for (const maker of gone) withdrawn += await withdrawOfMaker(app, maker)
  return withdrawn
}

/** Withdraws what waits of one maker, if its role has ended. Returns how many were withdrawn. */
export async function withdrawIfRoleEnded(app: App, maker: MembershipKey): Promise<number> {
  const [gone] = await filterWithoutRole(app, [maker], PREPARERS)
  return gone ? withdrawOfMaker(app, gone) : 0
}

/** Withdraws what waits of one maker, as the maker would have done; the audit names the service. */
function withdrawOfMaker(app: App, { merchantId, personId }: MembershipKey): Promise<number> {
  return app.db.transaction<number>(async (tx) => {
    const at = app.clock.now()
    const [rows] = await tx.send(call(WAITING_OF_MAKER, merchantId, personId))
    const last = rows.flatMap(({ id, mode, status, madeBy, madeName }) => {
      const decision = { merchantId, id, decidedBy: madeBy, decidedName: madeName, at }
      const act = { actor: serviceActor('roles'), action: 'payout.withdraw', at, merchantId, mode } as const
      const states = { before: { status }, after: { status: 'withdrawn', reason: MAKER_GONE } }
      return [
        endPreparedRow(decision, { status: 'withdrawn', reason: MAKER_GONE }),
        auditRow({ ...act, subject: id, ...states }),
      ]
    })
    return { value: rows.length, last }
  })
}
