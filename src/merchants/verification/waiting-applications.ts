import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import {
  type CrossCellList,
  type CrossCellPage,
  type PageCursors,
  readCrossCellPage,
} from '../../api/http/lists/cross-cell-list.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'

/** An application that waits for a decision since `at`. */
export type WaitingApplication = {
  at: Date
  key: string
  publicId: string
  name: string
  number: number
}

// Served by the index of submitted applications.
const listSql = (compare: '>' | '<', order: 'asc' | 'desc') =>
  `select v.submitted_at as at, m.public_id as key, m.public_id as "publicId", m.name, v.number
   from verifications v join merchants m on m.id = v.merchant_id
   where v.state = 'submitted' and (v.submitted_at, m.public_id) ${compare} ($1::timestamptz, $2)
   order by v.submitted_at ${order}, m.public_id ${order} limit $3`

const WAITING: CrossCellList<WaitingApplication> = {
  forward: statement('waiting verifications', listSql('>', 'asc')),
  backward: statement('waiting verifications, back', listSql('<', 'desc')),
}

/** Lists the applications that wait for a decision, the longest waiting first. */
export function listWaitingApplications(
  gateway: Gateway,
  actor: Actor,
  around: PageCursors,
): Promise<CrossCellPage<WaitingApplication>> {
  allow(actor, 'console.read')
  return readCrossCellPage(gateway, WAITING, around)
}
