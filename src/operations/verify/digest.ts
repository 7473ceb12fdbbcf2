import type { ClientBase } from 'pg'
import { MONEY_TABLES } from '../../platform/db/tables.ts'

const RECORD_TABLES = ['transfers', 'settlements', 'events']

/** Computes a digest over every transfer, settlement and event: if it is equal before and after, none was added or changed (L7). */
export const readLedgerDigest = (client: ClientBase): Promise<string> => digestTables(client, RECORD_TABLES)

/** Computes a digest over all tables of money, to prove "zero writes". */
export const readMoneyDigest = (client: ClientBase): Promise<string> => digestTables(client, MONEY_TABLES)

async function digestTables(client: ClientBase, tables: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(
    `select encode(sha256(convert_to(string_agg(line, '' order by line collate "C"), 'utf8')), 'hex') as digest from (
       ${tables.map((table) => `select '${table} ' || md5(t::text) as line from ${table} t`).join(' union all ')}
       union all select 'digest') lines`,
  )
  return rows[0]?.digest ?? ''
}
