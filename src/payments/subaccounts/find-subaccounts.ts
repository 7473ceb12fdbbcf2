import type { Caller } from '../../api/access/actor.ts'
import {
  cutNewerPage,
  cutPage,
  invalidCursor,
  type ListPage,
  type ListWindow,
  nullIfRefused,
} from '../../api/http/lists/lists.ts'
import { subaccountBalances } from '../../ledger/subaccount-heads.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { SUBACCOUNT_COLUMNS, type Subaccount } from './subaccount.ts'

const SUBACCOUNT_BY_ID = statement<Subaccount>(
  'subaccount by id',
  `select ${SUBACCOUNT_COLUMNS} from subaccounts s where s.merchant_id = $1 and s.id = $2`,
)
const LIST_SUBACCOUNTS = statement<Subaccount>(
  'list subaccounts',
  `select ${SUBACCOUNT_COLUMNS} from subaccounts s where s.merchant_id = $1 and (s.created_at, s.id) < ($2, $3)
   order by s.created_at desc, s.id desc limit $4`,
)
const LIST_NEWER_SUBACCOUNTS = statement<Subaccount>(
  'list subaccounts, newer',
  `select ${SUBACCOUNT_COLUMNS} from subaccounts s where s.merchant_id = $1 and (s.created_at, s.id) > ($2, $3)
   order by s.created_at, s.id limit $4`,
)

type SubaccountOwner = Pick<Caller, 'merchantId' | 'tag'>

/** Returns the merchant's subaccount; it is the same in both modes. Throws 404 `subaccount not found`. */
export async function getSubaccount(app: App, { merchantId, tag }: SubaccountOwner, id: string): Promise<Subaccount> {
  const [subaccount] = parseTag('sub_', id) === tag ? await app.db.query(SUBACCOUNT_BY_ID, [merchantId, id]) : []
  if (!subaccount) throw notFound('subaccount')
  return subaccount
}

/** Reads a subaccount's balances in one mode, whole UGX; zeros if no money has ever moved there. */
export async function readBalances(app: App, { merchantId, mode }: Caller, subaccountId: string) {
  const balances = subaccountBalances({ merchantId, mode, subaccountId })
  const [row] = await app.db.query(balances.statement, balances.values)
  return row ?? { available: 0, pending: 0 }
}

/** One page of the merchant's subaccounts, newest first. Both modes have the same list. */
export async function listSubaccounts(
  app: App,
  caller: Caller,
  { limit, startingAfter, endingBefore = null }: Pick<ListWindow, 'limit' | 'startingAfter' | 'endingBefore'>,
): Promise<ListPage<Subaccount>> {
  if (endingBefore !== null) {
    const first = await nullIfRefused(getSubaccount(app, caller, endingBefore))
    if (first === null) throw invalidCursor('ending_before')
    const values = [caller.merchantId, first.createdAt.toISOString(), first.id, limit + 1]
    return cutNewerPage(await app.db.query(LIST_NEWER_SUBACCOUNTS, values), limit)
  }
  const cursor = startingAfter === null ? null : await nullIfRefused(getSubaccount(app, caller, startingAfter))
  if (startingAfter !== null && cursor === null) throw invalidCursor()
  const olderThan = [cursor?.createdAt.toISOString() ?? 'infinity', cursor?.id ?? '']
  return cutPage(await app.db.query(LIST_SUBACCOUNTS, [caller.merchantId, ...olderThan, limit + 1]), limit)
}
