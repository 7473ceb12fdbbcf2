import type { EventEmitter } from 'node:events'
import pg, { type ClientConfig } from 'pg'
import { classifyDatabaseError, DatabaseAway, explainRefusal, sqlState, TAKES_NO_WRITES } from '../errors.ts'
import type { ServerPlace } from './server-address.ts'
import { type Servers, serversAt } from './servers.ts'

/** What the driver has beyond its types. `_queryable`: whether its pool may hand it out again. */
type DriverParts = {
  _queryable: boolean
  connectionParameters: ServerPlace
  connection: EventEmitter & { stream: { destroyed: boolean; destroy(error: Error): void } }
}
type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void)
/** `place`: the one server that this connection is for, where it asks only that one. */
export type ServerConfig = ClientConfig & { servers: Servers; place?: ServerPlace }
/** `writes`: a server that takes no writes is of no use to this connection. */
type AddressOptions = { url: string; writes?: boolean }

const CONNECT_MS = 15_000
const ASK_MS = 1500
// What a server says of itself at the start of each connection, and again when it changes: a standby, or one that was fenced.
const READ_ONLY_SIGNS: readonly string[] = ['in_hot_standby', 'default_transaction_read_only']
const TIMELINE = `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`
// The function of the server that says it no longer waits for its standby; the text would be in the server's language.
const GAVE_UP_WAITING = 'SyncRepWaitForLSN'

const unreplicated = new WeakSet<object>()

/** What a connection to this address, or a pool of them, is opened with. Throws WrongAddress. */
export function serverConfig({ url, writes = false }: AddressOptions): ServerConfig {
  const servers = serversAt(url, writes)
  return { servers, connectionString: servers.address.first }
}

/** Makes a connection outside any pool, not yet opened; with a `place` to that server alone. Throws WrongAddress. */
export const newServerClient = (url: string, config: ClientConfig & { place?: ServerPlace } = {}): ServerClient =>
  new ServerClient({ connectionTimeoutMillis: CONNECT_MS, ...config, ...serverConfig({ url }) })

/** Turns an error that came over this connection into DatabaseAway where the same work may succeed on another one. */
export const classifyOf = (client: object, error: unknown): unknown =>
  client instanceof ServerClient ? client.classify(error) : classifyDatabaseError(error)

/** Whether the server has acknowledged something on this connection before its synchronous standby had it, because somebody ended its wait. */
export const isUnreplicated = (client: object): boolean => unreplicated.has(client)

/**
 * A connection to the server of an address that takes writes. It is ended at once when that server becomes read-only or another one takes
 * its place. `connect` throws DatabaseAway where no server takes writes, CannotStart where the server refuses it.
 */
export class ServerClient extends pg.Client {
  private readonly config: ServerConfig
  private readonly driver: DriverParts
  private readonly signs = new Set<string>()
  private place: ServerPlace | null
  // Whoever it is made for uses it first.
  private busy = true
  private retired = false

  constructor(config: ServerConfig) {
    super(config)
    this.config = config
    this.place = config.place ?? null
    this.driver = this as unknown as DriverParts
    // Whoever waits for an answer gets the error too.
    this.on('error', () => this.place !== null && config.servers.doubt(this.place))
    this.on('notice', ({ routine }) => {
      if (routine === GAVE_UP_WAITING) unreplicated.add(this)
    })
    this.driver.connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
      this.hear(parameterName, parameterValue),
    )
  }

  override connect(): Promise<this>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<this> | undefined {
    const reached = this.reach()
    if (callback === undefined) return reached.then(() => this)
    // The driver calls it with an error or with null, and declares it as one of the two.
    const tell = callback as (error: Error | null) => void
    reached.then(() => tell(null), tell)
    return undefined
  }

  private async reach(): Promise<void> {
    const { servers } = this.config
    this.place ??= await servers.find((place) => examineServer(this.config, place))
    const { place, driver } = this
    const { host, port } = place
    Object.assign(this, { host, port })
    Object.assign(driver.connectionParameters, { host, port })
    // Whoever asked for the connection has given up meanwhile.
    if (driver.connection.stream.destroyed) throw new DatabaseAway(new Error('no connection was made in time'))
    try {
      await super.connect()
      if (servers.address.writes) await this.assertTakesWrites(place)
    } catch (error) {
      servers.doubt(place)
      this.drop('it is of no use')
      throw explainRefusal(error, place)
    }
    if (this.config.place === undefined) this.stayKnown(place)
  }

  /** Throws DatabaseAway for a server that takes no writes, or that was replaced. */
  private async assertTakesWrites(place: ServerPlace): Promise<void> {
    if (this.signs.size > 0) throw new DatabaseAway(new Error(TAKES_NO_WRITES))
    const timeline = await this.query({ text: TIMELINE, query_timeout: ASK_MS } as pg.QueryConfig).then(
      ({ rows }) => Number(rows[0]?.timeline),
      (error) => {
        // A server that calls itself PostgreSQL and has no such functions.
        if (sqlState(error) !== null && classifyDatabaseError(error) === error) return null
        throw new DatabaseAway(error)
      },
    )
    if (timeline !== null) this.config.servers.checkTimeline(timeline, place)
  }

  private hear(name: string, value: string): void {
    if (!READ_ONLY_SIGNS.includes(name)) return
    if (value === 'on') this.signs.add(name)
    else this.signs.delete(name)
    const { place } = this
    if (this.signs.size === 0 || place === null || !this.config.servers.address.writes) return
    // What it has answered already is read first.
    setImmediate(() => this.config.servers.leave(place, TAKES_NO_WRITES))
  }

  private stayKnown(place: ServerPlace): void {
    const { servers } = this.config
    const connection = { place, drop: (reason: string) => this.drop(reason), retire: () => this.retire() }
    servers.opened(connection)
    this.once('end', () => servers.closed(connection))
  }

  /** Called when its pool has handed it out. */
  acquired(): void {
    this.busy = true
  }

  /** Called when it was given back to its pool, which closes it where it has retired. */
  released(): void {
    this.busy = false
    if (this.retired) this.driver._queryable = false
  }

  private retire(): void {
    this.retired = true
    if (!this.busy) this.drop('what it was for has moved')
  }

  classify(error: unknown): unknown {
    return this.config.servers.classify(error)
  }

  private drop(reason: string): void {
    this.driver.connection.stream.destroy(new Error(`Connection terminated: ${reason}`))
  }
}

/** Asks one server whether it takes writes. Throws when it does not, or does not answer. */
async function examineServer({ servers, connectionString }: ServerConfig, place: ServerPlace): Promise<void> {
  const client = new ServerClient({
    ...{ servers, connectionString, place, connectionTimeoutMillis: ASK_MS },
    application_name: 'gateway',
  })
  await client.connect().catch((error: unknown) => {
    throw classifyDatabaseError(error)
  })
  await client.end()
}
