import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FakeAnswer } from './sdk-cases.ts'

export type Asked = { method: string; path: string; headers: IncomingMessage['headers']; body: string }

/** A server that gives these answers, one after the other, and the last one again and again. */
export async function openFakeService(answers: readonly FakeAnswer[]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? {}
    asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
    send(response, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, body, cut, clock_ahead_seconds: ahead }: FakeAnswer,
) {
  const { socket } = response
  if (ahead !== undefined) return sendClock(response, ahead)
  if (cut === 'silence') return
  if (cut === 'before_answer') return socket?.destroy()
  if (cut === 'in_answer_head') return socket?.end('HTTP/1.1 201 Crea')
  if (cut === 'in_answer_body') return socket?.end('HTTP/1.1 201 Created\r\ncontent-length: 90\r\n\r\n{"id":"txn_')
  response.writeHead(status, headers)
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function sendClock(response: ServerResponse, ahead: number) {
  const date = new Date(Date.now() + ahead * 1000).toUTCString()
  response.writeHead(400, { date })
  response.end(
    JSON.stringify({
      error: 'request timestamp is 4000s old - max allowed skew is 300s',
      code: 'bad_request',
      request_id: 'r',
    }),
  )
}
