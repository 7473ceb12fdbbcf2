import { assert } from '../../platform/assert.ts'
import { type DescribedSchema, describeType, listFields } from './reference-fields.ts'

type Described = { description?: string }
type Content = Record<string, { schema?: DescribedSchema }>
type Parameter = Described & { name: string; in: string; required?: boolean; schema?: DescribedSchema }
type Reference = { $ref: string }
type DescribedAnswer = Described & { content?: Content; $ref?: string }
type Operation = Described & {
  summary?: string
  tags?: readonly string[]
  parameters?: readonly (Parameter | Reference)[]
  requestBody?: { required?: boolean; content?: Content }
  responses?: Record<string, DescribedAnswer>
}
type DescribedDocument = {
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, DescribedSchema>
    responses: Record<string, DescribedAnswer>
    parameters: Record<string, Parameter>
  }
}

/** Renders all of the OpenAPI document: operations by tag, events, and the objects that they name. */
export function renderReferenceMarkdown(openapi: object): string {
  const document = openapi as DescribedDocument
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const tags = document.tags.flatMap(({ name, description }) => [
    `## ${name}\n\n${description}`,
    ...operations
      .filter(({ operation }) => operation.tags?.includes(name))
      .map(({ path, method, operation }) => renderOperation(`\`${method} ${path}\``, operation, document)),
  ])
  const events = Object.entries(document.webhooks).map(([name, { post }]) =>
    renderOperation(`\`${name}\``, post, document),
  )
  const objects = Object.entries(document.components.schemas).map(([name, schema]) => renderObject(name, schema))
  return [
    `# Reference\n\nThe API answers at ${document.servers[0]?.url}. Made of [openapi.json](/openapi.json), which has the same for programs.`,
    ...tags,
    '## Events\n\nWhat is posted to your address, and read from `GET /v1/events`.',
    ...events,
    '## Objects',
    ...objects,
  ]
    .join('\n\n')
    .concat('\n')
}

function renderOperation(title: string, operation: Operation, document: DescribedDocument): string {
  const { summary, description, parameters = [], requestBody, responses = {} } = operation
  return [
    `### ${title}`,
    ...(summary === undefined ? [] : [`${summary}.`]),
    ...(description === undefined ? [] : [description]),
    ...renderParameters(parameters.map((one) => findParameter(one, document))),
    ...renderContent(requestBody?.required === false ? 'Body, which may be missing' : 'Body', requestBody?.content),
    renderAnswers(responses, document),
    ...Object.entries(responses).flatMap(([status, { content }]) => renderOwnFields(status, content)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Those that many operations take stand once, under the components. */
function findParameter(one: Parameter | Reference, { components }: DescribedDocument): Parameter {
  if (!('$ref' in one)) return one
  const found = components.parameters[nameIn(one.$ref)]
  assert(found !== undefined, `${one.$ref} is in the description`)
  return found
}

const nameIn = (ref: string) => ref.split('/').at(-1) ?? ''

function renderParameters(parameters: readonly Parameter[]): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map(
    ({ name, in: place, required, schema = {}, description = '' }) =>
      `| \`${name}\` | ${place}${required ? ', required' : ''} | ${describeType(schema)} | ${toCell(description)} |`,
  )
  return [['| Parameter | Where | Type | What it is |', '|---|---|---|---|', ...rows].join('\n')]
}

function renderContent(title: string, content: Content = {}): string[] {
  return Object.entries(content).flatMap(([type, { schema = {} }]) => {
    const fields = renderFields(schema)
    return [`${title} (\`${type}\`): ${describeType(schema)}`, ...(fields === '' ? [] : [fields])]
  })
}

function renderAnswers(responses: Record<string, DescribedAnswer>, { components }: DescribedDocument): string {
  return Object.entries(responses)
    .map(([status, answer]) => {
      const shared = components.responses[nameIn(answer.$ref ?? '')]
      const { description = '', content = {} } = shared ?? answer
      const types = Object.values(content).map(({ schema = {} }) => describeType(schema))
      return `- ${status}: ${toCell(description)}${types.length > 0 ? ` (${types.join(' or ')})` : ''}`
    })
    .join('\n')
}

/** The fields of an answer that has no object with a name. */
const renderOwnFields = (status: string, content: Content = {}) =>
  Object.values(content).flatMap(({ schema = {} }) => {
    const fields = renderFields(schema)
    return fields === '' ? [] : [`Answer ${status}:`, fields]
  })

function renderObject(name: string, schema: DescribedSchema): string {
  const fields = renderFields(schema)
  return [`### ${name}`, schema.description ?? '', fields === '' ? describeType(schema) : fields]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** A table of the fields of an object; empty where it has none. */
export function renderFields(schema: DescribedSchema): string {
  const rows = listFields(schema).map(
    ({ name, type, required, description }) =>
      `| \`${name}\` | ${type}${required ? '' : ', may be missing'} | ${toCell(description)} |`,
  )
  return rows.length === 0 ? '' : ['| Field | Type | What it is |', '|---|---|---|', ...rows].join('\n')
}

const toCell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()
