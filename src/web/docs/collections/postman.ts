import { type CollectionRequest, type RequestCollection, writePlace } from './collection-requests.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** Writes a collection as Postman reads it, version 2.1. */
export function writePostman({ name, says, folders, variables }: RequestCollection): object {
  return {
    info: { name, description: says, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: folders.map((folder) => ({
      name: folder.name,
      description: folder.says,
      item: folder.requests.map(writeRequest),
    })),
  }
}

function writeRequest(request: CollectionRequest): object {
  const { name, method, says, headers, body } = request
  return {
    name,
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: writeTest(request) } }],
    request: {
      method,
      description: says,
      header: headers.map((header) => ({ key: header.name, value: header.value })),
      url: writeUrl(request),
      ...(body === null ? {} : { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
    },
    response: [],
  }
}

function writeUrl({ path, query }: CollectionRequest): object {
  const asked = query.filter((parameter) => parameter.asked)
  const text = asked.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('&')
  return {
    raw: `{{baseUrl}}${path}${text === '' ? '' : `?${text}`}`,
    host: ['{{baseUrl}}'],
    path: path.slice(1).split('/'),
    query: query.map((parameter) => ({
      key: parameter.name,
      value: parameter.value,
      description: parameter.says,
      ...(parameter.asked ? {} : { disabled: true }),
    })),
  }
}

/** Checks the status, and keeps the id. */
function writeTest({ expects, saves }: CollectionRequest): string[] {
  const check = [
    `pm.test('answers ${expects.join(' or ')}', () => pm.expect(pm.response.code).to.be.oneOf([${expects.join(', ')}]))`,
  ]
  if (saves === null) return check
  return [
    ...check,
    'if (pm.response.code < 300) {',
    `  const id = pm.response.json()${writePlace(saves.at)}`,
    `  if (id) pm.collectionVariables.set('${saves.variable}', id)`,
    '}',
  ]
}
