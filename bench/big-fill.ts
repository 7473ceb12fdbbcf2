import { checkpointLedgers } from '../src/ledger/checkpoints.ts'
import { shortDigestSql } from '../src/platform/text/short-digest.ts'
import { FROM_THE_BEGINNING } from './chunks.ts'
import { OF_EACH_CUSTOMER, writeHistories, writeRecords } from './history.ts'
import { type BenchMerchant, connect, type Stage, withGateway } from './stage.ts'
import { type BusyMonth, writeBusyMonth } from './statement-history.ts'

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
type NamedText = { name: string; text: string }
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
// A fill that is cut off is thrown away, so nothing has to be safe before its end.
const DURING = {
  synchronous_commit: 'off',
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: '16GB',
  checkpoint_timeout: '30min',
}
const OF_OURS = `set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB';
  set max_parallel_maintenance_workers = 2; set jit = off; set enable_seqscan = off`
const SECONDARY = `select i.indexname as name, i.indexdef as text from pg_indexes i
  where i.schemaname = 'cell_0' and i.tablename = any($1) and not exists (
    select from pg_constraint c where c.conindid = (quote_ident(i.schemaname) || '.' || quote_ident(i.indexname))::regclass)`
const COLUMNS = `select column_name as name, data_type as type from information_schema.columns
  where table_schema = 'cell_0' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`
const HEADS = `update ledger_heads h set seq = t.seq, available = t.available from ledger_heads t
  where t.merchant_id = $1 and t.mode = 'test' and h.mode = 'test' and h.merchant_id = any($2)`

// Events of the last 30 days have their numbers, as the product keeps them.
const SEALS = `insert into event_seals (merchant_id, mode, sequence, event_id, event, sealed_at)
  select merchant_id, mode, row_number() over (partition by merchant_id, mode order by created_at, id), id, type, created_at
  from events where created_at > now() - interval '30 days'`

/** Does a part of the fill, and says how long a long one took. */
type Timed = (what: string, work: () => Promise<unknown>) => Promise<void>

/**
 * Fills a stage whose service is stopped, on two connections. The indexes that are no constraint are taken off before and made again afterwards,
 * which takes a third of the time; unique ones are thereby proved. Rows pass every constraint and trigger. Copies of them, under
 * the names of other merchants, pass all but the triggers.
 */
export async function fill(stage: Stage, cast: Cast, { charges, monthItems, start, end }: Fill): Promise<void> {
  const { db, say } = stage
  const startedAt = performance.now()
  const secondsSince = (at: number) => Math.round((performance.now() - at) / 1000)
  const timed: Timed = async (what, work) => {
    const at = performance.now()
    await work()
    if (secondsSince(at) >= WORTH_TELLING_S) say(`  ${what} in ${secondsSince(at)} s`)
  }
  for (const [name, value] of Object.entries(DURING)) await db.query(`alter system set ${name} = '${value}'`)
  await db.query('select pg_reload_conf()')
  const other = { ...stage, db: await connectBeside(stage) }
  for (const one of [stage, other]) await one.db.query(OF_OURS)
  const indexes: NamedText[] = (await db.query(SECONDARY, [TABLES])).rows
  for (const { name } of indexes) await db.query(`drop index ${name}`)
  const copies = planCopies(cast, charges)
  const histories = [
    { merchant: cast.large, charges: Math.ceil(charges / 10) },
    ...copies.map(({ from, charges: own }) => ({ merchant: from, charges: own })),
  ]
  await Promise.all([
    timed('histories', () => writeHistories(stage, histories)),
    timed('busy months', async () => {
      // Nine in ten items are charges.
      await writePast(other, { merchant: cast.payer, start, end, items: Math.ceil(charges / 9) })
      await writePast(other, { merchant: cast.monthly, start, end, items: monthItems })
    }),
  ])
  await checkpointAll(stage)
  for (const { what, from, to } of copies) await timed(what, () => copyOnBoth([stage, other], from, to))
  await runOnBoth([stage, other], indexes, timed)
  await timed('numbers of events', () => db.query(SEALS))
  for (const name of Object.keys(DURING)) await db.query(`alter system reset ${name}`)
  await db.query('select pg_reload_conf()')
  await timed('vacuum, analyze and checkpoint', async () => {
    const vacuums = TABLES.map((table) => ({ name: `vacuum of ${table}`, text: `vacuum ${table}` }))
    await runOnBoth([stage, other], vacuums, timed)
    await db.query('vacuum analyze')
    await db.query('checkpoint')
  })
  await other.db.end()
  await db.query('reset all')
  await db.query('set search_path = cell_0, directory')
  say(`${charges} charges filled in ${secondsSince(startedAt)} s`)
}

