import { assert } from './assert.ts'
import type { Database } from './db/database.ts'
import { type Statement, statement } from './db/statement.ts'
import type { SecretBinding, Vault } from './secrets.ts'

const ROWS_PER_CHUNK = 500

/** A sealed value and the name of its row: the merchant (null in the directory) and a text that is unique within it (`part`). */
type SealedRow = { merchantId: number | null; part: string; ciphertext: Buffer }

/** A column of sealed values, declared in the folder that owns its table. */
export type SealedColumn = {
  /** `table.column`, as people see it. */
  name: string
  /** Finds rows whose value does not begin with the header $1, at most $2 of them. */
  find: Statement<SealedRow>
  /**
   * Writes $4 to the rows of merchant $1 and part $2 (arrays) where the value is still $3: a value that was replaced in the meantime is
   * sealed with the current key already.
   */
  replace: Statement
  bindingOf(row: SealedRow): SecretBinding
  /** How many rows are held in memory at once. */
  rowsAtOnce: number
}

/**
 * Declares a column of sealed values. `part`: the expression, over the table `t`, that names a row within its merchant. `owned`: false for
 * tables of the directory, whose rows have no merchant.
 */
export function defineSealedColumn({
  table,
  column,
  part,
  owned = true,
  bindingOf,
  rowsAtOnce = ROWS_PER_CHUNK,
}: {
  table: string
  column: string
  part: string
  owned?: boolean
  bindingOf(row: SealedRow): SecretBinding
  /** Fewer where a row is large. */
  rowsAtOnce?: number
}): SealedColumn {
  const name = `${table}.${column}`
  const merchant = owned ? 't.merchant_id' : 'null::bigint'
  const ofMerchant = owned ? 't.merchant_id = n.merchant_id and ' : ''
  return {
    name,
    // Two ranges of the header, which has five bytes: an index on it serves where there is one.
    find: statement(
      `sealed before: ${name}`,
      `select ${merchant} as "merchantId", ${part} as part, t.${column} as ciphertext from ${table} t
       where substr(t.${column}, 1, 5) < $1 or substr(t.${column}, 1, 5) > $1 limit $2`,
    ),
    replace: statement(
      `seal again: ${name}`,
      `update ${table} t set ${column} = n.after
       from unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) as n (merchant_id, part, before, after)
       where ${ofMerchant}${part} = n.part and t.${column} = n.before`,
    ),
    bindingOf,
    rowsAtOnce,
  }
}

/** Returns the merchant of a row in a table of a cell, where every row has one. */
export function getRowMerchant({ merchantId }: SealedRow): number {
  assert(merchantId !== null, 'a sealed value of a cell has a merchant')
  return merchantId
}

/** Seals the values of a column again under the current key, in chunks, while the service runs. Returns how many values it changed. */
export async function rewrapColumn(db: Database, vault: Vault, column: SealedColumn): Promise<number> {
  let changed = 0
  for (;;) {
    const rows = await db.query(column.find, [vault.header, column.rowsAtOnce])
    if (rows.length === 0) return changed
    const sealed = rows.map((row) => {
      const binding = column.bindingOf(row)
      return vault.seal(vault.openBytes(row.ciphertext, binding), binding)
    })
    const old = rows.map((row) => row.ciphertext)
    const owners = rows.map((row) => row.merchantId)
    await db.query(column.replace, [owners, rows.map((row) => row.part), old, sealed])
    changed += rows.length
  }
}

/** Whether the column still has a value sealed with an older key. */
export async function hasOldCiphertext(db: Database, vault: Vault, column: SealedColumn): Promise<boolean> {
  return (await db.query(column.find, [vault.header, 1])).length > 0
}
