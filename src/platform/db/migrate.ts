import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { CannotStart } from '../cannot-start.ts'
import { crashPoint } from '../crash-point.ts'
import { ROOT } from '../root.ts'
import { giveRights, type Login, usableRole } from './application-role.ts'
import { sqlState } from './errors.ts'

const MIGRATIONS = join(ROOT, 'migrations')
// One lock for all of it: processes that start at once wait for the first and then find nothing to do.
const MIGRATION_LOCK = 7_310_553_001
const LOCK_TIMEOUT = '2s'
const RUN_MIGRATE = 'run "gateway migrate" with MIGRATE_DATABASE_URL, the address of the owner of the schema'

type File = { name: string; path: string; checksum: string }
export type Migrated = { applied: string[]; cells: string[]; role: string | null }

/**
 * Brings the directory and each cell up to date: plain forward-only SQL files, each applied once, an edited one stops
 * the start. Answers with what was applied and the role that the service's login works as (null where it can be none).
 * A database user that owns nothing cannot migrate: it only compares, and a schema that is behind stops the start.
 */
export async function migrate(connectionString: string, service?: Login): Promise<Migrated> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  const login = service ?? { user: client.user ?? '', make: false }
  try {
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`)
    if (await mayMigrate(client)) return await bringUpToDate(client, login)
    return await compare(client, login).catch((error) => {
      if (sqlState(error) !== '42501') throw error
      throw new CannotStart(
        `the database user ${login.user} may not read the schema: ${RUN_MIGRATE}, which gives it its rights`,
      )
    })
  } finally {
    await client.end()
  }
}

async function bringUpToDate(client: pg.Client, login: Login): Promise<Migrated> {
  const applied: string[] = []
  applied.push(...(await migrateSchema(client, 'directory', 'directory')))
  const cells = await cellsOf(client)
  for (const cell of cells) applied.push(...(await migrateSchema(client, cell, 'cell')))
  await giveRights(client, { schemas: ['directory', ...cells], applied: applied.length > 0, login })
  return { applied, cells, role: await usableRole(client, login.user) }
}

async function compare(client: pg.Client, login: Login): Promise<Migrated> {
  const { rows } = await client.query(`select 1 from pg_namespace where nspname = 'directory'`)
  const cells = rows.length === 0 ? [] : await cellsOf(client)
  for (const schema of ['directory', ...cells]) {
    const kind = schema === 'directory' ? 'directory' : 'cell'
    const known = rows.length === 0 ? new Map<string, string>() : await readChecksums(client, schema)
    const [missing] = missingFiles(schema, kind, known)
    if (missing !== undefined)
      throw new CannotStart(
        `the schema ${schema} lacks migration ${missing.name}, and the database user ${login.user} may not change the schema: ${RUN_MIGRATE}`,
      )
  }
  return { applied: [], cells, role: await usableRole(client, login.user) }
}

/** Whether the user owns the schema, or on an empty database may create one. */
async function mayMigrate(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce((select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'directory'),
       has_database_privilege(current_database(), 'create')) as may`,
  )
  return rows[0]?.may ?? false
}

async function cellsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from directory.cells order by name')
  return rows.map((row) => row.name)
}

async function migrateSchema(
  client: pg.Client,
  schema: string,
  kind: 'directory' | 'cell',
): Promise<string[]> {
  const missing = missingFiles(schema, kind, await checksums(client, schema))
  if (missing.length > 0) await applyFiles(client, schema, kind)
  for (const file of missing)
    await client.query(
      `insert into ${schema}.migration_checksums (name, checksum) values ($1, $2) on conflict do nothing`,
      [file.name, file.checksum],
    )
  return missing.map((file) => `${schema}/${file.name}`)
}

/** Files that this schema has not had yet. Refuses an edited one, and a schema that is ahead of this program. */
function missingFiles(schema: string, kind: 'directory' | 'cell', known: ReadonlyMap<string, string>) {
  const files = filesOf(kind)
  for (const file of files) {
    const applied = known.get(file.name)
    if (applied !== undefined && applied !== file.checksum)
      throw new CannotStart(
        `migration ${kind}/${file.name} was edited after it was applied to ${schema}; add a new one instead`,
      )
  }
  const ahead = [...known.keys()].find((name) => !files.some((file) => file.name === name))
  if (ahead !== undefined)
    throw new CannotStart(
      `the schema ${schema} has migration ${ahead}, which this program does not know; run the newer release`,
    )
  return files.filter((file) => !known.has(file.name))
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
  return readChecksums(client, schema)
}

async function readChecksums(client: pg.Client, schema: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select name, checksum from ${schema}.migration_checksums`,
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}
