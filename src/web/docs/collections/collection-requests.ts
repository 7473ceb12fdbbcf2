/** One request of a collection, whatever program reads it. Texts may hold `{{variable}}`. */
export type CollectionRequest = {
  name: string
  method: string
  path: string
  query: { name: string; value: string; asked: boolean; says: string }[]
  headers: { name: string; value: string }[]
  /** JSON; null where it takes none. */
  body: string | null
  says: string
  /** The statuses of its good answers. */
  expects: number[]
  /** The variable into which its answer goes, and where in the answer that stands. */
  saves: { variable: string; at: readonly (string | number)[] } | null
}
type CollectionFolder = { name: string; says: string; requests: CollectionRequest[] }

/** A collection made from the description: folders by tag, and the variables with their first values. */
export type RequestCollection = {
  name: string
  says: string
  folders: CollectionFolder[]
  variables: Record<string, string>
}

type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
  schema?: { examples?: unknown[] }
}
type MediaType = { example?: unknown; examples?: Record<string, { value: unknown }> }
type Operation = {
  tags: [string]
  summary: string
  description?: string
  security?: unknown[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, MediaType> }
  responses: Record<string, { content?: Record<string, MediaType> }>
}
export type Description = {
  info: { title: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter> }
}

// What programs fill in for each request by themselves; all of them know these two names.
const MADE_HEADERS: Readonly<Record<string, string>> = {
  'X-Timestamp': '{{$timestamp}}',
  'Idempotency-Key': '{{$guid}}',
}

/** The variable of an id, by how ids of its kind begin. */
const VARIABLE_OF_PREFIX: Readonly<Record<string, string>> = {
  txn: 'chargeId',
  pout: 'payoutId',
  spo: 'scheduledPayoutId',
  sub: 'subaccountId',
  lnk: 'paymentLinkId',
  evt: 'eventId',
  wha: 'webhookAddressId',
  req: 'loggedRequestId',
  mer: 'testAccountId',
}
const ID = /^([a-z]{2,5})_[a-z0-9]{10,50}$/
const WHERE_IDS_STAND = [['id'], ['data', 0, 'id'], ['data', 0, 'envelope', 'id']] as const

/** Makes the collection of all requests with a key, and of those that need none and send nothing. */
export function buildCollection(description: Description): RequestCollection {
  const variables: Record<string, string> = { baseUrl: description.servers[0]?.url ?? '', apiKey: 'sk_test_...' }
  const requests = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { security }]) => security?.length !== 0 || method === 'get')
      .map(([method, operation]) => ({
        tag: operation.tags[0],
        request: buildRequest({ method, path, operation, description, variables }),
      })),
  )
  const folders = description.tags.map(({ name, description: says }) => ({
    ...{ name, says },
    requests: requests.filter(({ tag }) => tag === name).map(({ request }) => request),
  }))
  return { name: description.info.title, says: HOW_TO_BEGIN, folders, variables }
}

const HOW_TO_BEGIN = `Put a test key into the variable \`apiKey\`: the dashboard shows it under Developers, Keys. Each request makes its own X-Timestamp and
Idempotency-Key, and keeps the id of what it made, so that the requests after it are about that.`

type RequestParts = {
  method: string
  path: string
  operation: Operation
  description: Description
  variables: Record<string, string>
}

function buildRequest({ method, path, operation, description, variables }: RequestParts): CollectionRequest {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(parameter, description))
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const [tag] = operation.tags
  const body = exampleOf(operation.requestBody?.content['application/json'])
  return {
    name: operation.summary,
    method: method.toUpperCase(),
    path: of('path').reduce((text, { name, example }) => {
      const variable = variableOfId(String(example), tag) ?? name
      variables[variable] ??= String(example)
      return text.replace(`{${name}}`, `{{${variable}}}`)
    }, path),
    query: of('query').map((parameter) => ({
      name: parameter.name,
      value: formatExample(parameter.example),
      asked: parameter.required === true,
      says: parameter.description ?? '',
    })),
    headers: of('header')
      .filter(({ name }) => name in MADE_HEADERS)
      .map(({ name }) => ({ name, value: MADE_HEADERS[name] ?? '' })),
    body: body === undefined ? null : JSON.stringify(nameIds(body, { tag, variables }), null, 2),
    says: operation.description ?? '',
    expects: Object.keys(operation.responses)
      .filter((status) => status.startsWith('2'))
      .map(Number),
    saves: findSaved(operation),
  }
}

const resolve = (parameter: Parameter | { $ref: string }, { components }: Description): Parameter =>
  '$ref' in parameter ? (components.parameters[parameter.$ref.split('/').at(-1) ?? ''] as Parameter) : parameter

const exampleOf = (media: MediaType | undefined): unknown =>
  media?.example ?? Object.values(media?.examples ?? {})[0]?.value

const formatExample = (example: unknown): string =>
  Array.isArray(example) ? example.map(String).join(',') : String(example ?? '')

/**
 * The variable of an id in requests of this tag; undefined for what is no id. An order of a machine is a payment link that only its own requests
 * know, and a business that is made for tests is none of those whose key it is.
 */
function variableOfId(text: string, tag: string): string | undefined {
  const variable = VARIABLE_OF_PREFIX[ID.exec(text)?.[1] ?? '']
  if (variable === 'testAccountId' && tag !== 'Testing') return undefined
  return variable === 'paymentLinkId' && tag === 'Vending' ? 'orderId' : variable
}

/** Puts variables in place of the ids of an example. */
function nameIds(value: unknown, named: { tag: string; variables: Record<string, string> }): unknown {
  if (Array.isArray(value)) return value.map((one) => nameIds(one, named))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, nameIds(one, named)]))
  const variable = typeof value === 'string' ? variableOfId(value, named.tag) : undefined
  if (variable === undefined) return value
  named.variables[variable] ??= String(value)
  return `{{${variable}}}`
}

/** Finds the id in the example of the answer: of one object, or of the first row of a list. */
function findSaved({ responses, tags: [tag] }: Operation): CollectionRequest['saves'] {
  const [good] = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const answer = exampleOf(good?.[1].content?.['application/json'])
  for (const at of WHERE_IDS_STAND) {
    const found = at.reduce<unknown>((inside, step) => (inside as Record<string, unknown> | undefined)?.[step], answer)
    const variable = typeof found === 'string' ? variableOfId(found, tag) : undefined
    if (variable !== undefined) return { variable, at }
  }
  return null
}

/** Writes the place of a value in an answer for a script: `?.data?.[0]?.id`. */
export const writePlace = (at: readonly (string | number)[]): string =>
  at.map((step) => (typeof step === 'number' ? `?.[${step}]` : `?.${step}`)).join('')
