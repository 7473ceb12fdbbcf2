import type pg from 'pg'
import { classifyDatabaseError } from '../errors.ts'
import type { ServerPlace } from './server-address.ts'
import { ServerClient, serverConfig } from './server-client.ts'

/** Reads the answer over this connection. `atNode`: it was not asked where the address leads. */
type Read<Answer> = (client: pg.ClientBase, how: { timeoutMs: number; atNode: boolean }) => Promise<Answer>

/** Asks a question that every node can answer. */
type NodeLook<Answer> = {
  /** Asks where the last answer came from, else at the configured address, else at some of these nodes. Throws DatabaseAway. */
  ask(nodes: readonly ServerPlace[]): Promise<Answer>
  close(): Promise<void>
}

const ASK_MS = 1500
// Beside the configured address: where three nodes are silent the others can wait for the next look.
const MAX_NODES = 3

/** Keeps one connection open, so that a look costs one small statement. */
export function openNodeLook<Answer>(address: { url: string; writes: boolean }, read: Read<Answer>): NodeLook<Answer> {
  let open: { client: pg.Client; atNode: boolean } | null = null

  async function askAt(place: ServerPlace | null): Promise<Answer> {
    const client = new ServerClient({
      ...serverConfig(address),
      ...(place === null ? {} : { place }),
      ...{ connectionTimeoutMillis: ASK_MS, application_name: 'gateway places' },
    })
    try {
      await client.connect()
      const atNode = place !== null
      const answer = await read(client, { timeoutMs: ASK_MS, atNode })
      open = { client, atNode }
      client.once('end', () => {
        if (open?.client === client) open = null
      })
      return answer
    } catch (error) {
      end(client)
      throw classifyDatabaseError(error)
    }
  }

  async function askAgain(): Promise<Answer | null> {
    const asked = open
    if (asked === null) return null
    try {
      return await read(asked.client, { timeoutMs: ASK_MS, atNode: asked.atNode })
    } catch {
      open = null
      end(asked.client)
      return null
    }
  }

  return {
    async ask(nodes) {
      const again = await askAgain()
      if (again !== null) return again
      let failure: unknown = null
      for (const place of [null, ...nodes.slice(0, MAX_NODES)])
        try {
          return await askAt(place)
        } catch (error) {
          failure ??= error
        }
      throw failure
    },
    close: async () => {
      if (open !== null) await withinTime(open.client.end())
    },
  }
}

/** A server that is silent does not say goodbye. */
const withinTime = (ended: Promise<unknown>) =>
  Promise.race([ended.catch(() => {}), new Promise((resolve) => setTimeout(resolve, ASK_MS).unref())])
const end = (client: pg.Client) => void client.end().catch(() => {})
