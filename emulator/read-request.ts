import type { IncomingMessage } from 'node:http'
import type { Request } from './checks.ts'

/** A request, read to its end. */
export async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const { method = 'GET', url = '/', headers, socket } = incoming
  const [path = '/'] = url.split('?')
  return {
    method,
    path,
    headers: headers as Request['headers'],
    body: Buffer.concat(chunks),
    remote: socket.remoteAddress ?? '',
  }
}
