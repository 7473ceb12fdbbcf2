import { checkpointLedgers } from '../src/ledger/checkpoints.ts'
import { shortDigestSql } from '../src/platform/text/short-digest.ts'
import { OF_EACH_CUSTOMER, writeHistories, writeRecords } from './history.ts'
import { type BenchMerchant, type Stage, withGateway } from './stage.ts'
import { writeBusyMonth } from './statement-history.ts'

/** Who gets which past. Every merchant but `monthly` belongs to the charges that were asked for. */
export type Cast = {
  /** A tenth of all charges, over a year. */
  large: BenchMerchant
  /** A tenth of all charges and a hundredth as many payouts, all in one month. */
  payer: BenchMerchant
  /** A month with so many lines, the same in every run. */
  monthly: BenchMerchant
  /** A hundredth of all charges each. */
  middling: readonly BenchMerchant[]
  /** The rest, in equal parts. Payments are measured with some of these. */
  many: readonly BenchMerchant[]
}
export type Fill = { charges: number; monthItems: number; start: Date; end: Date }

export const MIDDLING = 20
const WORTH_TELLING_S = 3
const WORTH_TELLING_ROWS = 100_000

const TABLES = [
  ...['charges', 'payouts', 'transfers', 'settlements', 'events', 'deliveries', 'idempotency_keys'],
  'ledger_checkpoints',
]
// Copied rows belong to the new merchant: every id inside them has the tag of its owner in it.
const OWN_IDS = new Set([
  ...['id', 'key', 'body', 'subject', 'settlement_id', 'refund_id', 'charge_id', 'event_id', 'object_id'],
])
const DURING = { synchronous_commit: 'off', max_wal_size: '16GB', checkpoint_timeout: '30min' }
const OF_OURS = `set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB';
  set max_parallel_maintenance_workers = 2; set jit = off; set enable_seqscan = off`
const SECONDARY = `select i.indexname as name, i.indexdef as made from pg_indexes i
  where i.schemaname = 'cell_0' and i.tablename = any($1) and not exists (
    select from pg_constraint c where c.conindid = (quote_ident(i.schemaname) || '.' || quote_ident(i.indexname))::regclass)`
const COLUMNS = `select column_name as name, data_type as type from information_schema.columns
  where table_schema = 'cell_0' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`
const HEADS = `update ledger_heads h set seq = t.seq, available = t.available from ledger_heads t
  where t.merchant_id = $1 and t.mode = 'test' and h.mode = 'test' and h.merchant_id = any($2)`

/**
 * Fills a stage whose service is stopped. Rows pass every constraint and trigger; the indexes that are no constraint are
 * taken off before and made again afterwards, which takes a third of the time. Unique ones are thereby proved.
 */
