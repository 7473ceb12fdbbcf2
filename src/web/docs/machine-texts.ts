import { strToU8, zipSync } from 'fflate'
import { stringify } from 'yaml'
import { writeBruno } from './collections/bruno.ts'
import { buildCollection, type Description } from './collections/collection-requests.ts'
import { writePostman } from './collections/postman.ts'
import type { PublicDocument } from './document-routes.ts'
import type { GuidePage } from './guide.ts'
import { renderReferenceMarkdown } from './reference-markdown.ts'
import type { DocsOptions } from './routes.ts'

const SHARED_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}
const typed = (type: string, make: () => string): PublicDocument => ({
  headers: { ...SHARED_HEADERS, 'Content-Type': `${type}; charset=utf-8` },
  make,
})

/** What programs read, by its path: the guide and the reference as Markdown, their lists, the description, the rules for robots. */
export function buildMachineTexts({ guide, openapi, baseUrl }: DocsOptions): Record<string, PublicDocument> {
  const markdown = (make: () => string) => typed('text/markdown', make)
  const wholeGuide = () => guide.map((page) => page.markdown).join('\n')
  const collection = () => buildCollection(openapi as Description)
  const reference = () => renderReferenceMarkdown(openapi)
  return {
    '/openapi.json': typed('application/json', () => JSON.stringify(openapi)),
    // Lines are not folded, and no value is written as a reference to another.
    '/openapi.yaml': typed('application/yaml', () =>
      stringify(openapi, { lineWidth: 0, aliasDuplicateObjects: false }),
    ),
    '/postman.json': typed('application/json', () => JSON.stringify(writePostman(collection()), null, 2)),
    '/bruno.zip': {
      headers: { ...SHARED_HEADERS, 'Content-Type': 'application/zip' },
      make: () => zipTexts(writeBruno(collection())),
    },
    '/docs.md': markdown(wholeGuide),
    '/docs/reference.md': markdown(reference),
    ...Object.fromEntries(guide.map((page) => [`/docs/${page.name}.md`, markdown(() => page.markdown)])),
    '/llms.txt': typed('text/plain', () => listPages(guide, baseUrl)),
    '/llms-full.txt': typed('text/plain', () => `${wholeGuide()}\n${reference()}`),
    '/robots.txt': typed('text/plain', () => ROBOTS),
  }
}

// Pages of people with a sign-in, and of customers with a link of their own, are nothing to look for.
const ROBOTS = `User-agent: *
Disallow: /dashboard
Disallow: /console
Disallow: /v1/
Disallow: /inbound/
`

/** The list of pages in the form of llmstxt.org. */
function listPages(guide: readonly GuidePage[], baseUrl: string): string {
  const rows = guide.map(({ name, title, summary }) => `- [${title}](${baseUrl}/docs/${name}.md): ${summary}`)
  return `# Gateway

> Collect money from mobile phones in Uganda and send money to them, over HTTP. Amounts are whole Ugandan shillings, times are UTC.

Every request carries a secret key. Every POST carries \`X-Timestamp\`, and each that moves money an \`Idempotency-Key\`. An answer to a charge or a
payout is never final: wait for its event, or read it until it has ended.

## Guide

${rows.join('\n')}

## Reference

- [Reference](${baseUrl}/docs/reference.md): every endpoint, event and object with every field.
- [OpenAPI 3.1 as JSON](${baseUrl}/openapi.json): for generators of clients.
- [OpenAPI 3.1 as YAML](${baseUrl}/openapi.yaml): the same.
- [Postman collection](${baseUrl}/postman.json): every request, with its headers and the ids of the requests before it.
- [Bruno collection](${baseUrl}/bruno.zip): the same.

## Optional

- [All of it in one file](${baseUrl}/llms-full.txt): the guide and the reference.
- [Changelog](${baseUrl}/changelog): what changed, newest first.
- [Status](${baseUrl}/status.json): how the service did in the last 90 days, from real traffic.
`
}

// The first moment that the format knows: the same files are the same bytes.
const ZIP_TIME = new Date(1980, 0, 1)

const zipTexts = (files: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])), {
      ...{ mtime: ZIP_TIME, level: 0 },
    }),
  )
