import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'

// No list shows more rows than this on one page.
const MAX_LINKS = 100

const NAMES = statement<{ id: string; name: string | null }>(
  'names of payment links',
  `select l.id, coalesce(i.name, l.description) as name
   from payment_links l left join storefront_items i on i.merchant_id = l.merchant_id and i.link_id = l.id
   where l.merchant_id = $1 and l.id = any($2::text[])`,
)

/** Reads what these links are for, by their ids: the name of the item on the storefront, else the description. */
export async function readLinkNames(
  { db }: Pick<App, 'db'>,
  merchantId: number,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(ids.filter((id) => id !== null))].slice(0, MAX_LINKS)
  const rows = asked.length === 0 ? [] : await db.query(NAMES, [merchantId, asked])
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])))
}
