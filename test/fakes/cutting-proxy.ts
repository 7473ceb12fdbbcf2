import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'

/** A wire between the service and its database that can be cut at a chosen moment. */
export type CuttingProxy = {
  port: number
  /** Loses the next COMMIT on its way to the server, or the answer to it. `passing` COMMITs get through first. */
  cutNextCommit(where: 'before the server hears of it' | 'before its answer', passing?: number): void
  /** The next transaction loses its connection after the server has answered its BEGIN. */
  cutNextTransaction(): void
  /** The next bytes to the server that match are held on the wire, with everything after them, until they are let through. */
  holdNext(asked: RegExp): Held
  /** They pass, and what the server answers is held; `held` once it has answered. */
  holdNextAnswer(asked: RegExp): Held
  /** Counts from now on how often bytes to the server match. */
  counting(asked: RegExp): { count: number }
  /** The connections of now carry nothing any more and stay open, as when the host stands still; new ones work. `letThrough`: it wakes. */
  freeze(): { letThrough(): void }
  /** Cuts every connection and accepts none until `open`. */
  close(): Promise<void>
  open(): Promise<void>
}

/** Bytes held on their way. */
type Held = { held(): boolean; letThrough(): void }

type Hold = { asked: RegExp; kept: { to: Socket; bytes: Buffer }[]; by: Socket | null }
type Cut = { asked: RegExp; answered: RegExp | null; passing: number }

const COMMIT = /commit\0/i
const COMMITTED = /COMMIT\0/
const BEGUN = /BEGIN\0/

/** A server behind the wire, and the TCP port at which the wire begins. */
export type WirePlace = { to: NetConnectOpts; port: number }

/**
 * Listens in front of a server, or of several, whose wires are cut together. Starts closed: call `open`. `mine`: the wires are those whose
 * first bytes match, and all others pass, whatever happens to the wires; then it listens until the process ends.
 */
export function cuttingProxy(places: WirePlace[], mine: RegExp | null = null): CuttingProxy {
  const wires = new Set<Socket>()
  let cut: Cut | null = null
  let hold: Hold | null = null
  let answerHold: Hold | null = null
  const counts: { asked: RegExp; count: number }[] = []
  let servers: Server[] = []
  let isOpen = false
  // What frozen connections have not carried.
  const frozen = new Map<Socket, Hold['kept']>()

  function serve(client: Socket, to: NetConnectOpts): void {
    const database = connect(to)
    let cutAtAnswer: RegExp | null = null
    const end = () => {
      client.destroy()
      database.destroy()
      wires.delete(client)
    }
    for (const side of [client, database]) side.on('error', end).on('close', end)
    const carry = (bytes: Buffer) => {
      if (frozen.has(client)) return void frozen.get(client)?.push({ to: database, bytes })
      if (cut?.asked.test(bytes.toString('latin1')) && cut.passing-- === 0) {
        cutAtAnswer = cut.answered
        cut = null
        if (cutAtAnswer === null) return end()
      }
      for (const one of counts) if (one.asked.test(bytes.toString('latin1'))) one.count += 1
      for (const one of [hold, answerHold])
        if (one?.by === null && one.asked.test(bytes.toString('latin1'))) one.by = client
      if (hold?.by === client) hold.kept.push({ to: database, bytes })
      else database.write(bytes)
    }
    if (mine === null) wires.add(client)
    client.once('data', (bytes) => {
      const passes = mine !== null && !mine.test(bytes.toString('latin1'))
      if (!passes && !isOpen) return end()
      if (!passes) wires.add(client)
      const take = passes ? (more: Buffer) => void database.write(more) : carry
      take(bytes)
      client.on('data', take)
    })
    database.on('data', (bytes) => {
      if (frozen.has(client)) return void frozen.get(client)?.push({ to: client, bytes })
      if (cutAtAnswer?.test(bytes.toString('latin1'))) return end()
      if (answerHold?.by === client) answerHold.kept.push({ to: client, bytes })
      else client.write(bytes)
    })
  }

  return {
    port: places[0]?.port ?? 0,
    cutNextCommit: (where, passing = 0) => {
      cut = { asked: COMMIT, answered: where === 'before its answer' ? COMMITTED : null, passing }
    },
    cutNextTransaction: () => {
      cut = { asked: /begin\0/i, answered: BEGUN, passing: 0 }
    },
    holdNext: (asked) => {
      const own: Hold = { asked, kept: [], by: null }
      hold = own
      return heldBy(own, () => {
        if (hold === own) hold = null
      })
    },
    holdNextAnswer: (asked) => {
      const own: Hold = { asked, kept: [], by: null }
      answerHold = own
      return heldBy(own, () => {
        if (answerHold === own) answerHold = null
      })
    },
    freeze: () => {
      for (const wire of wires) frozen.set(wire, [])
      return {
        letThrough: () => {
          const kept = [...frozen.values()].flat()
          frozen.clear()
          for (const { to, bytes } of kept) to.write(bytes)
        },
      }
    },
    counting: (asked) => {
      const counted = { asked, count: 0 }
      counts.push(counted)
      return counted
    },
    open: async () => {
      isOpen = true
      if (servers.length > 0) return
      servers = await Promise.all(places.map(({ to, port }) => listenOn(port, (client) => serve(client, to))))
      if (mine !== null) for (const server of servers) server.unref()
    },
    close: async () => {
      isOpen = false
      const ended = mine === null ? servers.splice(0) : []
      const closed = ended.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const wire of wires) wire.destroy()
      await Promise.all(closed)
    },
  }
}

async function listenOn(port: number, serve: (client: Socket) => void): Promise<Server> {
  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  return server
}

const heldBy = (hold: Hold, end: () => void): Held => ({
  held: () => hold.kept.length > 0,
  letThrough: () => {
    end()
    for (const { to, bytes } of hold.kept) to.write(bytes)
  },
})
