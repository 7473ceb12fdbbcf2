import type { Logger } from 'pino'
import { type KeysInFlight, newKeysInFlight } from '../api/idempotency/in-flight.ts'
import { type ExactWindows, newExactWindows } from '../api/rate-limits/exact-windows.ts'
import { type GrantedRateCache, newGrantedRateCache } from '../api/rate-limits/granted-rates.ts'
import { type AddressCounts, newAddressCounts } from '../api/rate-limits/shared-address-window.ts'
import { newSharedWindows, type SharedWindows } from '../api/rate-limits/shared-windows.ts'
import { type KeyRing, keyRing } from '../merchants/account/authenticate.ts'
import type { PostOffice } from '../merchants/mails/post-office.ts'
import { type RequestRecorder, requestRecorder } from '../merchants/request-log/request-recorder.ts'
import type { SweepName } from '../operations/jobs/sweep-name.ts'
import { type CellWatch, newCellWatch } from '../platform/db/cell-watch.ts'
import { type Database, openDatabase } from '../platform/db/database.ts'
import { DatabaseAway } from '../platform/db/errors.ts'
import type { Nodes } from '../platform/db/servers/nodes.ts'
import { formatPlace } from '../platform/db/servers/server-address.ts'
import { ServiceCounts } from '../platform/log/service-counts.ts'
import type { createPoster, Poster } from '../platform/outbound/attempt.ts'
import type { TargetRules } from '../platform/outbound/target.ts'
import type { Vault } from '../platform/secrets.ts'
import type { Clock } from '../platform/time/clock.ts'
import { type ClockWitness, newClockWitness } from '../platform/time/clock-witness.ts'
import type { ConfiguredRail } from '../rails/configured-rail.ts'
import { type Ladders, openLadders } from '../rails/following/ladders.ts'
import type { StatusBudget } from '../rails/following/status-budget.ts'
import { type CallDeadline, deadlineIn, type Rails } from '../rails/rail.ts'
import type { RailObserver } from '../rails/rail-observer.ts'
import { openPosters } from './open-posters.ts'
import { openRails } from './open-rails.ts'
import type { Config } from './settings/config.ts'

/**
 * Everything that serves one cell: its database, its counters and what the process shares. Every operation takes it as its first
 * argument.
 */
export type App = ProcessContext & {
  cell: string
  db: Database
  keysInFlight: KeysInFlight
  /** The exact rate limits, by the rate name of the endpoint. */
  exactWindows: ExactWindows
  windows: SharedWindows
  /** Every cell of this process, this one included. */
  allCells(): readonly App[]
  ladders: Ladders
  /** Wakes a background task of this process, after a row that it waits for has been committed. */
  nudge(sweep: SweepName): void
}

/** The parts that all cells of one process share. */
export type ProcessContext = {
  config: Config
  clock: Clock
  /** Says whether the clock is in doubt, and gives the earlier time for steps that cannot be undone. */
  witness: ClockWitness
  log: Logger
  vault: Vault
  directory: Database
  /** Knows which cells answer this process. */
  cellWatch: CellWatch
  rails: Rails
  statusBudget: StatusBudget
  keyRing: KeyRing
  grantedRates: GrantedRateCache
  /** Counts requests by client address, for all processes together. */
  addressCounts: AddressCounts
  /** What this process has counted for the public page of the service. */
  serviceCounts: ServiceCounts
  poster: Poster
  targetRules: TargetRules
  /** Posts to machine suppliers, with their own allow-list. */
  supplierPoster: Poster
  supplierRules: TargetRules
  /** Posts alerts and heartbeats to the operator's own addresses, which may be private ones. */
  alertPoster: Poster
  postOffice: PostOffice
  /** The address merchants and customers use, without a slash at the end. */
  baseUrl: string
  deadlineIn(ms: number): CallDeadline
}

export type Gateway = ProcessContext & {
  cells: readonly App[]
  /** The app of the cell that serves this merchant. Throws DatabaseAway where this process does not serve it yet. */
  appOf(merchant: { cell: string }): App
  /** Opens a cell that was made since this process started. It is served once `serveCell` has been called. */
  openCell(cell: string): App
  serveCell(app: App): void
  /** Adds a listener for cells that this process begins to serve. */
  onCell(listener: (app: App) => void): void
  /** The nodes of Citus; null where the database has none. */
  nodes: Nodes | null
  /** The live rails that the settings describe. */
  configuredRails: readonly ConfiguredRail[]
  /** Records the requests of merchants for their request log. */
  requests: RequestRecorder
  /** Makes the live rails fetch their tokens ahead of time; a command that asks once does without. */
  startRails(): void
  /** Adds a listener for everything that the live rails report. */
  watchRails(listener: RailObserver): void
  /** Registers the function that wakes a background task, called by the process that runs them. */
  onNudge(wake: (cell: string, sweep: SweepName) => void): void
  close(): Promise<void>
}