export async function fill(stage: Stage, cast: Cast, { charges, monthItems, start, end }: Fill): Promise<void> {
  const { db, say } = stage
  const startedAt = performance.now()
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const at = performance.now()
    await work()
    const seconds = Math.round((performance.now() - at) / 1000)
    if (seconds >= WORTH_TELLING_S) say(`  ${what} in ${seconds} s`)
  }
  await db.query(OF_OURS)
  for (const [name, value] of Object.entries(DURING)) await db.query(`alter system set ${name} = '${value}'`)
  await db.query('select pg_reload_conf()')
  const indexes: { name: string; made: string }[] = (await db.query(SECONDARY, [TABLES])).rows
  for (const { name } of indexes) await db.query(`drop index ${name}`)
  const [middling, many] = [cast.middling[0] as BenchMerchant, cast.many[0] as BenchMerchant]
  const wanted = charges * (0.8 - MIDDLING / 100)
  const rest = Math.max(1, Math.ceil(wanted / cast.many.length / OF_EACH_CUSTOMER)) * OF_EACH_CUSTOMER
  const copies = cast.many.slice(1, Math.ceil(wanted / rest))
  await timed('histories', () =>
    writeHistories(stage, [
      { merchant: cast.large, charges: Math.ceil(charges / 10) },
      { merchant: middling, charges: Math.ceil(charges / 100) },
      { merchant: many, charges: rest },
    ]),
  )
  await timed('busy months', async () => {
    // Nine in ten items are charges.
    await writeBusyMonth(db, { merchant: cast.payer, start, end, items: Math.ceil(charges / 9) })
    await writeBusyMonth(db, { merchant: cast.monthly, start, end, items: monthItems })
    for (const merchant of [cast.payer, cast.monthly]) await writeRecords(db, { merchant, until: '-infinity' })
  })
  await checkpointAll(stage)
  await timed('merchants of a hundredth', () => copyMerchant(stage, middling, cast.middling.slice(1)))
  await timed('all other merchants', () => copyMerchant(stage, many, copies))
  for (const { name, made } of indexes) await timed(name, () => db.query(made))
  for (const name of Object.keys(DURING)) await db.query(`alter system reset ${name}`)
  await db.query('select pg_reload_conf()')
  await timed('vacuum, analyze and checkpoint', async () => {
    await db.query('vacuum analyze')
    await db.query('checkpoint')
  })
  await db.query('reset all')
  await db.query('set search_path = cell_0, directory')
  say(`${charges} charges filled in ${Math.round((performance.now() - startedAt) / 1000)} s`)
}

async function checkpointAll({ config }: Stage): Promise<void> {
  await withGateway(config, async ({ gateway }) => {
    const [app] = gateway.cells
    if (app === undefined) throw new Error('the stage has no cell')
    while ((await checkpointLedgers(app.db, gateway.clock.now())) > 0);
  })
}

/** Fills tables without the indexes that are no constraint, which are made again afterwards. */
export async function withoutIndexes(
  { db, say }: Stage,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const indexes: { name: string; made: string }[] = (await db.query(SECONDARY, [tables])).rows
  for (const { name } of indexes) await db.query(`drop index ${name}`)
  await work()
  for (const { name, made } of indexes) {
    const at = performance.now()
    await db.query(made)
    say(`  ${name} in ${Math.round((performance.now() - at) / 1000)} s`)
  }
}

/** Writes everything of one merchant once more for each of the others, the oldest first, so that their rows lie mixed as in life. */
async function copyMerchant({ db, say }: Stage, from: BenchMerchant, to: readonly BenchMerchant[]): Promise<void> {
  if (to.length === 0) return
  const ids = to.map(({ id }) => id)
  const tags = to.map(({ tag }) => tag)
  const ownOf = (name: string) => `replace(t.${name}, '_${from.tag}', '_' || m.tag)`
  for (const table of TABLES) {
    const columns: { name: string; type: string }[] = (await db.query(COLUMNS, [table])).rows
    const values = columns.map(({ name, type }) => {
      if (name === 'merchant_id') return 'm.id'
      // Numbers of an operator are each given once, whoever is paid.
      if (name === 'rail_reference') return `md5(t.${name} || m.tag)::uuid::text`
      if (name === 'rail_transaction_id') return `t.${name} || m.id`
      if (name === 'phone_digest') return shortDigestSql(`${ownOf('id')} || ' ' || t.phone`)
      return OWN_IDS.has(name) && type === 'text' ? ownOf(name) : `t.${name}`
    })
    const order = table === 'transfers' || table === 'ledger_checkpoints' ? 'seq' : 'created_at'
    const { rowCount } = await db.query(
      `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
       select ${values.join(', ')} from (select * from ${table} where merchant_id = $1 order by ${order} offset 0) t
       cross join lateral (select u.id, u.tag from unnest($2::bigint[], $3::text[]) u (id, tag) where t.merchant_id = $1 offset 0) m`,
      [from.id, ids, tags],
    )
    if ((rowCount ?? 0) >= WORTH_TELLING_ROWS) say(`  ${rowCount} rows of ${table}`)
  }
  await db.query(HEADS, [from.id, ids])
}
