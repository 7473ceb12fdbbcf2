import { ruleOf } from '../../actors/actions.ts'
import { service } from '../../actors/actor.ts'
import { allow } from '../../actors/allow.ts'
import { auditRow } from '../../actors/audit-row.ts'
import type { App } from '../../app.ts'
import { type AtWork, withoutRole } from '../../people/roles.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { PREPARED_COLUMNS, type PreparedPayout } from './prepared-payout.ts'
import { endPreparedRow } from './write-prepared.ts'

// What a person has prepared ends with that person's role. The roles are in the directory and the rows in a cell, so they do not commit
// together: an approval checks the role again before anything is sent.

const MOST_LOOKED_AT = 5000
// One merchant has at most two hundred waiting in each mode.
const MOST_OF_ONE = 400

const MAKERS = statement<AtWork>(
  'makers of what waits',
  `select distinct w.merchant_id as "merchantId", w.made_by as "personId" from (
     select merchant_id, made_by from prepared_payouts where status = 'prepared' order by expires_at limit ${MOST_LOOKED_AT}) w`,
)
const OF_MAKER = statement<PreparedPayout>(
  'what a maker has waiting',
  `select ${PREPARED_COLUMNS} from prepared_payouts r where r.merchant_id = $1 and r.made_by = $2 and r.status = 'prepared'
   order by r.id limit ${MOST_OF_ONE} for no key update of r`,
)

const MAKER_GONE = 'whoever prepared it may not do so any more'
const PREPARERS = ruleOf('payout.prepare').persons ?? []

/** Withdraws what waits of people who may no longer prepare payouts. Returns how many. */
export async function withdrawLeft(app: App): Promise<number> {
  allow(service('roles'), 'payout.withdraw')
  const gone = await withoutRole(app, await app.db.query(MAKERS), PREPARERS)
  let withdrawn = 0
  for (const maker of gone) withdrawn += await withdrawOf(app, maker)
  return withdrawn
}

/** Withdraws what waits of one maker, if its role has ended. Returns how many were withdrawn. */
export async function withdrawIfLeft(app: App, maker: AtWork): Promise<number> {
  const [gone] = await withoutRole(app, [maker], PREPARERS)
  return gone ? withdrawOf(app, gone) : 0
}

/** Withdraws what waits of one maker, as the maker would have done; the audit names the service. */
function withdrawOf(app: App, { merchantId, personId }: AtWork): Promise<number> {
  return app.db.transaction<number>(async (tx) => {
    const at = app.clock.now()
    const [rows] = await tx.send(call(OF_MAKER, merchantId, personId))
    const last = rows.flatMap(({ id, mode, status, madeBy, madeName }) => {
      const decision = { merchantId, id, decidedBy: madeBy, decidedName: madeName, at }
      const act = { actor: service('roles'), action: 'payout.withdraw', at, merchantId, mode } as const
      const states = { before: { status }, after: { status: 'withdrawn', reason: MAKER_GONE } }
      return [
        endPreparedRow(decision, { status: 'withdrawn', reason: MAKER_GONE }),
        auditRow({ ...act, subject: id, ...states }),
      ]
    })
    return { value: rows.length, last }
  })
}
