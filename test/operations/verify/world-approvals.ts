import { createHash } from 'node:crypto'
import { lockHeads, openBook } from '../../../src/ledger/book.ts'
import { addAdjustment, postCorrection } from '../../../src/ledger/corrections.ts'
import type { Approval, ApprovalCommands } from '../../../src/operations/approvals/approval.ts'
import { addApproval, decideApproval, expireDueApprovals } from '../../../src/operations/approvals/write-approvals.ts'
import { addExceptionNote } from '../../../src/payments/exceptions/notes.ts'
import { canonicalJson } from '../../../src/platform/text/canonical-json.ts'
import { addMs } from '../../../src/platform/time/clock.ts'
import type { App } from '../../../src/program/app.ts'
import { ADJUSTED, APPROVAL, PAYOUT } from './names.ts'
import { write } from './world-charges.ts'

const HOUR_MS = 3_600_000
const ABOUT = PAYOUT.livePaid

/** An exception of merchant 3 that two operators have adjusted, and what else one of them has asked for. */
export async function correctBooks(app: App): Promise<void> {
  const at = app.clock.now()
  const { exception } = ADJUSTED
  await app.db.pool.query(
    `insert into exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at, last_seen_at, closed_at, note, resolved_by,
       resolution) values (3, $1, 'live', 'mismatch', 'critical', $2, '{}', $3, $3, $4, 'corrected', 'second', 'adjusted')`,
    [exception, ABOUT, addMs(at, -HOUR_MS).toISOString(), at.toISOString()],
  )
  await write(app.db, addExceptionNote({ merchantId: 3, id: exception, at, by: 'first', kind: 'note', text: 'seen' }))
  await write(app.db, ...Object.values(APPROVAL).map((id) => addApproval(asked(id, at))))
  const own = { merchantId: 3, at, note: null }
  const first = { personId: 1, name: 'first' }
  const second = { personId: 2, name: 'second' }
  const correction = { ...command(APPROVAL.approved), merchantId: 3 }
  await app.db.transaction(async (tx) => {
    const [heads] = await tx.send(lockHeads([{ merchantId: 3, mode: 'live' }]))
    const book = openBook(heads, at)
    postCorrection(book, correction)
    return {
      value: null,
      last: [
        ...book.writes(),
        addAdjustment({ ...correction, approval: APPROVAL.approved, at }),
        decideApproval({ ...own, id: APPROVAL.approved, status: 'approved', by: second }),
        decideApproval({ ...own, id: APPROVAL.rejected, status: 'rejected', by: second }),
        decideApproval({ ...own, id: APPROVAL.withdrawn, status: 'withdrawn', by: first }),
      ],
    }
  })
  await write(app.db, expireDueApprovals(addMs(at, HOUR_MS), 10))
}

const command = (id: string): ApprovalCommands['adjustment'] => ({
  ...{ kind: 'adjustment', merchant: 'mer_three', mode: 'live', about: ABOUT, direction: 'out' },
  exception: id === APPROVAL.approved ? ADJUSTED.exception : `${ADJUSTED.exception}${id}`,
  id: id === APPROVAL.approved ? ADJUSTED.id : `adj_${id}`,
  ...{
    against: 'rail',
    amount: 1,
    told: 'It was paid after all',
    resolve: true,
    reason: 'statement of today',
  },
})

function asked(id: string, at: Date): Approval {
  const bytes = Buffer.from(canonicalJson(command(id)))
  return {
    ...{
      merchantId: 3,
      id,
      kind: 'adjustment',
      mode: 'live',
      subject: command(id).exception,
      status: 'waiting',
    },
    ...{ command: bytes, digest: createHash('sha256').update(bytes).digest(), reason: 'statement of today' },
    ...{
      askedBy: 1,
      askedName: 'first',
      askedAt: addMs(at, -HOUR_MS),
      expiresAt: addMs(at, id === APPROVAL.expired ? 0 : 23 * HOUR_MS),
    },
    ...{ decidedBy: null, decidedName: null, decidedAt: null, note: null, refused: null, refusedAt: null },
    waitsForMoney: false,
  }
}