/** Whose history is written for whom once more, and of how many charges it is. */
function planCopies({ middling, many }: Cast, charges: number) {
  const [ofMiddling, ofMany] = [middling[0] as BenchMerchant, many[0] as BenchMerchant]
  const wanted = charges * (0.8 - MIDDLING / 100)
  const rest = Math.max(1, Math.ceil(wanted / many.length / OF_EACH_CUSTOMER)) * OF_EACH_CUSTOMER
  return [
    { what: 'merchants of a hundredth', from: ofMiddling, to: middling.slice(1), charges: Math.ceil(charges / 100) },
    { what: 'all other merchants', from: ofMany, to: many.slice(1, Math.ceil(wanted / rest)), charges: rest },
  ]
}

async function writePast({ db }: Stage, month: BusyMonth): Promise<void> {
  await writeBusyMonth(db, month)
  await writeRecords(db, { merchant: month.merchant, since: FROM_THE_BEGINNING })
}

const copyOnBoth = (stages: readonly Stage[], from: BenchMerchant, to: readonly BenchMerchant[]) =>
  Promise.all(
    stages.map((stage, nth) =>
      copyMerchant(
        stage,
        from,
        to.filter((_, place) => place % stages.length === nth),
      ),
    ),
  )

/** Runs these statements on whichever connection is free. */
const runOnBoth = (stages: readonly Stage[], texts: readonly NamedText[], timed: Timed) => {
  const left = [...texts]
  const work = async ({ db }: Stage) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { name, text } = next
      await timed(name, () => db.query(text))
    }
  }
  return Promise.all(stages.map(work))
}

async function connectBeside({ postgres }: Stage): Promise<Stage['db']> {
  const db = await connect(postgres.url('gateway'))
  await db.query('set search_path = cell_0, directory')
  return db
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
  const indexes: NamedText[] = (await db.query(SECONDARY, [tables])).rows
  for (const { name } of indexes) await db.query(`drop index ${name}`)
  await work()
  for (const { name, text } of indexes) {
    const at = performance.now()
    await db.query(text)
    say(`  ${name} in ${Math.round((performance.now() - at) / 1000)} s`)
  }
}

/** Writes everything of one merchant once more for each of the others, the oldest first, so that their rows lie mixed as in life. */
async function copyMerchant({ db, say }: Stage, from: BenchMerchant, to: readonly BenchMerchant[]): Promise<void> {
  if (to.length === 0) return
  const ids = to.map(({ id }) => id)
  const tags = to.map(({ tag }) => tag)
  // Without triggers: the rows that are copied have passed them.
  await db.query('set session_replication_role = replica')
  const ownOf = (name: string) => `replace(t.${name}, '_${from.tag}', '_' || m.tag)`
  for (const table of TABLES) {
    const columns: { name: string; type: string }[] = (await db.query(COLUMNS, [table])).rows
    const values = columns.map(({ name, type }) => {
      if (name === 'merchant_id') return 'm.id'
      if (name === 'written_in') return 'null'
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
  await db.query('set session_replication_role = origin')
  await db.query(HEADS, [from.id, ids])
}
