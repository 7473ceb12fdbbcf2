import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { CannotStart } from '../processes/cannot-start.ts'
import { crashPoint } from '../processes/crash-point.ts'
import { ROOT } from '../processes/root.ts'
import { APPLICATION_ROLE, canGrantRights, findUsableRole, grantRights, type ServiceLogin } from './application-role.ts'
import { sqlState } from './errors.ts'
import { findLockHolder, takeMigrationLock, type WaitOptions } from './migration-lock.ts'
import { findUnreached, readCluster } from './servers/node-places.ts'
import { newServerClient } from './servers/server-client.ts'
import { commandByCommand } from './split-commands.ts'

const MIGRATIONS = join(ROOT, 'migrations')
const LOCK_TIMEOUT = '2s'
const RUN_MIGRATE = 'run "gateway migrate" with MIGRATE_DATABASE_URL, the address of the owner of the schema'

type MigrationFile = { name: string; path: string; checksum: string }
/**
 * The result of a migration. `granted`: the role of the service was granted rights that it lacked. `citus`: whether the database has nodes.
 * `unreached`: the cells whose node does not answer, so that nobody knows what they lack.
 */
export type MigrationResult = {
  applied: string[]
  granted: boolean
  cells: string[]
  role: string | null
  citus: boolean
  unreached: readonly string[]
}
/** The state of the schemas, read without a lock: the first missing file, and the cells that exist. */
type SchemaState = { missing: string | null; schema: string; cells: string[]; unreached: string[] }

/**
 * Brings the directory and each cell up to date with plain forward-only SQL files. Each is applied once; an edited file stops the
 * start. Returns what was applied, and the role under which the service's login works (null where it can use none). When there is
 * nothing to do, it only reads and takes no lock. A database user that owns nothing cannot migrate: a schema that is behind stops its
 * start. With Citus only its coordinator changes the schema. Throws CannotStart.
 */
export async function migrate(
  connectionString: string,
  service?: ServiceLogin,
  waiting: WaitOptions = {},
): Promise<MigrationResult> {
  const client = newServerClient(connectionString)
  await client.connect()
  const login = service ?? { user: client.user ?? '', make: false }
  try {
    const { citus, coordinator } = await readCluster(client)
    const may = coordinator && (await mayMigrate(client))
    const state = await inspectSchema(client, { login, citus })
    const found = { citus, unreached: state.unreached }
    const rights = rightsOf(state.cells, login)
    if (state.missing === null && !(may && (await canGrantRights(client, rights))))
      return { ...found, ...(await addUsableRole(client, login, { applied: [], granted: false, cells: state.cells })) }
    if (!coordinator) throw workerFault(state)
    if (!may) throw await behindFault(client, state, login)
    await takeMigrationLock(client, waiting)
    return { ...found, ...(await bringUpToDate(client, login)) }
  } finally {
    await client.end()
  }
}

type Done = Omit<MigrationResult, 'citus' | 'unreached'>

async function bringUpToDate(client: pg.Client, login: ServiceLogin): Promise<Done> {
  const applied: string[] = []
  applied.push(...(await migrateSchema(client, 'directory', 'directory')))
  const cells = await readCells(client)
  for (const cell of cells) applied.push(...(await migrateSchema(client, cell, 'cell')))
  const granted = await grantRights(client, { ...rightsOf(cells, login), applied: applied.length > 0 })
  return addUsableRole(client, login, { applied, granted, cells })
}

async function addUsableRole(client: pg.Client, login: ServiceLogin, done: Omit<Done, 'role'>): Promise<Done> {
  const role = await findUsableRole(client, login.user)
  if (role === null && login.user !== client.user) throw noRoleFault(client.user ?? '', login)
  return { ...done, role }
}

const rightsOf = (cells: readonly string[], login: ServiceLogin) => ({
  schemas: ['directory', ...cells],
  login,
})

/** The fault when the owner has done all it may, and the service still could not read a table. */
const noRoleFault = (owner: string, { user }: ServiceLogin) =>
  new CannotStart(
    `the schema is up to date, but the database user ${owner} may not create roles, so ${user} cannot work with it. ` +
      `As an administrator of the server run once: create role ${APPLICATION_ROLE} nologin; ` +
      `grant ${APPLICATION_ROLE} to ${pg.escapeIdentifier(owner)} with admin option. Then run "gateway migrate" again`,
  )

