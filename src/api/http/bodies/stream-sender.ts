import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { unavailable } from '../../../platform/refusal.ts'
import { type DocumentReader, type DocumentStream, ReaderGone } from '../answer.ts'
import { openResponseBuffer, type ResponseBuffer } from './response-buffer.ts'

type StreamAnswer = { status: number; headers: Record<string, string | string[]>; stream: DocumentStream }
/**
 * How slowly a client may read: at any pace for `graceMs`, then `bytesASecond` on average, and never without progress for longer than
 * `stalledMs`.
 */
export type ReadingPace = { graceMs: number; bytesASecond: number; stalledMs: number }

const DEFAULT_PACE: ReadingPace = { graceMs: 30_000, bytesASecond: 16 * 1024, stalledMs: 30_000 }
// Writing a document runs many statements, each with a time limit of its own.
const MAX_WRITING_MS = 300_000

/**
 * Sends a streamed answer. It is written in full first, so that an error while writing is an ordinary refusal, and a slow client holds up
 * nothing but the finished document. Throws what `stream.write` threw.
 */
export async function sendStream(
  reply: FastifyReply,
  { status, headers, stream }: StreamAnswer,
  pace: ReadingPace = DEFAULT_PACE,
): Promise<FastifyReply> {
  const { raw } = reply
  const buffer = openResponseBuffer()
  try {
    await stream.write(newDocumentReader(raw, buffer))
    reply.hijack()
    const connection = raw.getHeader('connection')
    const closing = connection === undefined ? {} : { Connection: String(connection) }
    raw.writeHead(status, { ...headers, 'Content-Length': String(buffer.bytes), ...closing })
    await sendAll(raw, buffer, pace)
  } catch (error) {
    if (!raw.headersSent && !(error instanceof ReaderGone)) throw error
    if (!raw.headersSent) reply.hijack()
    if (!(error instanceof ReaderGone)) stream.cut(error)
    // Reset the connection instead of ending it, so that the client sees that the document is incomplete.
    raw.socket?.resetAndDestroy()
  } finally {
    await buffer.close()
    stream.done?.()
  }
  return reply
}

function newDocumentReader(raw: ServerResponse, buffer: ResponseBuffer): DocumentReader {
  const startedAt = performance.now()
  return {
    isGone: () => raw.destroyed,
    write: async (piece) => {
      if (raw.destroyed) throw new ReaderGone('the client hung up')
      if (performance.now() - startedAt > MAX_WRITING_MS) throw unavailable()
      await buffer.add(piece)
    },
  }
}

async function sendAll(raw: ServerResponse, buffer: ResponseBuffer, pace: ReadingPace): Promise<void> {
  const startedAt = performance.now()
  let sent = 0
  const patienceMs = () => {
    const allowedMs = pace.graceMs + (sent / pace.bytesASecond) * 1000
    return Math.min(pace.stalledMs, allowedMs - (performance.now() - startedAt))
  }
  for await (const piece of buffer.pieces()) {
    if (raw.destroyed) throw new ReaderGone('the client hung up')
    // The bytes of the piece stay in use until they have been sent.
    await sendWithin(raw, patienceMs(), (done) => raw.write(piece, done))
    sent += piece.length
  }
  await sendWithin(raw, patienceMs(), (done) => raw.end(done))
}

/** Sends, and resolves when the bytes have left within this time. Throws ReaderGone otherwise. */
function sendWithin(raw: ServerResponse, withinMs: number, send: (done: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: ReaderGone) => {
      clearTimeout(timer)
      raw.off('close', onClose)
      if (error) reject(error)
      else resolve()
    }
    const onClose = () => settle(new ReaderGone('the client hung up'))
    const timer = setTimeout(() => settle(new ReaderGone('the client reads too slowly')), withinMs)
    raw.on('close', onClose)
    if (raw.destroyed) onClose()
    // Node calls back for a broken connection too; then the bytes were not sent.
    else send(() => (raw.destroyed ? onClose() : settle()))
  })
}
