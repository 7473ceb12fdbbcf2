import type pg from 'pg'
import { count } from '../../log/measures.ts'
import { classifyDatabaseError, DatabaseAway, sqlState } from '../errors.ts'
import { openNodeLook } from './node-look.ts'
import { isNode, type Node, readPlaces, type SchemaPlaces } from './node-places.ts'
import type { ServerPlace } from './server-address.ts'
import { type OpenConnection, type Servers, serversAt } from './servers.ts'

/** The nodes of Citus that hold the schemas of one database. */
export type Nodes = {
  /** The servers that hold this schema, now and after it has moved. */
  serversFor(schema: string): Servers
  /** The node that holds this schema; null where it is not distributed, and lies where the address leads. */
  nodeOf(schema: string): ServerPlace | null
  /** Asks where every schema lies. Throws DatabaseAway when no node says it. */
  look(): Promise<void>
  /** While a schema is held, connections to it are refused with DatabaseAway, whose text is this reason. */
  hold(schema: string, reason: string): void
  /** Ends what `hold` began. */
  admit(schema: string): void
  held(): readonly string[]
  close(): Promise<void>
}

/** `writes`: a server that takes no writes is of no use. */
type NodesOptions = { url: string; writes?: boolean }
type NodesState = {
  base: Servers
  places: SchemaPlaces
  known: Map<string, Node>
  held: Map<string, string>
  connections: Map<OpenConnection, string>
  /** The newest timeline that was seen of each group: its number stays when a standby takes the place of a node. */
  timelines: Map<number, number>
  /** Lets the next look come soon. */
  askSoon(): void
}

// Nothing but this look shows a process without work that a cell has moved.
const LOOK_EVERY_MS = 2000
// After an error the places are asked at once, but no more often than this: a node that is dead fails every piece of work of its cells.
const REST_MS = 500
const RETIRE_MS = 50
// What a server says of a table or schema that is not there: it was moved away between the look and the statement.
const NOT_HERE: readonly string[] = ['42P01', '3F000']

/**
 * Opens the look at the nodes of this database, which must have Citus. Each schema of the product lies on one node, which answers for it
 * alone; so its connections go to that node, and no other one has a part in a payment. Throws WrongAddress, and DatabaseAway when no node
 * says where the schemas lie.
 */
export async function openNodes({ url, writes = false }: NodesOptions): Promise<Nodes> {
  const base = serversAt(url, writes)
  const asking = openNodeLook({ url, writes }, readAtNode)
  const state: NodesState = {
    ...{ base, places: new Map(), known: new Map(), held: new Map(), connections: new Map(), timelines: new Map() },
    askSoon: () => timers.soon(),
  }
  const look = async () => follow(state, await asking.ask([...new Set(state.places.values())]))
  const timers = repeatLook(look)
  await look().catch(async (error) => {
    await asking.close()
    throw error
  })
  timers.start()
  return {
    serversFor: (schema) => serversOf(state, schema),
    nodeOf: (schema) => state.places.get(schema) ?? null,
    look,
    hold: (schema, reason) => void state.held.set(schema, reason),
    admit: (schema) => void state.held.delete(schema),
    held: () => [...state.held.keys()],
    close: async () => {
      await timers.stop()
      await asking.close()
    },
  }
}

/** A node that was taken out of the cluster knows of nothing, and is not believed. */
async function readAtNode(
  client: pg.ClientBase,
  { timeoutMs, atNode }: { timeoutMs: number; atNode: boolean },
): Promise<SchemaPlaces> {
  const places = await readPlaces(client, timeoutMs)
  if (atNode && places.size === 0) throw new DatabaseAway(new Error('it is no node of the cluster any more'))
  return places
}

