import assert from 'node:assert/strict'
import { auditRow } from '../../../src/api/access/audit-row.ts'
import { decideStandingOrder } from '../../../src/payments/withdrawals/standing-orders/decide-standing-order.ts'
import { findStandingOrder } from '../../../src/payments/withdrawals/standing-orders/find-standing-orders.ts'
import { runStandingOrder } from '../../../src/payments/withdrawals/standing-orders/run-standing-order.ts'
// Its statement is taken by name.
import '../../../src/payments/withdrawals/standing-orders/set-standing-order.ts'
import { call } from '../../../src/platform/db/database.ts'
import type { App } from '../../../src/program/app.ts'
import { operator, owner } from '../../helpers/service/actors.ts'
import { STANDING_ORDER as id, TAGS } from './names.ts'
import { product, write } from './world-charges.ts'

const merchantId = 3
const TERMS = { rhythm: 'above', weekday: null, hour: null, keepBack: 100, least: 1000, dayLimit: 3000 }

/** Merchant 3 has a standing order, which has sent once by itself and asked staff once, above its limit. */
export async function orderStanding(app: App): Promise<void> {
  const at = app.clock.now()
  const { rhythm, weekday, hour, keepBack, least, dayLimit } = TERMS
  const terms = [rhythm, weekday, hour, keepBack, least, dayLimit]
  const actor = owner({ merchantId, tag: TAGS[3], cell: app.cell, mode: 'live' })
  await write(
    app.db,
    call(product('add standing order'), merchantId, id, ...terms, at.toISOString()),
    auditRow({
      ...{ actor, action: 'standing-order.set', at, merchantId, mode: 'live', subject: id },
      after: { ...TERMS, revision: 1 },
    }),
  )
  const decision = { merchantId, id, revision: 1, decision: 'approved', phone: '256700000009', limit: 2500 } as const
  await decideStandingOrder(app, operator('finance', 88_001), decision)
  // 2000 at a time: the second of them is above the limit.
  const inParts = { ...app, config: { ...app.config, railPayoutMax: 2000 } } as App
  for (const found of ['sent', 'asked']) {
    const order = await findStandingOrder(app, merchantId)
    assert.ok(order?.dueAt)
    assert.equal(await runStandingOrder(inParts, { merchantId, id, dueAt: order.dueAt }), found)
  }
}
