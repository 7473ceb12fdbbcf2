import type { Client } from 'pg'

const CHUNK = 100_000

/** Divides rows into chunks that are each written by one statement: the numbers of the first and the last row of each. */
export const chunksOf = (rows: number): { first: number; last: number }[] =>
  Array.from({ length: Math.ceil(rows / CHUNK) }, (_, nth) => ({
    first: nth * CHUNK,
    last: Math.min((nth + 1) * CHUNK, rows) - 1,
  }))

/**
 * An id without its prefix, about as the product writes it: time, tag, and sixteen characters that follow from `own`. The time ascends and
 * comes before all that the product writes. The whole follows from the parameters alone, because several statements make the same id.
 */
export const idTail = ({ at, tag, own }: { at: string; tag: string; own: string }): string =>
  `(lpad(to_hex((extract(epoch from ${at})::bigint - 1700000000) / 8), 6, '0') || ${tag} || substr(md5(${own}), 1, 16))`

/** When the newest charge of a merchant was made, as PostgreSQL writes it; `-infinity` where there is none. */
export async function newestCharge(db: Client, merchantId: number): Promise<string> {
  const { rows } = await db.query(
    `select coalesce(max(created_at), '-infinity')::text as at from charges where merchant_id = $1`,
    [merchantId],
  )
  return rows[0].at
}
