import { Type } from 'typebox'
import type { Caller } from '../api/access/actor.ts'
import { listStatement } from '../api/http/lists/list-statement.ts'
import { type ListPage, type ListWindow, readListPage } from '../api/http/lists/lists.ts'
import { statement } from '../platform/db/statement.ts'
import { ModeShape } from '../platform/mode.ts'
import { parseTag } from '../platform/text/ids.ts'
import type { App } from '../program/app.ts'

export type SettlementRow = {
  id: string
  mode: string
  kind: string
  amount: number
  chargeCount: number
  subaccountId: string | null
  createdAt: Date
}

const COLUMNS = `s.id, s.mode, s.kind, s.amount, s.charge_count as "chargeCount", s.subaccount_id as "subaccountId",
  s.created_at as "createdAt"`
const LIST = listStatement<SettlementRow>(
  'list settlements',
  `select ${COLUMNS} from settlements s where s.merchant_id = :merchantId and s.mode = :mode
     and s.created_at >= :bound and (s.created_at, s.id) < (:cursorAt, :cursorId)
   order by s.created_at desc, s.id desc limit :limit`,
)
const BY_ID = statement<SettlementRow>(
  'settlement by id',
  `select ${COLUMNS} from settlements s where s.merchant_id = $1 and s.id = $2 and s.mode = $3`,
)

/** Settlement as the API shows it (G18). */
export const SettlementShape = Type.Object(
  {
    id: Type.String({ description: 'starts with `setl_`' }),
    mode: ModeShape,
    amount: Type.Integer({ minimum: 1, description: 'sum of the nets released, whole UGX' }),
    currency: Type.Literal('UGX'),
    charge_count: Type.Integer({ minimum: 0 }),
    transactions: Type.Integer({ minimum: 0, description: 'the same value as charge_count' }),
    kind: Type.Enum(['sweep', 'instant', 'split_sweep'], { $id: 'SettlementKind' }),
    subaccount: Type.Union([Type.String(), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Settlement' },
)

export const presentSettlement = (row: SettlementRow) => ({
  id: row.id,
  mode: row.mode,
  amount: row.amount,
  currency: 'UGX',
  charge_count: row.chargeCount,
  transactions: row.chargeCount,
  kind: row.kind,
  subaccount: row.subaccountId,
  created_at: row.createdAt.toISOString(),
})

/** One page of releases from pending to available in the key's mode, newest first. */
export async function listSettlements(app: App, caller: Caller, window: ListWindow): Promise<ListPage<SettlementRow>> {
  return readListPage(app, caller, {
    ...settlementReading(window),
    find: (id) => findSettlement(app, caller, id),
  })
}

/** How the list and the export read settlements. */
export const settlementReading = (window: ListWindow) => ({ window, statement: LIST, filters: {} })

async function findSettlement(app: App, caller: Caller, id: string): Promise<SettlementRow | null> {
  const own = parseTag('setl_', id) === caller.tag
  const [row] = own ? await app.db.query(BY_ID, [caller.merchantId, id, caller.mode]) : []
  return row ?? null
}
