import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseQuery } from '../../api/http/guards.ts'
import type { ServiceStatus } from '../../operations/overview/service-status.ts'
import { ROOT } from '../../platform/processes/root.ts'
import { type PublicDocument, serveDocument } from './document-routes.ts'
import { renderFrontPage } from './front-page.tsx'
import type { GuidePage } from './guide.ts'
import { renderGuidePage } from './guide-page.tsx'
import { buildMachineTexts } from './machine-texts.ts'
import { DOCS_ASSETS_PATH, renderChangelogPage, renderReferencePage, renderSearchPage } from './pages.tsx'
import { parseQuestion, searchDocs, splitSections } from './search.ts'
import { buildSearchIndex } from './search-index.ts'
import { presentStatus, renderStatusPage } from './status-page.tsx'

export type DocsOptions = {
  /** Where the API answers, without a slash at the end. */
  baseUrl: string
  /** The OpenAPI document. */
  openapi: object
  /** The pages of the guide (guide.ts). */
  guide: readonly GuidePage[]
  /** The Markdown of CHANGELOG.md. */
  changelog: string
  /** How the service did on its last days. Throws 503 while nobody can say. */
  readStatus(): Promise<ServiceStatus>
  /** Throws 429 if this client has sent too many requests. */
  admit?: (request: IncomingMessage) => void
}

// Scripts and styles are files of this site and never inline. "Try it" sends requests to this site alone.
export const DOCS_PAGE_HEADERS = {
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
    "form-action 'self'",
  ].join('; '),
}
const ASSETS_MAX_AGE = '1h'
// The script of the guide loads it with the first look at its field.
const SEARCH_INDEX_PATH = '/docs/search.json'
const INDEX_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' }

/**
 * Registers the public pages: /, /docs with the pages of the guide, /docs/reference and /changelog; the same as Markdown and the descriptions
 * for programs (machine-texts.ts); and the files that the pages load. They are open to everybody and need no key.
 */
export function registerDocs(server: FastifyInstance, options: DocsOptions): void {
  server.register(async (docs) => {
    docs.addHook('onRequest', async (request) => options.admit?.(request.raw))
    for (const [path, document] of Object.entries({ ...buildPages(options), ...buildMachineTexts(options) }))
      serveDocument(docs, path, document)
    serveStatus(docs, options)
    docs.get('/docs/start', (_request, reply) => reply.redirect('/docs', 301))
    // Each file has a route of its own, so no path of a client ever reaches the file system.
    for (const [name, root] of Object.entries(DOCS_ASSETS))
      docs.get(`${DOCS_ASSETS_PATH}${name}`, (request, reply) => sendAsset(request, reply, { name, root }))
  })
}

const STATUS_CACHE = { 'Cache-Control': 'public, max-age=60' }

/** The figures are read at most once a minute (service-status.ts), so neither path loads the database. */
function serveStatus(server: FastifyInstance, { readStatus }: DocsOptions): void {
  const headers = { ...DOCS_PAGE_HEADERS, ...STATUS_CACHE }
  server.get('/status', async (_request, reply) => reply.headers(headers).send(renderStatusPage(await readStatus())))
  server.get('/status.json', async (_request, reply) =>
    reply.headers(STATUS_CACHE).send(presentStatus(await readStatus())),
  )
}

/** Pages by their path. */
function buildPages({ baseUrl, guide, changelog }: DocsOptions): Record<string, PublicDocument> {
  const page = (make: () => string): PublicDocument => ({ headers: DOCS_PAGE_HEADERS, make })
  const search = newSearch(guide)
  return {
    '/': page(() => renderFrontPage(baseUrl)),
    '/docs/reference': page(renderReferencePage),
    '/changelog': page(() => renderChangelogPage(changelog)),
    ...Object.fromEntries(guide.map(({ path }, nth) => [path, page(() => renderGuidePage(guide, nth))])),
    '/docs': { ...page(() => renderGuidePage(guide, 0)), answer: answerQuestion(search) },
    [SEARCH_INDEX_PATH]: { headers: INDEX_HEADERS, make: () => JSON.stringify(search().index) },
  }
}

/** The guide's sections with their index, made with the first question. */
function newSearch(guide: readonly GuidePage[]) {
  const make = () => {
    const sections = guide.flatMap(({ title, path, markdown }) => splitSections(title, path, markdown))
    return { sections, index: buildSearchIndex(sections) }
  }
  let made: ReturnType<typeof make> | undefined
  return () => {
    made ??= make()
    return made
  }
}
type DocsSearch = ReturnType<typeof newSearch>

/** Answers a question to the guide, without script, with a page of the places that have its words. */
const answerQuestion =
  (search: DocsSearch): NonNullable<PublicDocument['answer']> =>
  (request) => {
    const question = parseQuestion(parseQuery(request.query).q)
    if (question === '') return null
    const { sections, index } = search()
    return renderSearchPage(question, searchDocs(sections, index, question))
  }

async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, root }: { name: string; root: string },
): Promise<FastifyReply> {
  // Loaded with the first request for a file, to keep the start of the process fast.
  const { default: send } = await import('@fastify/send')
  const sent = await send(request.raw, name, { root, maxAge: ASSETS_MAX_AGE })
  if (sent.statusCode === 416) return reply.code(416).header('Content-Range', sent.headers['Content-Range']).send('')
  // An error below 500 is the client's, as an If-Match that does not hold. The file itself always exists.
  if (sent.type === 'error' && sent.statusCode < 500)
    return reply.code(sent.statusCode).headers(sent.headers).send(sent.stream)
  if (sent.type === 'error') throw sent.metadata.error
  return reply.code(sent.statusCode).headers(sent.headers).send(sent.stream)
}

// The assets are read from the sources, because the compiler copies no styles.
const OWN_ASSETS_FOLDER = join(ROOT, 'src', 'web', 'docs', 'assets')
const PARTS_FOLDER = join(ROOT, 'src', 'web', 'parts', 'assets')
const SWAGGER_UI_FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Every file that the pages load, with its folder. No other file of these folders is ever served. */
const DOCS_ASSETS: Readonly<Record<string, string>> = {
  'tokens.css': PARTS_FOLDER,
  'docs.css': OWN_ASSETS_FOLDER,
  'guide.css': OWN_ASSETS_FOLDER,
  'guide.js': OWN_ASSETS_FOLDER,
  'icon.svg': OWN_ASSETS_FOLDER,
  'reference.css': OWN_ASSETS_FOLDER,
  'reference.js': OWN_ASSETS_FOLDER,
  'status.css': OWN_ASSETS_FOLDER,
  'swagger-ui-bundle.js': SWAGGER_UI_FOLDER,
  'swagger-ui.css': SWAGGER_UI_FOLDER,
}
