import type { ServerResponse } from 'node:http'
import type { Treatment, WireFault } from './rules.ts'

/** An answer of the operator. `wire`: how it goes wrong on its way. */
export type Answer = {
  status: number
  body?: object | string
  headers?: Record<string, string>
  wire?: WireFault
  bytesPerSecond?: number
}

export const refusal = (status: number, code: string, message = 'refused'): Answer => ({
  status,
  body: { code, message },
})
export const html = (status: number, text: string): Answer => ({
  status,
  body: `<html><body>${text}</body></html>`,
  headers: { 'content-type': 'text/html' },
})
export const NOT_FOUND = refusal(404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found.')

/** What a rule makes of an answer, or null where it leaves it as it is. */
export function badlyAnswered(treatment: Treatment | undefined): Answer | null {
  const { http, wire, bytesPerSecond = 1 } = treatment ?? {}
  if (http !== undefined) {
    const { status, code, body = '', headers = {} } = http
    return { status, headers, body: code === undefined ? body : { code, message: code } }
  }
  return wire === undefined ? null : { status: 0, wire, bytesPerSecond }
}

export const UNKNOWN_PATH: Answer = { status: 404, body: { statusCode: 404, message: 'Resource not found' } }

const HUGE = 'x'.repeat(10 * 1024 * 1024)

/** Puts an answer on the wire. Says how it ended, for the journal. */
export function put(response: ServerResponse, answer: Answer): number | string {
  const { wire } = answer
  if (wire !== undefined) return putBroken(response, wire, answer)
  const { text, type } = textOf(answer)
  response.writeHead(answer.status, {
    ...(text === '' ? {} : { 'content-type': type }),
    'content-length': Buffer.byteLength(text),
    ...answer.headers,
  })
  response.end(text)
  return answer.status
}

function textOf({ body, headers }: Answer): { text: string; type: string } {
  if (typeof body === 'string') return { text: body, type: headers?.['content-type'] ?? 'application/json' }
  return { text: body === undefined ? '' : JSON.stringify(body), type: 'application/json' }
}

function putBroken(response: ServerResponse, wire: WireFault, answer: Answer): string {
  const socket = response.socket
  switch (wire) {
    case 'dropBeforeRead':
    case 'dropAfterRead':
    case 'dropAfterAccept':
      socket?.end()
      socket?.destroy()
      break
    case 'resetAfterRead':
      socket?.resetAndDestroy()
      break
    case 'silence':
      break
    case 'garbage':
      socket?.end('HTTP/9.9 banana\r\n\r\nnot a protocol')
      break
    case 'htmlWith200':
      put(response, html(200, 'Request Rejected'))
      break
    case 'truncateHeaders':
      socket?.write('HTTP/1.1 202 Accepted\r\ncontent-le')
      socket?.destroySoon()
      break
    case 'truncateBody':
      socket?.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 400\r\n\r\n{"cut')
      socket?.destroySoon()
      break
    case 'hugeBody':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': HUGE.length })
      response.end(HUGE)
      break
    case 'hugeHeaders':
      socket?.end(`HTTP/1.1 202 Accepted\r\nx-huge: ${'h'.repeat(200_000)}\r\n\r\n`)
      break
    case 'redirect':
      response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' }).end()
      break
    case 'empty204':
      response.writeHead(204).end()
      break
    case 'teapot':
      put(response, { status: 418, body: { message: 'short and stout' } })
      break
    case 'slowBody':
      drip(response, answer)
      break
  }
  return wire
}

/** A body that takes for ever: a byte now and then. */
function drip(response: ServerResponse, { bytesPerSecond = 1 }: Answer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100_000 })
  response.flushHeaders()
  const timer = setInterval(() => response.write(' '), 1000 / bytesPerSecond)
  response.on('close', () => clearInterval(timer))
}