/** Reads which migrations were applied, without a lock. */
async function inspectSchema(
  client: pg.Client,
  { login, citus }: { login: ServiceLogin; citus: boolean },
): Promise<SchemaState> {
  const { rows } = await client.query(`select 1 from pg_namespace where nspname = 'directory'`)
  try {
    const cells = rows.length === 0 ? [] : await readCells(client)
    const unreached = citus ? await findUnreached(client, cells) : []
    for (const schema of ['directory', ...cells.filter((cell) => !unreached.includes(cell))]) {
      const kind = schema === 'directory' ? 'directory' : 'cell'
      const known = rows.length === 0 ? new Map<string, string>() : await readChecksums(client, schema)
      const [missing] = listMissingFiles(schema, kind, known)
      if (missing !== undefined) return { missing: missing.name, schema, cells, unreached }
    }
    return { missing: null, schema: '', cells, unreached }
  } catch (error) {
    // A first migration that was cut off.
    if (sqlState(error) === '42P01')
      return { missing: listMigrationFiles('directory')[0]?.name ?? '', schema: 'directory', cells: [], unreached: [] }
    if (sqlState(error) !== '42501') throw error
    throw new CannotStart(
      `the database user ${login.user} may not read the schema: ${RUN_MIGRATE}, which gives it its rights`,
    )
  }
}

const workerFault = ({ schema, missing }: SchemaState) =>
  new CannotStart(
    `the schema ${schema} lacks migration ${missing}, and this address leads to a worker of Citus, where no schema changes: give MIGRATE_DATABASE_URL the address of the coordinator, or run "gateway migrate" there`,
  )

async function behindFault(
  client: pg.Client,
  { missing, schema }: SchemaState,
  login: ServiceLogin,
): Promise<CannotStart> {
  const by = await findLockHolder(client)
  return new CannotStart(
    by === null
      ? `the schema ${schema} lacks migration ${missing}, and the database user ${login.user} may not change the schema: ${RUN_MIGRATE}`
      : `the schema ${schema} lacks migration ${missing}, and ${by} is migrating it now: start again when it has ended`,
  )
}

/** Whether the user owns the schema, or on an empty database may create one. */
async function mayMigrate(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select coalesce((select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'directory'),
       has_database_privilege(current_database(), 'create')) as may`,
  )
  return rows[0]?.may ?? false
}

async function readCells(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from directory.cells order by name')
  return rows.map((row) => row.name)
}

/** Applies what this schema lacks, and returns the names. To be called under the lock of migrations. */
export async function migrateSchema(client: pg.Client, schema: string, kind: 'directory' | 'cell'): Promise<string[]> {
  const missing = listMissingFiles(schema, kind, await ensureChecksums(client, schema))
  if (missing.length > 0) await applyFiles(client, schema, kind)
  for (const file of missing)
    await client.query(
      `insert into ${schema}.migration_checksums (name, checksum) values ($1, $2) on conflict do nothing`,
      [file.name, file.checksum],
    )
  return missing.map((file) => `${schema}/${file.name}`)
}

/** Lists the files not applied to this schema yet. Throws for an edited file, and for a schema that is ahead of this program. */
function listMissingFiles(schema: string, kind: 'directory' | 'cell', known: ReadonlyMap<string, string>) {
  const files = listMigrationFiles(kind)
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
    dbClient: commandByCommand(client),
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

function listMigrationFiles(kind: string): MigrationFile[] {
  return readdirSync(join(MIGRATIONS, kind))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const path = join(MIGRATIONS, kind, name)
      return { name, path, checksum: createHash('sha256').update(readFileSync(path)).digest('hex') }
    })
}

/**
 * Returns the checksums of applied files. A file whose checksum was not stored, because of a crash after it was applied, counts as
 * unchanged.
 */
async function ensureChecksums(client: pg.Client, schema: string): Promise<Map<string, string>> {
  await createSchema(client, schema)
  await client.query(
    `create table if not exists ${schema}.migration_checksums (name text primary key, checksum text not null)`,
  )
  return readChecksums(client, schema)
}

async function createSchema(client: pg.Client, schema: string): Promise<void> {
  try {
    await client.query(`create schema if not exists ${schema}`)
  } catch (error) {
    if (sqlState(error) !== '42501') throw error
    const grant = `grant create on database ${pg.escapeIdentifier(client.database ?? '')} to ${pg.escapeIdentifier(client.user ?? '')}`
    throw new CannotStart(
      `the schema ${schema} could not be made: ${(error as Error).message}. As a superuser run: ${grant}. On a cluster of Citus run it on the coordinator, and again after each new node: a node that is added does not know it`,
    )
  }
}

async function readChecksums(client: pg.Client, schema: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select name, checksum from ${schema}.migration_checksums`,
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}
