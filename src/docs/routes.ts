import type { IncomingMessage } from 'node:http'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ASSETS } from './assets.ts'
import { ASSETS_PATH, changelogPage, frontPage, machinesPage, referencePage } from './pages.tsx'

export type DocsOptions = {
  /** Where the API answers, without a slash at the end. */
  baseUrl: string
  /** The OpenAPI document. */
  openapi: object
  /** The Markdown of CHANGELOG.md. */
  changelog: string
  /** The Markdown of docs/machine-makers.md. */
  machines: string
  /** Throws 429 when this client has asked too often. */
  admit?: (request: IncomingMessage) => void
}

// Scripts and styles are files of this site, never inline; "try it" talks to this site alone.
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
}
const DOCUMENT_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}
const ASSETS_MAX_AGE = '1h'

/** The public pages: /, /docs, /docs/machines, /changelog, /openapi.json and the files they need. Open to everybody, no key. */
export function registerDocs(server: FastifyInstance, options: DocsOptions): void {
  const document = JSON.stringify(options.openapi)
  const pages = {
    '/': frontPage(options.baseUrl),
    '/docs': referencePage(),
    '/docs/machines': machinesPage(options.machines, options.baseUrl),
    '/changelog': changelogPage(options.changelog),
  }
  server.register(async (docs) => {
    docs.addHook('onRequest', async (request) => options.admit?.(request.raw))
    // Only lends sendFile: each file has a route of its own, so there is no path to play tricks with.
    await docs.register(fastifyStatic, { root: [...new Set(Object.values(ASSETS))], serve: false })
    docs.get('/openapi.json', (_request, reply) => reply.headers(DOCUMENT_HEADERS).send(document))
    for (const [path, page] of Object.entries(pages))
      docs.get(path, (_request, reply) => reply.headers(PAGE_HEADERS).send(page))
    for (const [name, folder] of Object.entries(ASSETS))
      docs.get(`${ASSETS_PATH}${name}`, (_request, reply) => sendAsset(reply, name, folder))
  })
}

const sendAsset = (reply: FastifyReply, name: string, folder: string) =>
  reply.sendFile(name, folder, { maxAge: ASSETS_MAX_AGE })
