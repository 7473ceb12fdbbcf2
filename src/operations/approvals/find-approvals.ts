import { reachedCells } from '../../platform/db/cell-watch.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import { type MergedPage, type MergedWindow, mergedList, readMergedPage } from '../../platform/merged-pages.ts'
import { notFound } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { APPROVAL_COLUMNS, type Approval } from './approval.ts'
import { type ApprovalLocation, locateApproval } from './approval-location.ts'
import { isApprovalExpired } from './judge-approval.ts'

/** The three lists: waiting for this person's decision, asked for by this person, and decided. */
export type ApprovalList = 'for-me' | 'by-me' | 'decided'

const WAITING = mergedList<Approval>(
  'approvals that wait',
  'a.asked_at',
  `select ${APPROVAL_COLUMNS} from approvals a where {beyond} and a.status = 'waiting' and (a.expires_at > $4 or a.waits_for_money)
     and ($5 and a.asked_by = $6 or not $5 and a.asked_by <> $6) order by {order}`,
)
const DECIDED = mergedList<Approval>(
  'approvals that were decided',
  'a.decided_at',
  `select ${APPROVAL_COLUMNS} from approvals a where {beyond} and a.status <> 'waiting' order by {order}`,
)
const BY_ID = statement<Approval>(
  'approval',
  `select ${APPROVAL_COLUMNS} from approvals a where a.merchant_id = $1 and a.id = $2`,
)
const BY_SUBJECT = statement<Approval>(
  'approvals about something',
  `select ${APPROVAL_COLUMNS} from approvals a where a.merchant_id = $1 and a.subject = $2 order by a.asked_at desc, a.id desc limit 20`,
)

/** Returns one page of a list over all cells and the directory, newest first. Indexes: approvals_waiting, approvals_decided. */
export function listApprovals(
  gateway: Gateway,
  { list, personId }: { list: ApprovalList; personId: number },
  window: MergedWindow,
): Promise<MergedPage<Approval>> {
  const isDecided = list === 'decided'
  const filters = isDecided ? [] : [gateway.clock.now().toISOString(), list === 'by-me', personId]
  const places = [gateway.directory, ...reachedCells(gateway).map(({ db }) => db)].map((db) => ({
    ...{ db, list: isDecided ? DECIDED : WAITING, filters },
  }))
  const timeOf = ({ askedAt, decidedAt }: Approval) => (isDecided ? (decidedAt ?? askedAt) : askedAt)
  return readMergedPage({ sources: places, timeOf }, window)
}

/** Returns one approval as it is now: an overdue one shows as expired, though not swept yet. Throws 404. */
export async function getApproval(gateway: Gateway, id: string): Promise<Approval> {
  const { db, merchantId } = await locateApproval(gateway, id)
  const approval = await firstRow(db.query(BY_ID, [merchantId, id]))
  if (approval === null) throw notFound('approval')
  return isApprovalExpired(approval, gateway.clock.now()) ? { ...approval, status: 'expired' } : approval
}

/** Returns the approvals about one subject, newest first, at most 20. `merchantId` 0: those of the platform. */
export const readApprovalsAbout = (
  { db, merchantId }: Pick<ApprovalLocation, 'db' | 'merchantId'>,
  subject: string,
): Promise<Approval[]> => db.query(BY_SUBJECT, [merchantId, subject])