/** Looks every two seconds, and soon after something said that a schema is not where it was; never twice at once. */
function repeatLook(look: () => Promise<void>) {
  let timer: NodeJS.Timeout | null = null
  let looking: Promise<void> | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  let [stopped, hurried] = [false, false]
  const next = (ms: number) => {
    if (timer !== null) clearTimeout(timer)
    timer = stopped ? null : setTimeout(run, ms).unref()
  }
  const run = () => {
    lookedAt = performance.now()
    hurried = false
    looking = look()
      // No node answers now; what is known stays in force, and the next look asks again.
      .catch(() => {})
      .finally(() => {
        looking = null
        next(hurried ? restMs() : LOOK_EVERY_MS)
      })
  }
  const restMs = () => Math.max(0, lookedAt + REST_MS - performance.now())
  return {
    start: () => next(LOOK_EVERY_MS),
    soon: () => {
      if (hurried) return
      hurried = true
      if (looking === null) next(restMs())
    },
    stop: async () => {
      stopped = true
      next(0)
      await looking
    },
  }
}

/** Takes over what a look has found, and ends the connections that lead to where a schema no longer is. */
function follow(state: NodesState, found: SchemaPlaces): void {
  const before = state.places
  state.places = keepSame(state.known, found)
  const left = [...state.connections].filter(([{ place }, schema]) => !isRightPlace(state, place, schema))
  for (const [nth, [connection, schema]] of left.entries()) end(connection, { now: state.places.get(schema), nth })
  for (const [schema, node] of state.places)
    if (before.size > 0 && before.get(schema) !== node) count('db_node_changes_total')
}

/** A node is one object, so that places are compared by identity. */
function keepSame(known: Map<string, Node>, found: SchemaPlaces): SchemaPlaces {
  const sameAs = (node: Node) => {
    const name = `${node.group} ${node.host} ${node.port}`
    const same = known.get(name) ?? node
    known.set(name, same)
    return same
  }
  return new Map([...found].map(([schema, node]) => [schema, sameAs(node)]))
}

/**
 * A schema that moved leaves a node that works: what is under way there ends by itself, because that node passes it on. Its connections go
 * one after the other, since a new one is slow at first. A node in whose place another server stands answers with old rows, or never.
 */
function end(connection: OpenConnection, { now, nth }: { now: Node | undefined; nth: number }): void {
  const replaced = now !== undefined && isNode(connection.place) && connection.place.group === now.group
  if (replaced) connection.drop('another server stands in the place of its node now')
  else setTimeout(() => connection.retire(), nth * RETIRE_MS).unref()
}

const isRightPlace = ({ places }: NodesState, place: ServerPlace, schema: string) => {
  const node = places.get(schema)
  return node === undefined ? !isNode(place) : node === place
}

/** The servers of one schema. It behaves as those of the address, but for where it leads. */
function serversOf(state: NodesState, schema: string): Servers {
  const { base, connections } = state
  return {
    address: base.address,
    find: async (examine) => {
      const reason = state.held.get(schema)
      if (reason !== undefined) throw new DatabaseAway(new Error(reason))
      return state.places.get(schema) ?? base.find(examine)
    },
    doubt: (place) => {
      state.askSoon()
      if (!isNode(place)) base.doubt(place)
    },
    leave: (place, reason) => {
      state.askSoon()
      if (!isNode(place)) return base.leave(place, reason)
      for (const [connection] of connections) if (connection.place === place) connection.drop(reason)
    },
    checkTimeline: (timeline, place) => {
      if (!isNode(place)) return base.checkTimeline(timeline, place)
      const newest = state.timelines.get(place.group) ?? timeline
      if (timeline < newest) throw olderHistory(timeline, newest)
      state.timelines.set(place.group, timeline)
    },
    classify: (error) => {
      const known = classifyDatabaseError(error)
      const isGone = NOT_HERE.includes(sqlState(error) ?? '')
      if (isGone || known instanceof DatabaseAway) state.askSoon()
      return isGone ? new DatabaseAway(error) : known
    },
    opened: (connection) => {
      if (!isNode(connection.place)) base.opened(connection)
      connections.set(connection, schema)
      // It may have moved while the connection was made.
      if (!isRightPlace(state, connection.place, schema)) connection.retire()
    },
    closed: (connection) => {
      base.closed(connection)
      connections.delete(connection)
    },
  }
}

const olderHistory = (timeline: number, newest: number) =>
  new DatabaseAway(
    new Error(
      `the history of its node (timeline ${timeline}) is older than that of the server that stood there before (${newest}): another one was promoted in its place`,
    ),
  )
