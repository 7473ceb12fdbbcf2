import assert from 'node:assert/strict'
import { test } from 'node:test'
import Schema from 'typebox/schema'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { openapiText } from '../../../src/web/docs/printed.ts'

const document = JSON.parse(openapiText(ENDPOINTS))

/** The schema with every reference replaced by what it names. */
function resolved(node: any): any {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map(resolved)
  if (typeof node.$ref === 'string')
    return resolved(
      node.$ref
        .slice(2)
        .split('/')
        .reduce((place: any, part: string) => place[part], document),
    )
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolved(value)]))
}

test('every answer in JSON has an example that fits its schema', () => {
  const wrong: string[] = []
  let seen = 0
  for (const [path, operations] of Object.entries<any>(document.paths)) {
    if (!path.startsWith('/v1/')) continue
    for (const [method, { responses }] of Object.entries<any>(operations))
      for (const [status, answer] of Object.entries<any>(responses)) {
        const json = resolved(answer).content?.['application/json']
        if (json === undefined || Number(status) >= 400) continue
        const place = `${method} ${path} ${status}`
        if (json.example === undefined) wrong.push(`${place}: none`)
        else if (!Schema.Compile(json.schema).Check(json.example))
          wrong.push(`${place}: ${JSON.stringify(json.example)}`)
        seen += 1
      }
  }
  assert.deepEqual(wrong, [])
  assert.ok(seen > 30)
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
