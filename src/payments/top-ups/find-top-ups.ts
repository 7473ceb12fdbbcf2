import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { TOP_UP_COLUMNS, type TopUp } from './top-up.ts'

/** A top-up found by its request's key. `published`: false while that request is under way. */
type KeyedTopUp = TopUp & { published: boolean }

const MAX_TOP_UPS_LISTED = 100

const LIST_TOP_UPS = statement<TopUp>(
  'list top-ups',
  `select ${TOP_UP_COLUMNS} from top_ups t where t.merchant_id = $1 and t.published order by t.created_at desc, t.id desc limit $2`,
)
const FIND_TOP_UP = statement<TopUp>(
  'find top-up',
  `select ${TOP_UP_COLUMNS} from top_ups t where t.merchant_id = $1 and t.id = $2 and t.published`,
)
const TOP_UP_BY_KEY = statement<KeyedTopUp>(
  'top-up of a key',
  `select ${TOP_UP_COLUMNS}, t.published from top_ups t where t.merchant_id = $1 and t.request_key = $2 and t.voided_at is null`,
)

/** The newest hundred top-ups of a merchant. */
export const listTopUps = (app: App, merchantId: number): Promise<TopUp[]> =>
  app.db.query(LIST_TOP_UPS, [merchantId, MAX_TOP_UPS_LISTED])

/** One top-up of a merchant, or null. */
export async function findTopUp(app: App, merchantId: number, id: string): Promise<TopUp | null> {
  const [topUp] = await app.db.query(FIND_TOP_UP, [merchantId, id])
  return topUp ?? null
}

/** Finds the top-up that was requested with this key, unless it was taken back. */
export const topUpByKey = (merchantId: number, key: string): Call<KeyedTopUp> => call(TOP_UP_BY_KEY, merchantId, key)
