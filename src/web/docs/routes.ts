import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseQuery } from '../../api/http/guards.ts'
import { ROOT } from '../../platform/processes/root.ts'
import { renderFrontPage } from './front-page.tsx'
import { renderErrorsMarkdown } from './guide-markdown.ts'
import {
  DOCS_ASSETS_PATH,
  renderChangelogPage,
  renderErrorCodesPage,
  renderGuidePage,
  renderMachinesPage,
  renderReferencePage,
  renderSearchPage,
} from './pages.tsx'
import { parseQuestion, searchDocs, splitSections } from './search.ts'

type DocsOptions = {
  /** Where the API answers, without a slash at the end. */
  baseUrl: string
  /** The OpenAPI document. */
  openapi: object
  /** The Markdown of the guide (guide-markdown.ts). */
  guide: string
  /** The Markdown of CHANGELOG.md. */
  changelog: string
  /** The Markdown of docs/machine-makers.md. */
  machines: string
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
const DOCUMENT_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}
const MARKDOWN_HEADERS = { ...DOCUMENT_HEADERS, 'Content-Type': 'text/markdown; charset=utf-8' }
const ASSETS_MAX_AGE = '1h'

/**
 * Registers the public pages: /, /docs (as Markdown /docs.md), /docs/reference, /docs/errors, /docs/machines, /changelog,
 * /openapi.json and the files that they load. They are open to everybody and need no key.
 */
export function registerDocs(server: FastifyInstance, options: DocsOptions): void {
  const document = JSON.stringify(options.openapi)
  const pages = {
    '/': renderFrontPage(options.baseUrl),
    '/docs': renderGuidePage(options.guide),
    '/docs/reference': renderReferencePage(),
    '/docs/errors': renderErrorCodesPage(),
    '/docs/machines': renderMachinesPage(options.machines, options.baseUrl),
    '/changelog': renderChangelogPage(options.changelog),
  }
  const sections = [
    ...splitSections('Guide', '/docs', options.guide),
    ...splitSections('Errors', '/docs/errors', renderErrorsMarkdown()),
    ...splitSections('Machine makers', '/docs/machines', options.machines.replaceAll('{base_url}', options.baseUrl)),
  ]
  server.register(async (docs) => {
    docs.addHook('onRequest', async (request) => options.admit?.(request.raw))
    docs.get('/docs.md', (_request, reply) => reply.headers(MARKDOWN_HEADERS).send(options.guide))
    docs.get('/openapi.json', (_request, reply) => reply.headers(DOCUMENT_HEADERS).send(document))
    for (const [path, page] of Object.entries(pages))
      docs.get(path, (request, reply) => {
        const question = path === '/docs' ? parseQuestion(parseQuery(request.query).q) : ''
        reply
          .headers(DOCS_PAGE_HEADERS)
          .send(question === '' ? page : renderSearchPage(question, searchDocs(sections, question)))
      })
    // Each file has a route of its own, so no path of a client ever reaches the file system.
    for (const [name, root] of Object.entries(DOCS_ASSETS))
      docs.get(`${DOCS_ASSETS_PATH}${name}`, (request, reply) => sendAsset(request, reply, { name, root }))
  })
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
const SWAGGER_UI_FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Every file that the pages load, with its folder. No other file of these folders is ever served. */
const DOCS_ASSETS: Readonly<Record<string, string>> = {
  'docs.css': OWN_ASSETS_FOLDER,
  'icon.svg': OWN_ASSETS_FOLDER,
  'reference.css': OWN_ASSETS_FOLDER,
  'reference.js': OWN_ASSETS_FOLDER,
  'swagger-ui-bundle.js': SWAGGER_UI_FOLDER,
  'swagger-ui.css': SWAGGER_UI_FOLDER,
}
