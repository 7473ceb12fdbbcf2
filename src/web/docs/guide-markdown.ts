import type { Endpoint } from '../../api/http/endpoint.ts'
import { ERROR_CODES } from '../../api/http/openapi/error-codes.ts'
import { renderGuide } from './guide.ts'
import { makeAnchor } from './search.ts'

const HEADING = /^## (.+)$/gm

/**
 * Renders the guide with its contents above it and every endpoint below it, for people without script and for programs that
 * read Markdown.
 */
export function renderGuideMarkdown(endpoints: readonly Endpoint<never>[], baseUrl: string): string {
  const text = `${renderGuide(baseUrl)}\n${renderEndpointsMarkdown(endpoints)}`
  const headings = [...text.matchAll(HEADING)].map(([, heading = '']) => heading)
  const contents = headings.map((heading) => `- [${heading}](#${makeAnchor(heading)})`).join('\n')
  return `# Guide\n\n${contents}\n\n${text}`
}

function renderEndpointsMarkdown(endpoints: readonly Endpoint<never>[]): string {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  const renderRows = (tag: string) =>
    endpoints
      .filter((endpoint) => endpoint.tag === tag)
      .map(({ method, path, summary }) => `| \`${method} ${path.replace(/:([a-z_]+)/g, '{$1}')}\` | ${summary} |`)
  const tables = tags.map((tag) =>
    [`### ${tag}`, '', '| Endpoint | What it does |', '|---|---|', ...renderRows(tag)].join('\n'),
  )
  return `## Endpoints\n\nFields and answers of each stand in the [reference](/docs/reference).\n\n${tables.join('\n\n')}\n`
}

/** Renders the page of all codes from the table by which the service itself refuses. */
export function renderErrorsMarkdown(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { statuses, cause, remedy }]) => `### ${code}\n\n${statuses}. ${cause} **What to do:** ${remedy}`,
  )
  return `# Errors

Every refusal has \`error\`, a sentence for people whose words may change, \`code\`, which never changes, and \`request_id\`. \`hint\` says what
to do where that is known, \`field\` which member of the request is at fault. A code that you do not know is one of a later day: treat it by
its status.

## Codes

${rows.join('\n\n')}
`
}
