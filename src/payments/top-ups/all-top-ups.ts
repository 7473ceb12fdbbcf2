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
import type { TopUp } from './top-up.ts'

/** A top-up with its merchant, as lists over all merchants show it. `key` is its id; whole UGX. */
export type ListedTopUp = {
  at: Date
  key: string
  publicId: string
  name: string
  amount: number
  phone: string
  status: TopUp['status']
  failureReason: string | null
}

const listSql = (compare: '>' | '<', order: 'asc' | 'desc') =>
  `select t.created_at as at, t.id as key, m.public_id as "publicId", m.name, t.amount, t.phone, t.status,
     t.failure_reason as "failureReason"
   from top_ups t join merchants m on m.id = t.merchant_id
   where t.published and (t.created_at, t.id) ${compare} ($1::timestamptz, $2)
   order by t.created_at ${order}, t.id ${order} limit $3`
const ALL_TOP_UPS: CrossCellList<ListedTopUp> = {
  forward: statement('top-ups of all', listSql('<', 'desc')),
  backward: statement('top-ups of all, back', listSql('>', 'asc')),
  descending: true,
}

/** Lists the top-ups of all merchants, the newest first. */
export function listAllTopUps(
  gateway: Gateway,
  actor: Actor,
  around: PageCursors,
): Promise<CrossCellPage<ListedTopUp>> {
  allow(actor, 'console.read')
  return readCrossCellPage(gateway, ALL_TOP_UPS, around)
}
