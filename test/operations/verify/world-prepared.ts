import { createHash } from 'node:crypto'
import { addDraft, type BulkDraft } from '../../../src/payments/payouts/bulk/drafts/draft.ts'
import type { StoredPrepared } from '../../../src/payments/payouts/prepared/prepared-payout.ts'
import {
  addPrepared,
  approvePreparedRow,
  endPreparedRow,
  expireDuePrepared,
} from '../../../src/payments/payouts/prepared/write-prepared.ts'
import { addMs } from '../../../src/platform/time/clock.ts'
import type { App } from '../../../src/program/app.ts'
import { PAYOUT, PREPARED } from './names.ts'
import { write } from './world-charges.ts'

const HOUR_MS = 3_600_000

/** What one person of merchant 3 has prepared, in every status. The approved one made a payout that was paid. */
export async function prepareAll(app: App): Promise<void> {
  const at = app.clock.now()
  const decided = { merchantId: 3, decidedBy: 2, decidedName: 'second@three.invalid', at }
  const own = { ...decided, decidedBy: 1, decidedName: 'first@three.invalid' }
  await write(app.db, addDraft(draft(at)))
  await write(app.db, ...Object.values(PREPARED).map((id) => addPrepared(prepared(id, at))))
  await write(
    app.db,
    approvePreparedRow({ ...decided, id: PREPARED.approved, objectId: PAYOUT.livePaid }),
    endPreparedRow({ ...decided, id: PREPARED.rejected }, { status: 'rejected', reason: 'paid in cash' }),
    endPreparedRow({ ...own, id: PREPARED.withdrawn }, { status: 'withdrawn', reason: null }),
    expireDuePrepared(addMs(at, HOUR_MS), 10),
  )
}

const REQUEST = Buffer.from('{"amount":20000,"recipient":{"phone":"256700000000"}}')
export const FINGERPRINT = createHash('sha256').update(REQUEST).digest()

const prepared = (id: string, at: Date): StoredPrepared => ({
  ...{ merchantId: 3, id, mode: 'live', kind: 'payout', status: 'prepared' },
  request: REQUEST,
  fingerprint: FINGERPRINT,
  ...{ amount: 20_000, fees: 300, recipients: 1, note: null },
  ...{ madeBy: 1, madeName: 'first@three.invalid', createdAt: addMs(at, -HOUR_MS) },
  expiresAt: addMs(at, id === PREPARED.expired ? 0 : 6 * 24 * HOUR_MS),
  ...{ decidedBy: null, decidedName: null, decidedAt: null, reason: null },
  ...{ objectId: null, tries: 0, takenBack: false },
})

/** A file that somebody has uploaded and not sent. */
const draft = (at: Date): BulkDraft => ({
  ...{ merchantId: 3, id: 'bdr_threeupload0000000000', mode: 'live', name: 'july.csv' },
  csv: Buffer.from('phone,amount,reference\n0700000000,5000,a\n'),
  ...{ addedLines: 0, layout: null, lines: 1, madeBy: 1, madeName: 'first@three.invalid', objectId: null },
  ...{ createdAt: at, expiresAt: addMs(at, 24 * HOUR_MS) },
})
