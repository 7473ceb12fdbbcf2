import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { crashPoint } from '../crash-point.ts'
import { sqlState } from './errors.ts'

// From dist/src/platform/db to the root of the package.
const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url))
// One lock for all of it: processes that start at once wait for the first and then find nothing to do.
const MIGRATION_LOCK = 7_310_553_001
const LOCK_TIMEOUT = '2s'

/** The role the service works as: it may read and add ledger rows, never change or remove them. */
export const APPLICATION_ROLE = 'gateway_app'
const APPEND_ONLY = ['transfers', 'settlements', 'ledger_checkpoints', 'events', 'rail_evidence', 'audit']

type File = { name: string; path: string; checksum: string }
export type Migrated = { applied: string[]; cells: string[]; role: string | null }

/**
 * Brings the directory and each cell up to date: plain forward-only SQL files, each applied once, an edited one stops
 * the start. Answers with what was applied and the role to work as (null where the database user may not make roles).
 */
export async function migrate(connectionString: string): Promise<Migrated> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`)
    const applied: string[] = []
    applied.push(...(await migrateSchema(client, 'directory', 'directory')))
    const { rows } = await client.query<{ name: string }>('select name from directory.cells order by name')
    const cells = rows.map((row) => row.name)
    for (const cell of cells) applied.push(...(await migrateSchema(client, cell, 'cell')))
    const role = await applicationRole(client, ['directory', ...cells], applied.length > 0)
    return { applied, cells, role }
  } finally {
    await client.end()
  }
}

async function migrateSchema(
  client: pg.Client,
  schema: string,
  kind: 'directory' | 'cell',
): Promise<string[]> {
  const files = filesOf(kind)
  const known = await checksums(client, schema)
  for (const file of files) {
    const applied = known.get(file.name)
    if (applied !== undefined && applied !== file.checksum)
      throw new Error(
        `migration ${kind}/${file.name} was edited after it was applied to ${schema}; add a new one instead`,
      )
  }
  const ahead = [...known.keys()].find((name) => !files.some((file) => file.name === name))
  if (ahead !== undefined)
    throw new Error(
      `the schema ${schema} has migration ${ahead}, which this program does not know; run the newer release`,
    )
  const missing = files.filter((file) => !known.has(file.name))
  if (missing.length > 0) await applyFiles(client, schema, kind)
  for (const file of missing)
    await client.query(
      `insert into ${schema}.migration_checksums (name, checksum) values ($1, $2) on conflict do nothing`,
      [file.name, file.checksum],
    )
  return missing.map((file) => `${schema}/${file.name}`)
}

async function applyFiles(client: pg.Client, schema: string, kind: string): Promise<void> {
  // Loaded only when there is something to apply: an ordinary start does not pay for it.
  const { runner } = await import('node-pg-migrate')
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`)
  await runner({
    dbClient: client,
    dir: join(MIGRATIONS, kind),
    schema,
    createSchema: true,
    migrationsSchema: schema,
    migrationsTable: 'migrations',
    direction: 'up',
    count: Number.POSITIVE_INFINITY,
    noLock: true,
    checkOrder: true,
    singleTransaction: true,
    log: () => {},
  })
  await client.query('reset lock_timeout; reset search_path')
  crashPoint('migration.applied')
}

function filesOf(kind: string): File[] {
  return readdirSync(join(MIGRATIONS, kind))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const path = join(MIGRATIONS, kind, name)
      return { name, path, checksum: createHash('sha256').update(readFileSync(path)).digest('hex') }
    })
}

/** Checksums of what was applied. A file the library applied whose checksum was not kept (a crash between) is taken as it is. */
async function checksums(client: pg.Client, schema: string): Promise<Map<string, string>> {
  await client.query(`create schema if not exists ${schema}`)
  await client.query(
    `create table if not exists ${schema}.migration_checksums (name text primary key, checksum text not null)`,
  )
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select name, checksum from ${schema}.migration_checksums`,
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

/**
 * Makes the role and its rights where the database user may: after a migration, and whenever a start finds them incomplete,
 * for a crash may have come between.
 */
async function applicationRole(
  client: pg.Client,
  schemas: string[],
  applied: boolean,
): Promise<string | null> {
  try {
    if (applied || !(await hasRights(client, schemas))) {
      await makeRole(client)
      for (const schema of schemas) await grant(client, schema)
    }
    const { rows } = await client.query<{ usable: boolean }>(
      `select pg_has_role(current_user, oid, 'member') as usable from pg_roles where rolname = $1`,
      [APPLICATION_ROLE],
    )
    return rows[0]?.usable ? APPLICATION_ROLE : null
  } catch (error) {
    if (sqlState(error) === '42501') return null
    throw error
  }
}

/** Whether the role may read every table of these schemas, and change all but the append-only ones. */
async function hasRights(client: pg.Client, schemas: string[]): Promise<boolean> {
  const { rows } = await client.query<{ complete: boolean }>(
    `select coalesce(bool_and(has_table_privilege(r.oid, c.oid, 'select')
         and has_table_privilege(r.oid, c.oid, 'update') = (c.relname <> all($3))), false) as complete
     from pg_roles r, pg_class c join pg_namespace n on n.oid = c.relnamespace
     where r.rolname = $1 and n.nspname = any($2) and c.relkind = 'r'`,
    [APPLICATION_ROLE, schemas, APPEND_ONLY],
  )
  return rows[0]?.complete ?? false
}

async function makeRole(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [APPLICATION_ROLE])
  if (rowCount === 0) {
    // Roles belong to the whole server: another database's start may have made it in this very moment.
    await client.query(`create role ${APPLICATION_ROLE} nologin`).catch((error) => {
      if (!['42710', '23505'].includes(sqlState(error) ?? '')) throw error
    })
  }
  const { rows } = await client.query<{ member: boolean }>(
    `select pg_has_role(current_user, '${APPLICATION_ROLE}', 'member') as member`,
  )
  if (!rows[0]?.member) await client.query(`grant ${APPLICATION_ROLE} to current_user`)
}

async function grant(client: pg.Client, schema: string): Promise<void> {
  await client.query(`grant usage on schema ${schema} to ${APPLICATION_ROLE}`)
  await client.query(
    `grant select, insert, update, delete on all tables in schema ${schema} to ${APPLICATION_ROLE}`,
  )
  await client.query(`grant usage, select on all sequences in schema ${schema} to ${APPLICATION_ROLE}`)
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1 and tablename = any($2)',
    [schema, APPEND_ONLY],
  )
  for (const { name } of rows)
    await client.query(`revoke update, delete, truncate on ${schema}.${name} from ${APPLICATION_ROLE}`)
}
