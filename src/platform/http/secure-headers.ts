import type { FastifyInstance } from 'fastify'

/** Headers of every JSON answer (reliability.md A63). */
export const API_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

const EVERYWHERE = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}
const ONE_YEAR_S = 31_536_000

/** Sets the headers that every answer carries, pages and errors included. */
export function secureHeaders(server: FastifyInstance, { https }: { https: boolean }): void {
  const headers = https ? { ...EVERYWHERE, 'Strict-Transport-Security': `max-age=${ONE_YEAR_S}` } : EVERYWHERE
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
