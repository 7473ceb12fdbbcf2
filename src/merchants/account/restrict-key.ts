import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { ApiKeyKind } from '../../platform/text/api-key-format.ts'
import { echo } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import type { SecretAct } from '../mails/account-letters.ts'
import { allowKeyKind } from './allow-key.ts'
import { directoryChanged } from './authenticate.ts'
import { makeOwnerMails } from './mail-owners.ts'

/** The addresses of a row of `api_keys` of the directory as people write them; none: from anywhere. */
export const ALLOWED_FROM = `coalesce((select array_agg(abbrev(n.network::inet) order by n.nth)
  from unnest(allowed_from) with ordinality as n (network, nth)), '{}')`
/** The public keys of a row of `api_keys` of the directory in base64; none: requests need no signature. */
export const SIGNED_BY = `coalesce((select array_agg(encode(n.key, 'base64') order by n.nth)
  from unnest(signed_by) with ordinality as n (key, nth)), '{}')`

export type KeyTarget = { holder: { id: number }; id: string }
/** The list of a key that is set, by its name in the audit log, and the statement that sets it. */
type Restriction = {
  name: 'addresses' | 'signed_by'
  after: readonly string[]
  set: Call
  mail: SecretAct
}

const LOCK_KEY = statement<{ kind: ApiKeyKind; revokedAt: Date | null; addresses: string[]; signed_by: string[] }>(
  'lock directory key',
  `select kind, revoked_at as "revokedAt", ${ALLOWED_FROM} as addresses, ${SIGNED_BY} as signed_by
   from api_keys where merchant_id = $1 and id = $2 for no key update`,
)

/** Sets what a key needs to be used. It counts from the commit on, in all processes within a second. Throws Refusal. */
export async function restrictKey(
  app: App,
  actor: Actor,
  { holder, id }: KeyTarget,
  { name, after, set, mail }: Restriction,
): Promise<void> {
  allow(actor, 'key.restrict', holder.id)
  const at = app.clock.now()
  const mails = await makeOwnerMails(app, { merchantId: holder.id, actor, act: mail })
  await app.directory.transaction(async (tx) => {
    const [[key]] = await tx.send(call(LOCK_KEY, holder.id, id))
    if (!key) throw domainRefusal('not_found', `this merchant has no key with the id ${echo(id)}`)
    allowKeyKind(actor, { merchantId: holder.id, kind: key.kind })
    if (key.revokedAt !== null) throw domainRefusal('revoked', 'this key is revoked')
    const before = key[name]
    if (before.join() === after.join()) return { value: null }
    const act = { actor, action: 'key.restrict', at, merchantId: holder.id, subject: id } as const
    const row = auditRow({ ...act, before: { [name]: before }, after: { [name]: after } })
    return { value: null, last: [set, directoryChanged(), row, ...mails] }
  })
  app.keyRing.forget()
}
