import type { PersonCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { Gateway } from '../../program/app.ts'
import { directoryChanged } from './authenticate.ts'
import { judgeHandle } from './handle.ts'

// Each change keeps the old handle from everybody else for good, so changes are limited.
const MAX_CHANGES_PER_YEAR = 3
const YEAR_MS = 365 * 86_400_000

const LOCK = statement<{ handle: string }>(
  'lock handle of merchant',
  'select handle from merchants where id = $1 for no key update',
)
const FIND_FORMER = statement<{ merchantId: number }>(
  'whose former handle',
  'select merchant_id as "merchantId" from former_handles where handle = $1',
)
const COUNT_LEFT = statement<{ left: number }>(
  'handles left of late',
  'select count(*)::int as left from former_handles where merchant_id = $1 and left_at > $2',
)
const STORE_FORMER = statement(
  'keep former handle',
  `insert into former_handles (handle, merchant_id, left_at) values ($1, $2, $3)
   on conflict (handle) do update set left_at = excluded.left_at where former_handles.merchant_id = excluded.merchant_id`,
)
const SET = statement('set handle of merchant', 'update merchants set handle = $2 where id = $1')

/** Finds the merchant that had this handle before; no row where none had. */
export const findFormerHandle = (handle: string): Call<{ merchantId: number }> => call(FIND_FORMER, handle)

/**
 * Changes the handle of the caller's merchant. Addresses with the old handle lead to the new one, and no other merchant gets the old one.
 * Throws 400 for a handle that is taken or reserved, and after three changes in a year.
 */
export async function changeHandle(gateway: Gateway, caller: PersonCaller, typed: string): Promise<string> {
  allow(caller, 'merchant.handle')
  const handle = typed.trim().toLowerCase()
  judgeHandle(handle)
  const { merchantId } = caller
  const { db } = gateway.appOf(caller)
  const at = gateway.clock.now()
  const since = addMs(at, -YEAR_MS).toISOString()
  await gateway.directory
    .transaction(async (tx) => {
      const [[own], [former], [changes]] = await tx.send(
        ...([call(LOCK, merchantId), findFormerHandle(handle), call(COUNT_LEFT, merchantId, since)] as const),
      )
      if (!own) throw notFound('merchant')
      if (former && former.merchantId !== merchantId) throw handleTaken(handle)
      if (own.handle !== handle && (changes?.left ?? 0) >= MAX_CHANGES_PER_YEAR) throw tooManyChanges()
      // The unique index refuses a handle of another merchant here. The cell is written while the row is locked; if this commit fails, sending
      // the form again repairs it.
      await tx.send(call(SET, merchantId, handle))
      await db.query(SET, [merchantId, handle])
      if (own.handle === handle) return { value: null }
      const act = { actor: caller, action: 'merchant.handle', at, merchantId, subject: handle } as const
      const row = auditRow({ ...act, before: { handle: own.handle }, after: { handle } })
      return {
        value: null,
        last: [call(STORE_FORMER, own.handle, merchantId, at.toISOString()), directoryChanged(), row],
      }
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? handleTaken(handle) : error
    })
  return handle
}

export const handleTaken = (handle: string) =>
  domainRefusal('handle_taken', `the handle ${handle} is taken`, { field: 'handle' })
const tooManyChanges = () =>
  domainRefusal('too_many_changes', `the handle was changed ${MAX_CHANGES_PER_YEAR} times within a year: later again`, {
    field: 'handle',
  })
