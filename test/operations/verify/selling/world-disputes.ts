import { assert } from '../../../../src/platform/assert.ts'
import type { App } from '../../../../src/program/app.ts'
import { closeDispute, listDisputes } from '../../../../src/selling/disputes/close-dispute.ts'
import { openDispute } from '../../../../src/selling/disputes/open-dispute.ts'
import { BY_HAND, CUSTOMER } from '../../../helpers/service/actors.ts'
import { CHARGE, REFUNDED } from '../names.ts'

/** The charges with which customers reported a problem, by what became of the report or of the charge. */
export const DISPUTED = { open: CHARGE.held, closed: CHARGE.testPaid, refunded: REFUNDED.paid }

/** An open report of a paid charge, one of a refunded charge, and a closed one. */
export async function reportProblems(app: App): Promise<void> {
  const report = {
    reason: 'not_delivered',
    details: 'Nothing came.\nI "waited".',
    contact: '0772 000 001',
  } as const
  const bare = { reason: 'other', details: null, contact: null } as const
  await openDispute(app, CUSTOMER, { merchantId: 1, chargeId: DISPUTED.open, report })
  await openDispute(app, CUSTOMER, { merchantId: 3, chargeId: DISPUTED.refunded, report: bare })
  await openDispute(app, CUSTOMER, { merchantId: 1, chargeId: DISPUTED.closed, report: bare })
  const [last] = await listDisputes(app, 1, { mode: 'test', state: 'unclosed' })
  assert(last, 'the report of a test charge was stored')
  await closeDispute(app, BY_HAND, { merchantId: 1, id: last.id })
}
