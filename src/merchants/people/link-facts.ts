import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'
import { findMerchantsById } from '../account/merchant.ts'
import type { LinkPurpose } from './links.ts'
import { hashToken } from './session.ts'

/** The facts that the page of a link shows before the link is used. */
type LinkFacts = {
  business: string
  email: string
  /** Another account has proven the address. */
  inUse: boolean
}

const FIND_FACTS = statement<{
  merchantId: number | null
  cell: string | null
  email: string | null
  inUse: boolean
}>(
  'facts of link',
  `select m.id as "merchantId", m.cell, coalesce(l.email, p.email) as email,
     exists (select 1 from people o where o.realm = p.realm and o.email_key = p.email_key and o.confirmed_at is not null
       and o.closed_at is null and o.id <> p.id) as "inUse"
   from one_time_links l left join people p on p.id = l.person_id
     left join merchants m on m.id = coalesce(l.merchant_id,
       (select w.merchant_id from memberships w where w.person_id = p.id order by w.created_at, w.merchant_id limit 1))
   where l.hash = $1 and l.purpose = $2 and l.used_at is null and l.expires_at > $3`,
)

/** Finds the business and address behind a link; null when the link does not work any more. */
export async function findLinkFacts(gateway: Gateway, purpose: LinkPurpose, token: string): Promise<LinkFacts | null> {
  const now = gateway.clock.now().toISOString()
  const row = await firstRow(gateway.directory.query(FIND_FACTS, [hashToken(token), purpose, now]))
  if (row === null) return null
  const { merchantId, cell, email, inUse } = row
  if (merchantId === null || cell === null) return { business: '', email: email ?? '', inUse }
  const find = findMerchantsById([merchantId])
  const [merchant] = await gateway.appOf({ cell }).db.query(find.statement, find.values)
  return { business: merchant?.name ?? '', email: email ?? '', inUse }
}
