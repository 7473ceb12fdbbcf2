import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { sendStream } from '../../../api/http/bodies/stream-sender.ts'
import { encodeLocation } from '../../../api/http/location.ts'
import { secureHeaders } from '../../../api/http/secure-headers.ts'
import { flashCookie, noFlashCookie } from '../forms/flash.ts'
import { ReadAt } from '../parts.tsx'
import { pagePolicy } from './policy.ts'
import type { PageRequest } from './route.ts'
import type { PageReply, SurfaceReply } from './surface-reply.ts'

const PRIVATE_HEADERS = { 'Cache-Control': 'no-store', Vary: 'Cookie' }
// Pages are not compressed: they contain tokens beside text of other people, so the compressed length would leak the tokens.
const PAGE_HEADERS = {
  ...PRIVATE_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': pagePolicy(),
}
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

type SendOptions = {
  request: FastifyRequest
  reply: FastifyReply
  /** Null if the request could not be read at all. */
  pageRequest: PageRequest | null
  https: boolean
  frame(page: PageReply): VNode
  cut(error: unknown): void
}

/** Sends the reply of a handler. */
export async function sendSurfaceReply(surfaceReply: SurfaceReply, sending: SendOptions): Promise<FastifyReply> {
  const { reply, pageRequest, https, frame } = sending
  setCookies(reply, surfaceReply.cookies ?? [])
  switch (surfaceReply.kind) {
    case 'page': {
      if (pageRequest?.flash != null) setCookies(reply, [noFlashCookie(https)])
      if (surfaceReply.retryAfterSeconds !== undefined)
        reply.header('Retry-After', String(surfaceReply.retryAfterSeconds))
      return reply
        .code(surfaceReply.status ?? 200)
        .headers(PAGE_HEADERS)
        .send(`<!doctype html>${renderAt(pageRequest, frame(surfaceReply))}`)
    }
    case 'part':
      return sendPart(surfaceReply, sending)
    case 'redirect': {
      if (surfaceReply.flash) setCookies(reply, [flashCookie(surfaceReply.flash, https)])
      return reply
        .code(303)
        .headers({ ...PRIVATE_HEADERS, Location: encodeLocation(surfaceReply.to) })
        .send()
    }
    case 'json':
      return reply
        .headers({ ...PRIVATE_HEADERS, 'Content-Security-Policy': DATA_POLICY })
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(surfaceReply.value))
    case 'file':
      return reply
        .headers({
          ...PRIVATE_HEADERS,
          ...(surfaceReply.maxAgeSeconds === undefined
            ? {}
            : { 'Cache-Control': `private, max-age=${surfaceReply.maxAgeSeconds}` }),
          'Content-Security-Policy': FILE_POLICY,
          'Content-Disposition': contentDisposition(surfaceReply.name, surfaceReply.inline === true),
        })
        .type(surfaceReply.type)
        .send(surfaceReply.body)
    case 'stream': {
      const headers = {
        ...PRIVATE_HEADERS,
        'Content-Type': surfaceReply.type,
        'Content-Security-Policy': FILE_POLICY,
        'Content-Disposition': contentDisposition(surfaceReply.name, false),
        ...secureHeaders({ https }),
        'X-Request-ID': sending.request.id,
        // A stream bypasses the framework, so its cookies are added here.
        ...(reply.hasHeader('Set-Cookie') ? { 'Set-Cookie': [reply.getHeader('Set-Cookie')].flat().map(String) } : {}),
      }
      return sendStream(reply, { status: 200, headers, stream: { ...surfaceReply.stream, cut: sending.cut } })
    }
  }
}

/** Renders what is read now: its times say today and yesterday. */
const renderAt = (pageRequest: PageRequest | null, body: VNode): string =>
  renderToString(h(ReadAt.Provider, { value: pageRequest?.now ?? null }, body))

/** Sends a part of a page; 304 if it has not changed. */
function sendPart(
  { body, final }: Extract<SurfaceReply, { kind: 'part' }>,
  { request, reply, pageRequest }: SendOptions,
): FastifyReply {
  const text = renderAt(pageRequest, body)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  reply.headers({ ...PAGE_HEADERS, ETag: etag, 'X-Part': final ? 'final' : 'open' })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.send(text)
}

function setCookies(reply: FastifyReply, cookies: readonly string[]): void {
  if (cookies.length === 0) return
  const before = reply.getHeader('Set-Cookie')
  reply.header('Set-Cookie', [...(before === undefined ? [] : [before].flat().map(String)), ...cookies])
}

// Every other character of the name becomes a dash, so the name needs no quoting.
const contentDisposition = (name: string, inline: boolean) =>
  `${inline ? 'inline' : 'attachment'}; filename="${name.replace(/[^A-Za-z0-9._-]+/g, '-')}"`
