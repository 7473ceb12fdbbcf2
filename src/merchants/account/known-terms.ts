import { rememberNewest } from '../../api/rate-limits/bounded-map.ts'
import { oncePerCell } from '../../platform/batches/lane.ts'
import { numberColumn, textColumn, unnestColumns } from '../../platform/db/columns.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { type MerchantTerms, TERMS } from './merchant.ts'

// Every payment is decided by the terms of its merchant, and those hardly ever change. What a process decides by the terms that it read before
// goes out with a guard, which compares them with those of now: where they differ, the server rolls everything back, and the work is
// done again on terms that are read.

/** Terms with all that they say as one text, by which they are compared. */
export type ReadTerms = MerchantTerms & { asText: string }
/** The terms of all merchants of some work. Send `guards` with what is decided: they fail the transaction where the terms of now are others. */
export type DecidingTerms = { byId: Map<number, MerchantTerms>; guards: readonly Call[] }

const READ_TERMS = statement<ReadTerms>(
  'merchant terms to remember',
  `select t.*, t::text as "asText" from (${TERMS}) t`,
)
const SAME_TERMS = statement(
  'merchant terms are as known',
  `select 1 / (count(*) = cardinality($1::bigint[]))::int as guarded from (${TERMS}) t
   join ${unnestColumns('bigint', 'text')} as n (id, as_text) on n.id = t.id and n.as_text = t::text`,
)
const MAX_MERCHANTS = 10_000

const termsOfCell = oncePerCell(() => new Map<number, ReadTerms>())

/** Reads the terms of these merchants; `rememberTerms` keeps them. */
export const readTermsToRemember = (ids: readonly number[]): Call<ReadTerms> => call(READ_TERMS, numberColumn(ids))

export function rememberTerms(app: App, terms: readonly ReadTerms[]): void {
  for (const value of terms) rememberNewest(termsOfCell(app), { key: value.id, value, most: MAX_MERCHANTS })
}

/** Forgets terms, so that the next work for these merchants reads first. */
export function forgetTerms(app: App, ids: Iterable<number>): void {
  for (const id of ids) termsOfCell(app).delete(id)
}

/** Returns the terms of these merchants as this process last read them; null where it has not read those of one. */
export function findKnownTerms(app: App, ids: ReadonlySet<number>): DecidingTerms | null {
  const known = termsOfCell(app)
  const byId = new Map<number, MerchantTerms>()
  const texts: string[] = []
  for (const id of ids) {
    const terms = known.get(id)
    if (terms === undefined) return null
    byId.set(id, terms)
    texts.push(terms.asText)
  }
  return { byId, guards: [call(SAME_TERMS, numberColumn([...ids]), textColumn(texts))] }
}

/** Returns the terms of the merchants of these rows: as known where that may be and all are known, else read in the transaction. */
export async function getTerms(
  app: App,
  tx: Tx,
  { of: rows, mayKnow }: { of: readonly { merchantId: number }[]; mayKnow: boolean },
): Promise<DecidingTerms> {
  const ids = new Set<number>()
  for (const { merchantId } of rows) ids.add(merchantId)
  const known = mayKnow ? findKnownTerms(app, ids) : null
  if (known !== null) return known
  const [terms] = await tx.send(readTermsToRemember([...ids]))
  rememberTerms(app, terms)
  return { byId: new Map(terms.map((row) => [row.id, row])), guards: [] }
}
