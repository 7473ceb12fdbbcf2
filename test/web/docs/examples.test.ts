import assert from 'node:assert/strict'
import { test } from 'node:test'
import Schema from 'typebox/schema'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { openapiText } from '../../../src/web/docs/printed.ts'
import { resolveIn } from './resolved-schemas.ts'

const document = JSON.parse(openapiText(ENDPOINTS))

const resolved = (node: unknown) => resolveIn(document, node)

test('every answer in JSON has an example that fits its schema', () => {
  const wrong: string[] = []
  let seen = 0
  for (const [path, operations] of Object.entries<any>(document.paths)) {
    for (const [method, { responses }] of Object.entries<any>(operations))
      for (const [status, answer] of Object.entries<any>(responses)) {
        const json = resolved(answer).content?.['application/json']
        if (json === undefined) continue
        const place = `${method} ${path} ${status}`
        if (json.example === undefined) wrong.push(`${place}: none`)
        else if (!Schema.Compile(json.schema).Check(json.example))
          wrong.push(`${place}: ${JSON.stringify(json.example)}`)
        seen += 1
      }
  }
  assert.deepEqual(wrong, [])
  assert.ok(seen > 300)
})

/** Says what is wrong with this example, if anything. */
function faultOf(place: string, { schema, example, examples }: any): string[] {
  const given = example === undefined ? Object.values<any>(examples ?? {}).map(({ value }) => value) : [example]
  if (given.length === 0) return [`${place}: none`]
  const compiled = Schema.Compile(schema)
  return given.filter((one) => !compiled.Check(one)).map((one) => `${place}: ${JSON.stringify(one)}`)
}

test('every parameter, header and body that is asked has an example that fits its schema', () => {
  const wrong: string[] = []
  let seen = 0
  const look = (place: string, asked: any): void => {
    wrong.push(...faultOf(place, resolved(asked)))
    seen += 1
  }
  for (const [path, operations] of Object.entries<any>(document.paths))
    for (const [method, operation] of Object.entries<any>(operations)) {
      for (const one of operation.parameters) look(`${method} ${path} ${resolved(one).name}`, resolved(one))
      for (const [type, body] of Object.entries<any>(operation.requestBody?.content ?? {}))
        look(`${method} ${path} ${type}`, body)
    }
  for (const [name, header] of Object.entries<any>(document.components.headers)) look(name, header)
  for (const [name, header] of Object.entries<any>(document.components.parameters)) look(name, header)
  assert.deepEqual(wrong, [])
  assert.ok(seen > 150)
})

test('a schema that is left is noticed, and an example that is not there', () => {
  const schema = { type: 'integer', minimum: 1 }
  assert.deepEqual(faultOf('x', { schema, example: 0 }), ['x: 0'])
  assert.deepEqual(faultOf('x', { schema }), ['x: none'])
  assert.deepEqual(faultOf('x', { schema, examples: { a: { value: 2 } } }), [])
})

test('every event has an example that fits its schema', () => {
  for (const [event, { post }] of Object.entries<any>(document.webhooks)) {
    const { schema, example } = post.requestBody.content['application/json']
    assert.equal(example.event, event)
    assert.ok(Schema.Compile(resolved(schema)).Check(example), `${event}: ${JSON.stringify(example)}`)
  }
})

test('an answer to a charge or a payout is an example of one that has not ended', () => {
  for (const path of ['/v1/charges', '/v1/payouts']) {
    const { example } = document.paths[path].post.responses['201'].content['application/json']
    assert.deepEqual([example.status, example.completed_at], ['authorized', null], path)
  }
})

test('pages of lists are components, each named after its rows; every tag is described', () => {
  for (const [path, { get }] of Object.entries<any>(document.paths)) {
    const schema = get?.responses['200']?.content['application/json']?.schema
    if (schema?.properties?.next_cursor) assert.fail(`${path} has a page without a name`)
  }
  assert.ok(document.components.schemas.ChargeList.properties.next_cursor)
  const described = document.tags.map(({ name }: { name: string }) => name)
  for (const operations of Object.values<any>(document.paths))
    for (const { tags, operationId } of Object.values<any>(operations))
      for (const tag of tags) assert.ok(described.includes(tag), `${operationId}: ${tag}`)
})
