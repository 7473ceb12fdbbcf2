import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Reader, ReaderGone, type Stream } from './caller.ts'

type Sending = { status: number; headers: Record<string, string>; stream: Stream }

// A document up to this size is complete before its first byte goes out: what fails on the way is an ordinary refusal, and
// a client that reads slowly holds nothing of ours but these bytes.
const HELD_BYTES = 1024 * 1024
// A client that takes nothing for this long has gone; nor may it keep a snapshot of the database open beyond five minutes by
// taking a little at a time.
const STALLED_MS = 30_000
const LONGEST_MS = 300_000

/** Sends a streamed answer at the pace of its reader. Throws what the writer threw while nothing has been sent. */
export async function sendStream(
  reply: FastifyReply,
  { status, headers, stream }: Sending,
): Promise<FastifyReply> {
  const { raw } = reply
  const startedAt = performance.now()
  let held: Buffer[] | null = []
  let heldBytes = 0
  const begin = (more: Record<string, string> = {}) => {
    reply.hijack()
    const connection = raw.getHeader('connection')
    const closing = connection === undefined ? {} : { Connection: String(connection) }
    raw.writeHead(status, { ...headers, ...more, ...closing })
    for (const piece of held ?? []) raw.write(piece)
    held = null
  }
  const reader: Reader = {
    write: async (piece) => {
      if (raw.destroyed) throw new ReaderGone('the client hung up')
      if (performance.now() - startedAt > LONGEST_MS) throw new ReaderGone('the client reads too slowly')
      if (held === null) raw.write(piece)
      else heldBytes += held[held.push(Buffer.from(piece as string)) - 1]?.length ?? 0
      if (held !== null && heldBytes > HELD_BYTES) begin()
      if (raw.writableNeedDrain) await drained(raw)
    },
  }
  try {
    await stream.write(reader)
    if (held !== null) begin({ 'Content-Length': String(heldBytes) })
    raw.end()
  } catch (error) {
    if (held !== null && !(error instanceof ReaderGone)) throw error
    if (held !== null) reply.hijack()
    if (!(error instanceof ReaderGone)) stream.cut(error)
    // A reset, not an end: even where the length is not told, what came is no whole document.
    raw.socket?.resetAndDestroy()
  }
  return reply
}

function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: ReaderGone) => {
      clearTimeout(timer)
      raw.off('drain', onDrain).off('close', onClose)
      if (error) reject(error)
      else resolve()
    }
    const onDrain = () => settle()
    const onClose = () => settle(new ReaderGone('the client hung up'))
    const timer = setTimeout(() => settle(new ReaderGone('the client stopped reading')), STALLED_MS)
    raw.on('drain', onDrain).on('close', onClose)
    if (raw.destroyed) onClose()
  })
}
