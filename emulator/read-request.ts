import type { IncomingMessage } from 'node:http'
import type { Place } from './book.ts'
import type { Request } from './checks.ts'

/** A request, read to its end. */
export async function readRequest(incoming: IncomingMessage, place: Place): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const body = await readBody(incoming)
  return { method, path, headers: headers as Request['headers'], body, place }
}

const NOTHING = Buffer.alloc(0)

function readBody(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const [first = NOTHING] = chunks
      resolve(chunks.length < 2 ? first : Buffer.concat(chunks))
    })
    incoming.on('error', reject)
    incoming.on('close', () => reject(new Error('the caller has gone')))
  })
}
