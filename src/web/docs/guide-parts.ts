import type { TSchema } from 'typebox'
import type { Endpoint } from '../../api/http/endpoint.ts'
import type { Retry } from '../../api/http/openapi/error-code.ts'
import { ERROR_CODES } from '../../api/http/openapi/error-codes.ts'
import { type JsonObject, newSchemaPrinter } from '../../api/http/openapi/openapi-schemas.ts'
import { DESCRIBED_EVENTS } from './events.ts'
import type { DescribedSchema } from './reference-fields.ts'
import { renderFields } from './reference-markdown.ts'
import { makeAnchor } from './search.ts'

/** Renders the page with every endpoint, for people without script and for programs that read Markdown. */
export function renderEndpointsPage(endpoints: readonly Endpoint<never>[]): string {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  const renderRows = (tag: string) =>
    endpoints
      .filter((endpoint) => endpoint.tag === tag)
      .map(({ method, path, summary }) => `| \`${method} ${path.replace(/:([a-z_]+)/g, '{$1}')}\` | ${summary} |`)
  const tables = tags.map((tag) =>
    [`## ${tag}`, '', '| Endpoint | What it does |', '|---|---|', ...renderRows(tag)].join('\n'),
  )
  return `# Endpoints\n\nFields and answers of each stand in the [reference](/docs/reference), and [as Markdown](/docs/reference.md).\n\n${tables.join('\n\n')}\n`
}

const RETRIES: Readonly<Record<Retry, string>> = {
  same_key: 'Yes: the same request with the same Idempotency-Key.',
  after_change: 'Not as it is. Changed, it may use the same Idempotency-Key: nothing is kept under it.',
  new_key: 'When the cause is gone, with a new Idempotency-Key: an endpoint that takes one keeps the refusal under it.',
  no: 'No.',
  see_remedy: 'As said under what to do.',
}
const ITEM_STATUS = '200 (item)'

/** Renders the codes from the table by which the service itself refuses: those of answers, or those of items of a bulk call. */
export function renderCodes(which: 'refusals' | 'items'): string {
  const codes = Object.entries(ERROR_CODES).filter(
    ([, { statuses }]) => (statuses === ITEM_STATUS) === (which === 'items'),
  )
  // Nobody scrolls through all of them to find one.
  const contents = codes.map(([code]) => `- [${code}](#${makeAnchor(code)})`).join('\n')
  const sections = codes.map(([code, { statuses, cause, remedy, retry }]) =>
    [
      `### ${code}`,
      '',
      `- **Status:** ${which === 'items' ? '200, in `items`' : statuses}`,
      `- **Why:** ${cause}`,
      `- **What to do:** ${remedy}`,
      `- **Send again?** ${which === 'items' ? ITEM_RETRY : RETRIES[retry]}`,
    ].join('\n'),
  )
  return [...(which === 'items' ? [] : [contents]), ...sections].join('\n\n')
}

const ITEM_RETRY =
  'In another call with a key of its own: the `reference` of an item protects it from being paid twice.'

export function renderEventTable(): string {
  const rows = DESCRIBED_EVENTS.map(({ event, summary }) => `| \`${event}\` | ${summary} |`)
  return ['| Event | What it says |', '|---|---|', ...rows].join('\n')
}

/** Renders the fields of the data of every event, from the schemas by which they are described; events with the same data stand together. */
export function renderEventFields(): string {
  const printer = newSchemaPrinter()
  const eventsByData = new Map<TSchema, string[]>()
  for (const { event, data } of DESCRIBED_EVENTS) eventsByData.set(data, [...(eventsByData.get(data) ?? []), event])
  return [...eventsByData]
    .map(([data, events]) => {
      const schema = openNamed(printer.renderAnswer(data), printer.named) as DescribedSchema
      return `### ${events.join(', ')}\n\n${renderFields(schema)}`
    })
    .join('\n\n')
}

/** Puts what a schema refers to by name in its place. */
function openNamed(node: unknown, named: JsonObject): unknown {
  if (Array.isArray(node)) return node.map((one) => openNamed(one, named))
  if (typeof node !== 'object' || node === null) return node
  const { $ref, ...own } = node as JsonObject
  const opened = Object.fromEntries(Object.entries(own).map(([name, one]) => [name, openNamed(one, named)]))
  if (typeof $ref !== 'string') return opened
  return { ...(openNamed(named[$ref.split('/').at(-1) ?? ''], named) as JsonObject), ...opened }
}
