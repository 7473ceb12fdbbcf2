import { once } from 'node:events'
import { createServer } from 'node:http'

/** Where a browser that is sent there stays where it was. */
export const STAY = '/stay'

/** A site that is not ours: the merchant's shop, or somebody who means no good. */
export type OtherSite = {
  origin: string
  /** The addresses that were asked for, byte for byte. */
  asked: string[]
  /** What it shows from now on. */
  shows(html: string): void
  close(): Promise<void>
}

/** `host`: a name for this machine; another one than that of our pages is another site for a browser. */
export async function startOtherSite(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<OtherSite> {
  const asked: string[] = []
  let html = '<p>The shop</p>'
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === STAY) return response.writeHead(204).end()
    // The icon is given, for a browser asks for one that is not.
    const head = '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Elsewhere</title>'
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`${head}${html}`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  return {
    origin: `http://${host}:${port}`,
    asked,
    shows: (next) => {
      html = next
    },
    close: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
