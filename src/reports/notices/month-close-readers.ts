import { ruleOf } from '../../api/access/actions.ts'
import type { MerchantRole, PersonCaller } from '../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { kampalaMonth, monthBounds } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'

/** Somebody who gets the close of each month by mail, as the directory knows them now. */
export type MonthCloseReader = {
  email: string
  publicId: string
  role: MerchantRole
  tag: string
  cell: string
  handle: string
}
type ReaderKey = { merchantId: number; personId: number }

const FIND = statement<{ toldMonth: string }>(
  'reader of month closes',
  'select told_month as "toldMonth" from month_close_readers where merchant_id = $1 and person_id = $2',
)
const ADD = statement<{ personId: number }>(
  'add reader of month closes',
  `insert into month_close_readers (merchant_id, person_id, told_month, created_at) values ($1, $2, $3, $4)
   on conflict do nothing returning person_id as "personId"`,
)
const REMOVE = statement<{ personId: number }>(
  'remove reader of month closes',
  'delete from month_close_readers where merchant_id = $1 and person_id = $2 returning person_id as "personId"',
)
const PERSON = statement<MonthCloseReader>(
  'person who reads month closes',
  `select p.email, p.public_id as "publicId", w.role, d.tag, d.cell, d.handle
   from memberships w join people p on p.id = w.person_id join merchants d on d.id = w.merchant_id
   where w.merchant_id = $1 and w.person_id = $2 and p.realm = 'merchant' and p.kind = 'person' and p.closed_at is null
     and p.email is not null and p.confirmed_at is not null`,
)

/** The month in Kampala before the one of this time. */
export function lastMonthOver(now: Date): { month: string; endedAt: Date } {
  const { start } = boundsOf(kampalaMonth(now))
  return { month: kampalaMonth(new Date(start.getTime() - 1)), endedAt: start }
}

export const monthAfter = (month: string): string => kampalaMonth(boundsOf(month).end)

function boundsOf(month: string) {
  const bounds = monthBounds(month)
  assert(bounds, 'what is stored and what the clock says is a month')
  return bounds
}

/** The month of the next mail to this person; null where it is switched off. */
export async function readNextMonthClose(app: App, { merchantId, personId }: ReaderKey): Promise<string | null> {
  const [row] = await app.db.query(FIND, [merchantId, personId])
  return row === undefined ? null : monthAfter(row.toldMonth)
}

/** Switches the mails on for this person, from the running month on. A repeat changes nothing. Throws 400, 403. */
export async function hearMonthCloses(
  app: App,
  caller: PersonCaller,
  { publicId: subject }: Pick<Merchant, 'publicId'>,
): Promise<void> {
  const { merchantId, personId } = caller
  allow(caller, 'month-close.set', merchantId)
  requireLiveMode(caller)
  const at = app.clock.now()
  // A clock that is ahead must not skip the month that is still running.
  const { month } = lastMonthOver(app.witness.earlier())
  await app.db.transaction(async (tx) => {
    const [[added]] = await tx.send(call(ADD, merchantId, personId, month, at.toISOString()))
    if (!added) return { value: null }
    const act = { actor: caller, action: 'month-close.set', at, merchantId, subject } as const
    return { value: null, last: [auditRow({ ...act, after: { by_mail: true } })] }
  })
}

/** Switches them off. A repeat changes nothing. Throws 403. */
export async function stopMonthCloses(
  app: App,
  caller: PersonCaller,
  { publicId: subject }: Pick<Merchant, 'publicId'>,
): Promise<void> {
  const { merchantId } = caller
  allow(caller, 'month-close.stop', merchantId)
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [[removed]] = await tx.send(forgetMonthCloseReader(caller))
    if (!removed) return { value: null }
    const act = { actor: caller, action: 'month-close.stop', at, merchantId, subject } as const
    return { value: null, last: [auditRow({ ...act, after: { by_mail: false } })] }
  })
}

export const forgetMonthCloseReader = ({ merchantId, personId }: ReaderKey): Call<{ personId: number }> =>
  call(REMOVE, merchantId, personId)

/** Reads who would get the mail now; null for somebody who may not download these files any more, or has no proven address. */
export async function findMonthCloseReader(
  app: App,
  { merchantId, personId }: ReaderKey,
): Promise<MonthCloseReader | null> {
  const [reader] = await app.directory.query(PERSON, [merchantId, personId])
  return reader && ruleOf('export').persons?.includes(reader.role) ? reader : null
}
