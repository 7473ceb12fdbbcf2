import { type Fault, LIVE_2 } from '../names.ts'

const TABLES = [
  'ledger_heads',
  'transfers',
  'ledger_checkpoints',
  'settlements',
  'charges',
  'rail_attempts',
  'rail_evidence',
  'idempotency_keys',
  'events',
  'deliveries',
  'exceptions',
]

export const OWNER_FAULTS: readonly Fault[] = [
  ...TABLES.map((table) => ({
    id: 'M1',
    fault: `${table} of nobody`,
    sql: `update ${table} set merchant_id = 99 where ctid = (select min(ctid) from ${table})`,
    names: `${table} of merchant 99`,
  })),
  {
    id: 'M2',
    fault: 'a merchant without a head',
    sql: `delete from ledger_heads where ${LIVE_2}`,
    names: 'merchant 2 live',
  },
]
