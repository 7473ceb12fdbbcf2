import type { ClientBase } from 'pg'

// Tables whose rows never change.
const RECORD = ['transfers', 'settlements', 'events']
// All tables of money and its records, without the stored answers of keys.
const MONEY = [
  ...RECORD,
  'ledger_heads',
  'ledger_checkpoints',
  'charges',
  'rail_attempts',
  'rail_evidence',
  'deliveries',
  'exceptions',
  'payouts',
  'bulk_batches',
  'bulk_items',
  'bulk_references',
  'schedules',
  'withdrawals',
  'subaccounts',
  'subaccount_heads',
  'charge_shares',
  'payment_links',
  'gift_cards',
  'gift_card_uses',
  'disputes',
  'vending_orders',
  'dispense_claims',
]

/** A digest over every transfer, settlement and event: if it is equal before and after, none was added or changed (L7). */
export const ledgerDigest = (client: ClientBase): Promise<string> => digestOf(client, RECORD)

/** A digest over all tables of money, to prove "zero writes". */
export const moneyDigest = (client: ClientBase): Promise<string> => digestOf(client, MONEY)

async function digestOf(client: ClientBase, tables: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(
    `select encode(sha256(convert_to(string_agg(line, '' order by line collate "C"), 'utf8')), 'hex') as digest from (
       ${tables.map((table) => `select '${table} ' || md5(t::text) as line from ${table} t`).join(' union all ')}
       union all select 'digest') lines`,
  )
  return rows[0]?.digest ?? ''
}
