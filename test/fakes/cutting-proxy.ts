import { connect, createServer, type Server, type Socket } from 'node:net'

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

/** Listens on a TCP port in front of the server's unix socket. Starts closed: call `open`. */
export function cuttingProxy(socketPath: string, port: number): CuttingProxy {
  const wires = new Set<Socket>()
  let cut: Cut | null = null
  let hold: Hold | null = null
  let answerHold: Hold | null = null
  const counts: { asked: RegExp; count: number }[] = []
  let server: Server | null = null
  // What frozen connections have not carried.
  const frozen = new Map<Socket, Hold['kept']>()

  function serve(client: Socket): void {
    const database = connect(socketPath)
    let cutAtAnswer: RegExp | null = null
    const end = () => {
      client.destroy()
      database.destroy()
      wires.delete(client)
    }
    wires.add(client)
    for (const side of [client, database]) side.on('error', end).on('close', end)
    client.on('data', (bytes) => {
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
    })
    database.on('data', (bytes) => {
      if (frozen.has(client)) return void frozen.get(client)?.push({ to: client, bytes })
      if (cutAtAnswer?.test(bytes.toString('latin1'))) return end()
      if (answerHold?.by === client) answerHold.kept.push({ to: client, bytes })
      else client.write(bytes)
    })
  }

  return {
    port,
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
    open: () => {
      server = createServer(serve)
      return new Promise((resolve) => server?.listen(port, '127.0.0.1', () => resolve()))
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
      for (const wire of wires) wire.destroy()
      await closed
    },
  }
}

const heldBy = (hold: Hold, end: () => void): Held => ({
  held: () => hold.kept.length > 0,
  letThrough: () => {
    end()
    for (const { to, bytes } of hold.kept) to.write(bytes)
  },
})