export type GatewayParts = {
  config: Config
  clock: Clock
  log: Logger
  vault: Vault
  connectionString: string
  /** The nodes of Citus, where the database has them. They are closed with the gateway. */
  nodes?: Nodes | null
  /** The address of this process when BASE_URL is empty. */
  listensAt?: string
  /** What was counted before the database was reached. */
  serviceCounts?: ServiceCounts
  cells: readonly string[]
  role: string | null
  /** The live rails. Passed in by code, never by a setting; without them live money is refused with nothing written. */
  liveRails?: Rails['live']
  /** True for commands, which wait for connections because no client repeats them. */
  patient?: boolean
  /** A server that takes no writes counts as one that is away. */
  writes?: boolean
  /** How host names are resolved, for tests with their own servers. */
  resolve?: Parameters<typeof createPoster>[0]['resolve']
}

const MONEY_CONNECTIONS = 6
const SINGLE_CONNECTIONS = 4
const DIRECTORY_CONNECTIONS = 1
const STATEMENT_TIMEOUT_MS = 3000

/** Builds the whole program from its parts without starting anything. */
export function buildGateway(parts: GatewayParts): Gateway {
  const { config, clock, log, vault, nodes = null } = parts
  const open = databaseOpener(parts)
  const directory = open('directory', DIRECTORY_CONNECTIONS)
  const posting = openPosters(parts)
  const { configured, rails, budget, troubles, observer } = openRails(parts, directory)
  const counts = newAddressCounts(directory)
  const granted = newGrantedRateCache(() => cells.map(({ db }) => db))
  const failuresAMinute = config.rateFailedAuth
  const ring = keyRing({ directory, clock, log, failuresAMinute, counts, followed: granted.follow })
  const shared: ProcessContext = {
    ...{ config, clock, log, vault, directory },
    cellWatch: newCellWatch({ cells: () => cells, nodeOf: (cell) => formatPlace(nodes?.nodeOf(cell) ?? null), clock }),
    witness: newClockWitness({ clock, directory, log }),
    rails,
    statusBudget: budget,
    keyRing: ring,
    grantedRates: granted,
    addressCounts: counts,
    serviceCounts: parts.serviceCounts ?? new ServiceCounts(),
    ...posting,
    baseUrl: config.baseUrl ?? parts.listensAt ?? `http://${config.host}:${config.port}`,
    deadlineIn,
  }
  let wake = (_cell: string, _sweep: SweepName) => {}
  const openCell = (cell: string): App => {
    const db = open(cell, MONEY_CONNECTIONS)
    return buildCell(shared, { cell, db, nudge: (sweep) => wake(cell, sweep), allCells: () => cells })
  }
  const { cells, ...serving } = gatherCells(parts.cells.map(openCell))
  const appOf = ({ cell }: { cell: string }) => getCell(cells, cell)
  return {
    ...shared,
    cells,
    appOf,
    openCell,
    ...serving,
    nodes,
    requests: requestRecorder(shared, appOf),
    onNudge: (listener) => {
      wake = listener
    },
    configuredRails: configured,
    startRails: () => startAll(configured),
    watchRails: observer.to,
    close: async () => {
      const { poster, supplierPoster, alertPoster } = posting
      await Promise.all(configured.map((rail) => rail.close()))
      await troubles.close()
      const databases = [directory, ...cells.map((app) => app.db), ...(nodes === null ? [] : [nodes])]
      await Promise.all(
        [poster, supplierPoster, alertPoster, posting.postOffice, ...databases].map((resource) => resource.close()),
      )
    },
  }
}

const databaseOpener =
  ({ connectionString, role, nodes = null, patient = false, writes = false }: GatewayParts) =>
  (schema: string, connections: number): Database =>
    openDatabase({
      singleConnections: SINGLE_CONNECTIONS,
      ...{ connectionString, schema, role, connections, nodes, patient, writes },
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      applicationName: 'gateway',
    })

/** The cells of this process, to which new ones are added while it runs. */
function gatherCells(cells: App[]): Pick<Gateway, 'serveCell' | 'onCell'> & { cells: App[] } {
  const followers: ((app: App) => void)[] = []
  return {
    cells,
    serveCell: (app) => {
      cells.push(app)
      // Whatever is done once for all cells is done with the first one, which is the same in every process.
      cells.sort((a, b) => (a.cell < b.cell ? -1 : 1))
      for (const follow of followers) follow(app)
    },
    onCell: (listener) => void followers.push(listener),
  }
}

function startAll(rails: readonly ConfiguredRail[]): void {
  for (const rail of rails) rail.start()
}

function getCell(cells: readonly App[], cell: string): App {
  const served = cells.find((app) => app.cell === cell)
  if (!served) throw new DatabaseAway(new Error(`this process does not serve ${cell} yet`))
  return served
}

function buildCell(shared: ProcessContext, own: Pick<App, 'cell' | 'db' | 'nudge' | 'allCells'>): App {
  const { config, grantedRates: granted } = shared
  return {
    ...shared,
    ...own,
    keysInFlight: newKeysInFlight(own.db),
    ladders: openLadders({ ...shared, db: own.db }),
    exactWindows: newExactWindows(config, { db: own.db, clock: shared.clock, granted }),
    windows: newSharedWindows({ reads: config.rateReads, all: config.rateAll }, (rate, merchantId) =>
      granted.rateOf(rate === 'all' ? 'all' : 'reads', merchantId),
    ),
  }
}
