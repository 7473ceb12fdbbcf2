import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { type EmbeddedServer, joinEmbeddedPostgres } from '../../../src/platform/embedded-postgres.ts'
import { citusServer } from './citus-database.ts'

/** A database for one test file, cloned from a migrated template on the server that all files share. */
export type TestDatabase = { url: string; name: string; drop(): Promise<void> }

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
const ROOM_BYTES = 2 ** 31
// One server for the whole run of a checkout, which the last file stops. Not durable: crash tests start their own servers.
const OWNER = `${process.getuid?.() ?? 'user'}-${createHash('sha256').update(ROOT).digest('hex').slice(0, 8)}`
const SHARED = join(roomyMemory() ?? tmpdir(), `gateway-test-postgres-${OWNER}`)
const TEMPLATE_LOCK = 5_512_001
let clones = 0

type Server = Pick<EmbeddedServer, 'url' | 'leave'>

/**
 * The server that TEST_POSTGRES names by the folder of its socket, to try another version; its superuser is `postgres`. It must be for
 * nothing else.
 */
const givenServer = (socket: string): Server => ({
  url: (name) => `postgresql:///${name}?host=${encodeURIComponent(socket)}&user=postgres`,
  leave: async () => {},
})

export async function testDatabase(): Promise<TestDatabase> {
  const { TEST_POSTGRES, TEST_CITUS_URL } = process.env
  if (TEST_CITUS_URL) return clusterDatabase(TEST_CITUS_URL)
  const server = TEST_POSTGRES ? givenServer(TEST_POSTGRES) : await ownServer()
  const template = `template_${migrationsDigest()}`
  const name = `test_${process.pid}_${clones++}`
  await withAdmin(server, async (admin) => {
    await admin.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    await makeTemplate(server, admin, template)
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`create database ${name} template ${template} strategy file_copy`)
  })
  return onServer(server, name)
}

/** A copy of this database, to which nobody may be connected, with all its rows. Not on a cluster. */
export async function copyOf(database: TestDatabase): Promise<TestDatabase> {
  const { TEST_POSTGRES } = process.env
  const server = TEST_POSTGRES ? givenServer(TEST_POSTGRES) : await ownServer()
  const name = `test_${process.pid}_${clones++}`
  await withAdmin(server, async (admin) => {
    await untilEmpty(admin, database.name)
    await admin.query(`create database ${name} template ${database.name} strategy file_copy`)
  })
  return onServer(server, name)
}

const onServer = (server: Server, name: string): TestDatabase => ({
  name,
  url: server.url(name),
  drop: async () => {
    await withAdmin(server, (admin) => dropWhenEmpty(admin, name))
    await server.leave()
  },
})

/** On a cluster, with the directory and the cell as distributed schemas. */
async function clusterDatabase(coordinator: string): Promise<TestDatabase> {
  const server = citusServer(coordinator)
  const template = `template_${migrationsDigest()}`
  const name = `test_${process.pid}_${clones++}`
  await withAdmin({ url: server.url }, async (admin) => {
    await admin.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    await server.makeTemplate(template)
    await server.drop(name)
    await server.clone(template, name)
  })
  return { name, url: server.url(name), drop: () => server.drop(name) }
}

const ownServer = (): Promise<Server> =>
  joinEmbeddedPostgres({
    dataDir: SHARED,
    say: () => {},
    settings: {
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
      ...{ max_wal_size: '128MB', shared_buffers: '128MB' },
      // Of tables that nobody has analyzed it thinks that they are large: to start processes for them takes longer than to read them.
      max_parallel_workers_per_gather: '0',
      // Hundreds of databases live for seconds each: nobody tidies or copies them.
      ...{ autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0' },
      // Enough for the services of several files at once.
      max_connections: '600',
    },
  })

/** A folder in memory, if there is enough of it: creating a database of some thousand files is ten times as fast there. */
function roomyMemory(): string | null {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY)
    return type === TMPFS && bavail * bsize > ROOM_BYTES ? MEMORY : null
  } catch {
    return null
  }
}

/** Sockets of a closed pool may end slightly after its promise; forcing them would look like an error to their owner. */
async function dropWhenEmpty(admin: pg.Client, name: string): Promise<void> {
  await untilEmpty(admin, name)
  await admin.query(`drop database if exists ${name} with (force)`)
}

async function untilEmpty(admin: pg.Client, name: string): Promise<void> {
  for (let looked = 0; looked < 100; looked += 1) {
    const { rowCount } = await admin.query('select 1 from pg_stat_activity where datname = $1', [name])
    if (rowCount === 0) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function makeTemplate(server: Server, admin: pg.Client, template: string): Promise<void> {
  const { rowCount } = await admin.query('select 1 from pg_database where datname = $1 and datistemplate', [template])
  if (rowCount === 1) return
  await admin.query(`drop database if exists ${template} with (force)`)
  await admin.query(`create database ${template}`)
  await migrate(server.url(template))
  await admin.query(`alter database ${template} with is_template true`)
}

async function withAdmin<T>(server: Pick<Server, 'url'>, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: server.url('postgres') })
  admin.on('error', () => {})
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

function migrationsDigest(): string {
  const digest = createHash('sha256')
  for (const kind of ['directory', 'cell'])
    for (const name of readdirSync(join(ROOT, 'migrations', kind)).sort())
      digest.update(name).update(readFileSync(join(ROOT, 'migrations', kind, name)))
  return digest.digest('hex').slice(0, 12)
}
