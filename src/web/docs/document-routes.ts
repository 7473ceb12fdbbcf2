import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A public text that is the same for everybody. `make` runs once, with the first request, to keep the start of the process fast. */
export type PublicDocument = {
  headers: Readonly<Record<string, string>>
  make(): string | Buffer
  /** The text that answers this request in its place; null: none does. */
  answer?(request: FastifyRequest): string | null
}

/** Serves it with an ETag of its bytes: a reader who has them is answered 304. */
export function serveDocument(server: FastifyInstance, path: string, document: PublicDocument): void {
  const { headers } = document
  let made: { body: string | Buffer; etag: string } | undefined
  server.get(path, (request, reply) => {
    const answer = document.answer?.(request) ?? null
    if (answer !== null) return reply.headers(headers).send(answer)
    made ??= withTag(document.make())
    reply.headers({ ...headers, ETag: made.etag })
    return isKnown(request.headers['if-none-match'], made.etag) ? reply.code(304).send() : reply.send(made.body)
  })
}

function withTag(body: string | Buffer) {
  return { body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"` }
}

/** A proxy that compresses makes a weak tag of ours. */
const isKnown = (condition: string | undefined, etag: string): boolean =>
  (condition ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
