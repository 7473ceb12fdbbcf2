import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { sized } from '../../../../test/helpers/service/parts.ts'
import { ReaderGone } from '../answer.ts'
import { type ReadingPace, sendStream } from './stream-sender.ts'

const MIB = 1024 * 1024
const FAST: ReadingPace = { graceMs: 200, bytesASecond: 10 * MIB, stalledMs: 60_000 }
const PATIENT: ReadingPace = { graceMs: 60_000, bytesASecond: 1, stalledMs: 60_000 }
const IMPATIENT: ReadingPace = { ...PATIENT, stalledMs: 200 }
// More than the buffers of both sockets hold.
const LONG = 64

let server: FastifyInstance
let url: string
let pace = PATIENT
const ends: string[] = []
before(async () => {
  server = Fastify()
  server.get('/:mebibytes', (request, reply) => {
    const pieces = Number((request.params as { mebibytes: string }).mebibytes)
    const stream = {
      headers: {},
      write: async (reader: { write(piece: Uint8Array): Promise<void> }) => {
        for (let piece = 0; piece < pieces; piece += 1) await reader.write(Buffer.alloc(MIB, 97 + (piece % 26)))
        if (pieces === 3) throw new Error('the third is broken')
      },
      cut: (error: unknown) => void ends.push(`cut ${error}`),
      done: () => void ends.push('done'),
    }
    return sendStream(reply, { status: 200, headers: {}, stream }, pace)
  })
  server.setErrorHandler((error, _request, reply) => {
    ok(!(error instanceof ReaderGone))
    return reply.code(500).send('refused')
  })
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(() => server.close())

/** The server reports that a document was sent or given up shortly after its last byte. */
async function ended(...expected: string[]): Promise<void> {
  while (ends.length < expected.length) await new Promise((resolve) => setTimeout(resolve, 20))
  deepEqual(ends.splice(0), expected)
}

async function begin(mebibytes: number): Promise<IncomingMessage> {
  const asked = get(`${url}/${mebibytes}`, { agent: false }).on('error', () => {})
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response.pause()
}

test('a document of any length arrives whole, with its length, and leaves no file', {
  timeout: 60_000,
}, async () => {
  for (const mebibytes of [0, 1, sized(8, LONG)]) {
    const response = await fetch(`${url}/${mebibytes}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    equal(response.headers.get('content-length'), String(mebibytes * MIB))
    equal(bytes.length, mebibytes * MIB)
    for (let piece = 0; piece < mebibytes; piece += 1) equal(bytes[(piece + 1) * MIB - 1], 97 + (piece % 26))
  }
  await ended('done', 'done', 'done')
  deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('gateway-report-')),
    [],
  )
})

test('a document that fails while it is made becomes a refusal, however much of it was made', {
  timeout: 60_000,
}, async () => {
  const response = await fetch(`${url}/3`)
  deepEqual([response.status, await response.text()], [500, 'refused'])
  await ended('done')
})

for (const [how, rule] of [
  ['nothing for a while', IMPATIENT],
  ['less than the least', FAST],
] as const)
  test(`D3: a client that reads ${how} is cut off`, { timeout: 60_000 }, async () => {
    pace = rule
    const response = await begin(LONG)
    await ended('done')
    response.resume()
    const [error] = await once(response, 'error')
    equal(error.code, 'ECONNRESET')
    pace = PATIENT
  })

test('D3: a client that pauses and then reads on gets all of it', { timeout: 60_000 }, async () => {
  const response = await begin(LONG)
  await new Promise((resolve) => setTimeout(resolve, 50))
  let read = 0
  response.on('data', (piece) => {
    read += piece.length
  })
  response.resume()
  await once(response, 'end')
  equal(read, LONG * MIB)
  await ended('done')
})
