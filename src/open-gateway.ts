import pg from 'pg'
import type { Logger } from 'pino'
import { buildGateway, type Gateway, type Parts } from './app.ts'
import { unlockVault } from './master-key.ts'
import { followFreeze } from './merchants/payout-freeze.ts'
import { type Clock, clockFollowingFile, systemClock } from './platform/clock.ts'
import type { Login } from './platform/db/application-role.ts'
import { sqlState } from './platform/db/errors.ts'
import { type Migrated, migrate } from './platform/db/migrate.ts'
import { type EmbeddedServer, joinEmbeddedPostgres } from './platform/embedded-postgres.ts'
import type { Config } from './settings/config.ts'

/** A gateway on its database, with the functions to rejoin and close it. */
export type Opened = {
  gateway: Gateway
  migrated: Migrated
  embedded: boolean
  /** Joins the embedded server again when it has gone away; does nothing with DATABASE_URL. */
  rejoin(): Promise<void>
  close(): Promise<void>
}

/** `clock`, `liveRails` and `resolve` are passed in by code only, never by a setting. */
export type OpenOptions = { config: Config; log: Logger; say: (line: string) => void; clock?: Clock } & Pick<
  Parts,
  'liveRails' | 'resolve' | 'listensAt' | 'patient'
>

const DATABASE = 'gateway'
const EMBEDDED_LOGIN = 'gateway_service'
const NO_DATABASE = '3D000'

/**
 * Joins or reaches the database, brings its schema up to date, checks the master key and builds the gateway. Throws WrongSettings with a
 * sentence; DatabaseAway when the server cannot be reached.
 */
export async function openGateway(options: OpenOptions): Promise<Opened> {
  const { config, log } = options
  const clock = options.clock ?? clockOf(config)
  const server = await reach(options)
  try {
    const migrated = await bringUpToDate(server, options.say)
    const vault = await unlockVault(config, { connectionString: server.url, role: migrated.role })
    const gateway = buildGateway({
      ...options,
      clock,
      log,
      vault,
      connectionString: server.url,
      cells: migrated.cells,
      role: migrated.role,
    })
    await gateway.witness.look()
    await gateway.op1?.choice.refresh()
    // A cell that a migration has just created does not have the freeze yet.
    if (migrated.applied.length > 0) await Promise.all(gateway.cells.map(followFreeze))
    return {
      gateway,
      migrated,
      embedded: config.databaseUrl === null,
      rejoin: server.rejoin,
      close: async () => {
        try {
          await gateway.close()
        } finally {
          await server.leave()
        }
      },
    }
  } catch (error) {
    await server.leave()
    throw error
  }
}

/** The machine's clock, or the one that the file of TEST_CLOCK moves. */
export const clockOf = (config: Config): Clock =>
  config.testClock === null ? systemClock() : clockFollowingFile(config.testClock)

type Reached = {
  /** The address with the login of the service. */
  url: string
  /** The address with the login of the schema's owner, for migrations. */
  ownerUrl: string
  login: Login
  /** Creates the database; null on a server that is not ours. */
  create: (() => Promise<void>) | null
  rejoin(): Promise<void>
  leave(): Promise<void>
}

async function reach({ config, say }: OpenOptions): Promise<Reached> {
  const { databaseUrl: url, migrateDatabaseUrl } = config
  if (url !== null) {
    const login = { user: new pg.Client({ connectionString: url }).user ?? '', make: false }
    const ownerUrl = migrateDatabaseUrl ?? url
    return { url, login, ownerUrl, create: null, rejoin: async () => {}, leave: async () => {} }
  }
  let server: EmbeddedServer = await joinEmbeddedPostgres({ dataDir: config.dataDir, say })
  return {
    url: server.url(DATABASE, EMBEDDED_LOGIN),
    ownerUrl: server.url(DATABASE),
    login: { user: EMBEDDED_LOGIN, make: true },
    create: () => createDatabase(server.url('postgres')),
    rejoin: async () => {
      const before = server
      server = await joinEmbeddedPostgres({ dataDir: config.dataDir, say })
      // In this order this process is never the last one to leave.
      await before.leave()
    },
    leave: () => server.leave(),
  }
}

/** Migrates; creates the database first where it does not exist. Every start but the first finds it, so nothing is asked beforehand. */
async function bringUpToDate(
  { ownerUrl, login, create }: Reached,
  say: OpenOptions['say'],
): Promise<Migrated> {
  try {
    return await migrate(ownerUrl, login, { say })
  } catch (error) {
    if (create === null || sqlState(error) !== NO_DATABASE) throw error
    await create()
    return await migrate(ownerUrl, login, { say })
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`create database ${DATABASE}`).catch((error) => {
      // Another process of ours was first.
      if (!['42P04', '23505'].includes(sqlState(error) ?? '')) throw error
    })
  } finally {
    await client.end()
  }
}
