import { count } from '../../log/measures.ts'
import { classifyDatabaseError, DatabaseAway } from '../errors.ts'
import { findServer } from './find-server.ts'
import { readServerAddress, type ServerAddress, type ServerPlace } from './server-address.ts'

/** An open connection to one of the servers. `retire`: it is used no more once what is under way on it has ended. */
export type OpenConnection = { place: ServerPlace; drop(reason: string): void; retire(): void }

/** The servers of one address, and which of them takes writes now; shared by all connections of this process to that address. */
export type Servers = {
  address: ServerAddress
  /** The server to connect to. Throws DatabaseAway when none takes writes now. */
  find(examine: (place: ServerPlace) => Promise<void>): Promise<ServerPlace>
  /** A connection to this server was lost, or it takes no writes: the next `find` asks all of them. */
  doubt(place: ServerPlace): void
  /** This server takes no writes: ends all connections to it. */
  leave(place: ServerPlace, reason: string): void
  /** Throws DatabaseAway for a server of the address whose history ended when another one was promoted. A node has a history of its own. */
  checkTimeline(timeline: number, place: ServerPlace): void
  /** Turns an error of a connection to one of them into DatabaseAway where the same work may succeed on another connection. */
  classify(error: unknown): unknown
  opened(connection: OpenConnection): void
  closed(connection: OpenConnection): void
}

// After a search in vain everybody hears what it found for this long, instead of a search each.
const REST_MS = 100
const known = new Map<string, Servers>()

/** The servers of this address. `writes`: one that takes no writes is of no use, even if the address does not say so. Throws WrongAddress. */
export function serversAt(url: string, writes: boolean): Servers {
  const read = readServerAddress(url)
  const address = { ...read, writes: read.writes || writes }
  const name = `${address.writes} ${url}`
  const servers = known.get(name) ?? openServers(address)
  known.set(name, servers)
  return servers
}

function openServers(address: ServerAddress): Servers {
  const [only] = address.places.length === 1 ? address.places : []
  const connections = new Set<OpenConnection>()
  let current: ServerPlace | null = null
  let last: ServerPlace | null = null
  let searching: Promise<ServerPlace> | null = null
  let timeline = 0

  async function search(examine: (place: ServerPlace) => Promise<void>): Promise<ServerPlace> {
    try {
      current = await findServer({ places: address.places, examine })
      if (last !== null && last !== current) moveTo(current)
      last = current
      searching = null
      return current
    } catch (error) {
      setTimeout(() => (searching = null), REST_MS)
      throw error
    }
  }

  /** Nothing that is still open to another server is of use: its answers would be old, or never come. */
  function moveTo(place: ServerPlace): void {
    count('db_server_changes_total')
    for (const connection of connections)
      if (connection.place !== place) connection.drop('another server takes the writes now')
  }

  function doubt(place: ServerPlace): void {
    if (current === place) current = null
  }

  return {
    address,
    find: async (examine) => {
      if (only !== undefined) return only
      if (current !== null) return current
      searching ??= search(examine)
      return searching
    },
    doubt,
    leave: (place, reason) => {
      doubt(place)
      for (const connection of connections) if (connection.place === place) connection.drop(reason)
    },
    checkTimeline: (of, place) => {
      if (!address.places.includes(place)) return
      if (of < timeline)
        throw new DatabaseAway(
          new Error(
            `its history (timeline ${of}) is older than that of the server that took writes before (${timeline}): another one was promoted in its place. If it is the right one all the same, restart this process`,
          ),
        )
      timeline = of
    },
    classify: classifyDatabaseError,
    opened: (connection) => connections.add(connection),
    closed: (connection) => connections.delete(connection),
  }
}
