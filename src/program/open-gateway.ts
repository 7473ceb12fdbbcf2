import type { Logger } from 'pino'
import { repairFreezeCopies } from '../merchants/account/payout-freeze.ts'
import type { ServiceLogin } from '../platform/db/application-role.ts'
import { classifyDatabaseError, DatabaseAway, sqlState, TAKES_NO_WRITES } from '../platform/db/errors.ts'
import { type MigrationResult, migrate } from '../platform/db/migrate.ts'
import { isReadOnly } from '../platform/db/read-only.ts'
import { openNodes } from '../platform/db/servers/nodes.ts'
import { readServerAddress } from '../platform/db/servers/server-address.ts'
import { newServerClient } from '../platform/db/servers/server-client.ts'
import { type EmbeddedServer, joinEmbeddedPostgres } from '../platform/embedded-postgres.ts'
import { type Clock, clockFollowingFile, systemClock } from '../platform/time/clock.ts'
import { buildGateway, type Gateway, type GatewayParts } from './app.ts'
import { unlockVault } from './master-key.ts'
import type { Config } from './settings/config.ts'

/** A gateway on its database, with the functions to rejoin and close it. */
export type OpenedGateway = {
  gateway: Gateway
  migrated: MigrationResult
  embedded: boolean
  /** Whether the server takes no writes: a standby, or a restored backup that has not been opened. */
  readOnly: boolean
  /** The address under which the embedded server can be asked for backups and its WAL; null with DATABASE_URL. */
  replicationUrl(): string | null
  /** The address with the login of the schema's owner. */
  ownerUrl: string
  /** The login of the service. */
  login: ServiceLogin
  /** Reads again which cells there are, and brings their schemas up to date. */
  migrateAgain(): Promise<MigrationResult>
  /** Joins the embedded server again when it has gone away; does nothing with DATABASE_URL. */
  rejoin(): Promise<void>
  close(): Promise<void>
}

/** `clock`, `liveRails` and `resolve` are passed in by code only, never by a setting. */
export type OpenOptions = {
  config: Config
  log: Logger
  say: (line: string) => void
  clock?: Clock
} & Pick<GatewayParts, 'liveRails' | 'resolve' | 'listensAt' | 'serviceCounts' | 'patient' | 'writes'>

export const DATABASE_NAME = 'gateway'
const EMBEDDED_LOGIN = 'gateway_service'
const MISSING_DATABASE_STATE = '3D000'
const DATABASE_RETRY_MS = { first: 50, max: 2000 }

/**
 * Waits with back-off for a database that cannot be reached. Throws WrongSettings, which ends the process; null when it is stopped
 * meanwhile.
 */
export async function reachDatabase(options: OpenOptions & { stopping?: AbortSignal }): Promise<OpenedGateway | null> {
  for (
    let waitMs = DATABASE_RETRY_MS.first;
    !options.stopping?.aborted;
    waitMs = Math.min(waitMs * 2, DATABASE_RETRY_MS.max)
  ) {
    try {
      return await openGateway({ ...options, writes: true })
    } catch (error) {
      // Only a server that is away, starting or shutting down is waited for; waiting cures no other error.
      if (!(classifyDatabaseError(error) instanceof DatabaseAway)) throw error
      options.log.warn({ err: error }, 'the database is not there yet')
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
  return null
}

/**
 * Joins or reaches the database, brings its schema up to date, checks the master key and builds the gateway. Throws WrongSettings with a
 * sentence; DatabaseAway when the server cannot be reached.
 */
export async function openGateway(options: OpenOptions): Promise<OpenedGateway> {
  const { config } = options
  const server = await accessDatabase(options)
  try {
    const migrated = await migrateDatabase(server, options.say)
    const gateway = await buildOn(server, migrated, options)
    const readOnly = await readsOnly(gateway, options).catch(async (error) => {
      await gateway.close()
      throw error
    })
    await gateway.witness.askServer()
    await Promise.all(gateway.configuredRails.map((rail) => rail.refreshChoice()))
    // A cell that a migration has just created does not have the freeze yet.
    if (migrated.applied.length > 0) await repairFreezeCopies(gateway)
    return {
      gateway,
      migrated,
      readOnly,
      replicationUrl: server.replicationUrl,
      ...{ ownerUrl: server.ownerUrl, login: server.login },
      migrateAgain: () => migrateDatabase(server, options.say),
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

async function buildOn(
  { url }: DatabaseAccess,
  { cells, role, citus, unreached }: MigrationResult,
  options: OpenOptions,
): Promise<Gateway> {
  const { config, clock = openClock(config), writes = false } = options
  const nodes = citus ? await openNodes({ url, writes }) : null
  try {
    for (const cell of unreached) nodes?.hold(cell, `${cell} has not answered since this process started`)
    const place = nodes?.nodeOf('directory') ?? null
    const vault = await unlockVault(config, { connectionString: url, role, place })
    return buildGateway({ ...options, clock, vault, connectionString: url, nodes, cells, role })
  } catch (error) {
    await nodes?.close()
    throw error
  }
}

/** Whether the server takes no writes. Throws DatabaseAway where they are wanted. */
async function readsOnly({ directory }: Gateway, { writes = false }: OpenOptions): Promise<boolean> {
  const readOnly = await isReadOnly(directory)
  if (readOnly && writes) throw new DatabaseAway(new Error(TAKES_NO_WRITES))
  return readOnly
}

/** The machine's clock, or the one that the file of TEST_CLOCK moves. */
export const openClock = (config: Config): Clock =>
  config.testClock === null ? systemClock() : clockFollowingFile(config.testClock)

type DatabaseAccess = {
  /** The address with the login of the service. */
  url: string
  /** The address with the login of the schema's owner, for migrations. */
  ownerUrl: string
  login: ServiceLogin
  /** Creates the database; null on a server that is not ours. */
  create: (() => Promise<void>) | null
  replicationUrl(): string | null
  rejoin(): Promise<void>
  leave(): Promise<void>
}

async function accessDatabase({ config, say }: OpenOptions): Promise<DatabaseAccess> {
  const { databaseUrl: url, migrateDatabaseUrl } = config
  if (url !== null) {
    const login = { user: readServerAddress(url).user, make: false }
    const ownerUrl = migrateDatabaseUrl ?? url
    return {
      url,
      login,
      ownerUrl,
      create: null,
      replicationUrl: () => null,
      rejoin: async () => {},
      leave: async () => {},
    }
  }
  let server: EmbeddedServer = await joinEmbeddedPostgres({ dataDir: config.dataDir, say })
  return {
    url: server.url(DATABASE_NAME, EMBEDDED_LOGIN),
    ownerUrl: server.url(DATABASE_NAME),
    login: { user: EMBEDDED_LOGIN, make: true },
    create: () => createDatabase(server.url('postgres')),
    replicationUrl: () => server.url(DATABASE_NAME),
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
async function migrateDatabase(
  { ownerUrl, login, create }: DatabaseAccess,
  say: OpenOptions['say'],
): Promise<MigrationResult> {
  try {
    return await migrate(ownerUrl, login, { say })
  } catch (error) {
    if (create === null || sqlState(error) !== MISSING_DATABASE_STATE) throw error
    await create()
    return await migrate(ownerUrl, login, { say })
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = newServerClient(url)
  await client.connect()
  try {
    await client.query(`create database ${DATABASE_NAME}`).catch((error) => {
      // Another process of ours was first.
      if (!['42P04', '23505'].includes(sqlState(error) ?? '')) throw error
    })
  } finally {
    await client.end()
  }
}
