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

/** Where the newest charge of a merchant lies: all rows of later charges are found from here, without a look at the ones before. */
export type Since = {
  /** When it was made, as PostgreSQL writes it; `-infinity` where there is none. */
  until: string
  /** The time that its id begins with. What lies in the same eight seconds is told apart by `until`. */
  from: string
}

export const FROM_THE_BEGINNING: Since = { until: '-infinity', from: '' }

export async function newestCharge(db: Client, merchantId: number): Promise<Since> {
  const { rows } = await db.query(
    `select max(created_at)::text as until, n.time as from from charges
     join (select substr(max(id), 5, 6) as time from charges where merchant_id = $1) n on id >= 'txn_' || n.time
     where merchant_id = $1 group by n.time`,
    [merchantId],
  )
  return rows[0] ?? FROM_THE_BEGINNING
}
