import { actorName, type CallerMerchant, type StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { defineSealedColumn, getRowMerchant } from '../../platform/rewrap.ts'
import type { App } from '../../program/app.ts'

/** Names a number of a merchant: of its settlement account, its withdrawals, or a director by index. */
export type CheckedNumber = 'settlement' | 'withdrawal' | `director-${number}`

/** The answer of the operator of the wallet about a number. `name` is null where it gives no name. */
export type NameCheck = { phone: string; active: boolean; name: string | null; at: Date; by: string }

const STORE = statement(
  'keep name check',
  `insert into name_checks (merchant_id, what, sealed, checked_at, checked_by) values ($1, $2, $3, $4, $5)
   on conflict (merchant_id, what) do update
     set sealed = excluded.sealed, checked_at = excluded.checked_at, checked_by = excluded.checked_by`,
)
const LIST = statement<{ what: CheckedNumber; sealed: Buffer; at: Date; by: string }>(
  'name checks',
  'select what, sealed, checked_at as at, checked_by as by from name_checks where merchant_id = $1',
)

const bindingOf = (merchantId: number, what: string) => ({
  merchantId,
  purpose: what,
  column: 'name_checks.sealed',
})

/** Reads the name checks of a merchant, by number. */
export async function readNameChecks(
  { db, vault }: Pick<App, 'db' | 'vault'>,
  merchantId: number,
): Promise<ReadonlyMap<CheckedNumber, NameCheck>> {
  const rows = await db.query(LIST, [merchantId])
  return new Map(
    rows.map(({ what, sealed, at, by }) => {
      const answer = JSON.parse(vault.open(sealed, bindingOf(merchantId, what))) as Omit<NameCheck, 'at' | 'by'>
      return [what, { ...answer, at, by }]
    }),
  )
}

/** Stores an answer sealed, because the name of a wallet's holder is private. The audit records only that it was asked. */
export async function storeNameCheck(
  app: App,
  caller: StaffCaller & CallerMerchant,
  { what, answer }: { what: CheckedNumber; answer: { phone: string; active: boolean; name: string | null } },
): Promise<void> {
  const { merchantId } = caller
  allow(caller, 'merchant.name-check', merchantId)
  const at = app.clock.now()
  const sealed = app.vault.seal(JSON.stringify(answer), bindingOf(merchantId, what))
  const act = { actor: caller, action: 'merchant.name-check', at, merchantId, mode: 'live' } as const
  await app.db.transaction(async (tx) => {
    await tx.send(call(STORE, merchantId, what, sealed, at.toISOString(), actorName(caller)))
    return { value: null, last: [auditRow({ ...act, subject: what, after: { active: answer.active } })] }
  })
}

/** Describes the sealed name checks, for a change of the master key. */
export const SEALED_NAME_CHECKS = defineSealedColumn({
  table: 'name_checks',
  column: 'sealed',
  part: 't.what',
  bindingOf: (row) => bindingOf(getRowMerchant(row), row.part),
})
