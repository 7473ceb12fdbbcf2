import { connect, createServer, type Server, type Socket } from 'node:net'

/** A wire of a host: what goes over it reaches a port of this machine until it is cut. */
export type Link = {
  port: number
  /** Carries nothing any more, either way, as when the cable is out: what is open stays open, and nobody is told. */
  cut(): void
  /** Carries again; what was open is lost. */
  mend(): void
  close(): Promise<void>
}

type LinkOptions = {
  port: number
  to: number
  /** Whether bytes that are sent over this wire come from a host that is cut off. */
  isFromCut?: (bytes: Buffer) => boolean
}

/** Listens on `port` and forwards to `to`. */
export async function openLink({ port, to, isFromCut = () => false }: LinkOptions): Promise<Link> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server: Server = createServer((client) => {
    const target = connect(to, '127.0.0.1')
    const forward = (from: Socket, into: Socket, outwards: boolean) => {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (!isCut && !(outwards && isFromCut(bytes))) into.write(bytes)
      })
      // The end of one side is a message too, which a cut wire does not carry.
      from
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(from)
          if (!isCut) into.destroy()
        })
    }
    forward(client, target, true)
    forward(target, client, false)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve())
  })
  const dropAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    cut: () => {
      isCut = true
    },
    mend: () => {
      dropAll()
      isCut = false
    },
    close: async () => {
      isCut = false
      const closed = new Promise((resolve) => server.close(resolve))
      dropAll()
      await closed
    },
  }
}
