import { once } from 'node:events'
import { createServer } from 'node:http'

/** A path that answers 204, so that the browser stays on its page. */
export const STAY = '/stay'

/** A site that is not ours: the merchant's shop, or an attacker's. */
export type OtherSite = {
  origin: string
  /** The addresses that were asked for, byte for byte. */
  asked: string[]
  /** Sets the HTML that every page of the site shows from now on. */
  shows(html: string): void
  close(): Promise<void>
}

/** `host`: a name of this machine. A browser treats a name other than that of our pages as another site. */
export async function startOtherSite(host: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<OtherSite> {
  const asked: string[] = []
  let html = '<p>The shop</p>'
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === STAY) return response.writeHead(204).end()
    // With an icon in the page the browser does not request one.
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
