import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

/** A merchant's webhook receiver: real HTTP, with faults that the test chooses. */
export type Receiver = {
  /** host:port, for WEBHOOK_ALLOW_PRIVATE. */
  place: string
  url: string
  received: { body: string; headers: IncomingHttpHeaders; event: any }[]
  /** Sets how it treats the next requests; it answers 200 until then. */
  behave(how: (response: ServerResponse, nth: number) => void): void
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Receiver['received'] = []
  let how = (response: ServerResponse, _nth: number): void => void response.writeHead(200).end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      received.push({ body, headers: request.headers, event: JSON.parse(body) })
      how(response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    place: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    behave: (next) => {
      how = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
