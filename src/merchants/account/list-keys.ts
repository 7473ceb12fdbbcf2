import { statement } from '../../platform/db/statement.ts'
import type { ApiKeyKind } from '../../platform/text/api-key-format.ts'
import type { App } from '../../program/app.ts'
import { ALLOWED_FROM, SIGNED_BY } from './restrict-key.ts'

type CellKeyFacts = {
  last4: string
  name: string | null
  createdBy: string | null
  lastUsedAt: Date | null
  usedFrom: string[]
  sentOn: string | null
  sent: number
}

/**
 * A key as lists show it, without its secret. `lastUsedAt` is exact to the minute; `usedFrom`: the last addresses, of IPv6 their networks.
 * `dailyLimit`: what it may send in a day (whole UGX, null: no limit); `sent`: what it has sent on the day `sentOn`.
 * `allowedFrom`: the addresses and networks from which it may be used; empty: from anywhere. `signedBy`: the public keys (base64) of which
 * one must have signed each request; empty: none need.
 */
export type ListedKey = {
  id: string
  kind: ApiKeyKind
  createdAt: Date
  revokedAt: Date | null
  allowedFrom: string[]
  signedBy: string[]
  dailyLimit: number | null
} & CellKeyFacts

const LIST_DIRECTORY = statement<Omit<ListedKey, keyof CellKeyFacts>>(
  'list directory keys',
  `select id, kind, created_at as "createdAt", revoked_at as "revokedAt", ${ALLOWED_FROM} as "allowedFrom",
     ${SIGNED_BY} as "signedBy", daily_limit as "dailyLimit"
   from api_keys where merchant_id = $1
   order by created_at, id`,
)
const LIST_CELL = statement<CellKeyFacts & { id: string }>(
  'list cell keys',
  `select k.id, k.last4, k.name, k.created_by as "createdBy", k.last_used_at as "lastUsedAt",
     coalesce(k.used_from, '{}') as "usedFrom", l.day::text as "sentOn", coalesce(l.sent, 0) as sent
   from api_keys k left join key_limits l on l.merchant_id = k.merchant_id and l.key_id = k.id where k.merchant_id = $1`,
)

const NO_CELL_FACTS: CellKeyFacts = {
  last4: '',
  name: null,
  createdBy: null,
  lastUsedAt: null,
  usedFrom: [],
  sentOn: null,
  sent: 0,
}

/** Lists the keys of a merchant, revoked ones too, oldest first. */
export async function listKeys(app: App, holder: { id: number }): Promise<ListedKey[]> {
  const keys = await app.directory.query(LIST_DIRECTORY, [holder.id])
  const facts = new Map((await app.db.query(LIST_CELL, [holder.id])).map(({ id, ...rest }) => [id, rest]))
  return keys.map((key) => ({ ...key, ...(facts.get(key.id) ?? NO_CELL_FACTS) }))
}
