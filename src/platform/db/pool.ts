import pg, { type PoolClient } from 'pg'
import { CannotStart } from '../processes/cannot-start.ts'
import { CommitUnknown, classifyDatabaseError, DatabaseAway } from './errors.ts'
import type { Nodes } from './servers/nodes.ts'
import type { ServerPlace } from './servers/server-address.ts'
import { classifyOf, isUnreplicated, newServerClient, ServerClient, serverConfig } from './servers/server-client.ts'
import { watchSilence } from './silence-watch.ts'
import { newServerSocket } from './wire/server-socket.ts'

export type DatabaseOptions = {
  connectionString: string
  schema: string
  role: string | null
  /** How many connections for transactions. */
  connections: number
  /** How many connections for single statements, so that reads and money never wait for each other's connections. */
  singleConnections: number
  statementTimeoutMs: number
  applicationName: string
  /** Waits long for a connection instead of refusing: for commands, which are not repeated automatically. */
  patient?: boolean
  /** A server that takes no writes counts as one that is away. */
  writes?: boolean
  /** The nodes of Citus, where the database has it: connections go to the one that holds the schema. */
  nodes?: Nodes | null
}

// The longest time for opening a new connection. Waiting for one that is in use happens at the gate.
const OPEN_CONNECTION_MS = { service: 2000, patient: 15_000 }
const LOCK_TIMEOUT_MS = 1000
// Connections unused for this long are closed, but for a few.
const IDLE_CLOSED_AFTER_MS = 60_000
const MIN_CONNECTIONS = 2
// For connections that wait for no answer, whose loss nothing else would show (silence-watch.ts watches the others).
const KEEP_ALIVE_MS = 10_000
const IDLE_IN_TRANSACTION_MS = 5000

// Every statement of these connections finds its rows by an index, in a loop over a few keys. A plan made while a table was
// still small (a scan, a hash of all of it) would stay in use when it has grown, and cost a thousand times as much. A bitmap scan
// reads every dead entry of an index again and again, and sorts all that is due to find the first few.
const INDEX_PLANS = [
  ...['enable_seqscan=off', 'enable_bitmapscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off'],
  'jit=off',
]

/** Makes a pool. `pipeline`: several statements on the wire at once; without it a connection may stay in one snapshot for long. */
export function makePool(options: DatabaseOptions, pipeline: boolean): pg.Pool {
  const settings = [
    `search_path=${options.schema}`,
    ...(options.role === null ? [] : [`role=${options.role}`]),
    `lock_timeout=${LOCK_TIMEOUT_MS}`,
    `statement_timeout=${options.statementTimeoutMs}`,
    `idle_in_transaction_session_timeout=${pipeline ? IDLE_IN_TRANSACTION_MS : 60_000}`,
    'timezone=UTC',
    ...(pipeline ? INDEX_PLANS : []),
  ]
  const address = serverConfig({ url: options.connectionString, writes: options.writes ?? false })
  const pool = new pg.Pool({
    ...address,
    ...{ servers: options.nodes?.serversFor(options.schema) ?? address.servers },
    Client: ServerClient as unknown as new () => ServerClient,
    max: options.connections,
    connectionTimeoutMillis: options.patient ? OPEN_CONNECTION_MS.patient : OPEN_CONNECTION_MS.service,
    min: pipeline ? MIN_CONNECTIONS : 0,
    idleTimeoutMillis: IDLE_CLOSED_AFTER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    stream: newServerSocket,
    application_name: options.applicationName,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    ...({ pipeline } as object),
  })
  // An idle connection that dies is replaced by the next request; the error must not end the process.
  pool.on('error', () => {})
  const own = (client: PoolClient) => client as unknown as ServerClient // It makes no others.
  pool.on('acquire', (client) => own(client).acquired())
  pool.on('release', (_error, client) => own(client).released())
  watchSilence(pool, options.statementTimeoutMs)
  return pool
}

/** Opens `count` connections now. */
export async function openConnections(pool: pg.Pool, count: number): Promise<void> {
  const clients = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()))
  for (const client of clients) if (client.status === 'fulfilled') client.value.release()
}

/**
 * Runs `work` on a connection, which is closed after an error that may have left it out of step. Throws DatabaseAway, or what `work`
 * throws.
 */
export async function withClient<T>(pool: pg.Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(throwAway)
  // An idle connection that is cut reports here; statements under way get the error themselves.
  const ignore = () => {}
  client.on('error', ignore)
  let broken = true
  try {
    const value = await work(client)
    if (isUnreplicated(client)) throw new CommitUnknown(new Error('the server did not wait for its standby'))
    broken = false
    return value
  } catch (error) {
    const classified = classifyOf(client, error)
    broken = classified !== error || error instanceof CommitUnknown
    throw classified
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

/** Whatever kept a connection from being made, such as a certificate that has run out: nothing was done, and the same work may succeed later. */
function throwAway(error: unknown): never {
  const away = classifyDatabaseError(error)
  throw away instanceof DatabaseAway ? away : new DatabaseAway(error)
}

const SCHEMA = 'directory'
const REFUSED_BY_POOLER = /unsupported startup parameter/

/**
 * Connects to the server itself, or to the node that holds the directory (`place`), working in the directory. A pooler in between (PgBouncer and its kind) either refuses the settings that a
 * connection asks for at its start, or drops them silently: then no statement would find its tables. Throws CannotStart.
 */
export async function connectDirectly(
  connectionString: string,
  { role, place = null }: { role: string | null; place?: ServerPlace | null },
): Promise<pg.Client> {
  const settings = [`search_path=${SCHEMA}`, ...(role === null ? [] : [`role=${role}`])]
  const options = settings.map((setting) => `-c ${setting}`).join(' ')
  const client = newServerClient(connectionString, { options, ...(place === null ? {} : { place }) })
  await client.connect().catch((error) => {
    throw error instanceof Error && REFUSED_BY_POOLER.test(error.message) ? poolerFault() : error
  })
  const { rows } = await client.query<{ schema: string }>(`select current_setting('search_path') as schema`)
  if (rows[0]?.schema === SCHEMA) return client
  await client.end()
  throw poolerFault()
}

const poolerFault = () =>
  new CannotStart(
    'DATABASE_URL leads to a connection pooler (PgBouncer or its kind), which does not pass on what a connection asks for at its start: give it the address of PostgreSQL itself (docs/operating.md, "Production")',
  )
