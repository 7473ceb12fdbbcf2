import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { openapiText } from '../../../src/web/docs/printed.ts'

const document = JSON.parse(openapiText(ENDPOINTS))
const { schemas } = document.components

/** Every schema of the document with its place; not what examples contain. */
function listNodes(): [place: string, node: any][] {
  const found: [string, any][] = []
  const walk = (node: any, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    found.push([place, node])
    for (const [name, inner] of Object.entries<any>(node))
      if (name !== 'example' && name !== 'examples') walk(inner, `${place}/${name}`)
  }
  walk(document, '')
  return found
}

const isComponent = (place: string) => /^\/components\/schemas\/[A-Za-z]+$/.test(place)

test('every list of words and every object has a name, so that no generator makes one up', () => {
  // Generators make the parts of a form parameters of the call.
  const form = '/paths//v1/payouts/bulk/post/requestBody/content/multipart/form-data/schema'
  const nameless = listNodes().filter(
    ([place, { enum: closed, 'x-extensible-enum': open, properties = {} }]) =>
      ((closed ?? open) !== undefined || Object.keys(properties).length > 0) && !isComponent(place),
  )
  assert.deepEqual(
    nameless.map(([place]) => place),
    [form],
  )
})

test('a name is words alone, and none is one that programs have already', () => {
  for (const name of Object.keys(schemas)) {
    assert.match(name, /^([A-Z][a-z]+)+$/, name)
    assert.ok(!(name in globalThis), name)
  }
})

test('what may be sent is a closed list, named after the open one that is read', () => {
  const choices = Object.keys(schemas).filter((name) => name.endsWith('Choice'))
  assert.ok(choices.length >= 8)
  for (const name of choices) {
    const { enum: sent } = schemas[name]
    const { 'x-extensible-enum': read } = schemas[name.replace('Choice', '')]
    assert.deepEqual(
      sent.filter((word: string) => !read.includes(word)),
      [],
      name,
    )
  }
})

test('every event, page and refusal is a component', () => {
  for (const [event, { post }] of Object.entries<any>(document.webhooks)) {
    const { $ref } = post.requestBody.content['application/json'].schema
    const name = $ref.replace('#/components/schemas/', '')
    assert.equal(name.replace('Event', '').toLowerCase(), event.replace(/[._]/g, ''))
    assert.equal(schemas[name].properties.event.const, event)
  }
  for (const [place, { responses }] of listNodes())
    for (const [status, answer] of Object.entries<any>(responses ?? {})) {
      const { schema } = answer.content?.['application/json'] ?? {}
      if (place.startsWith('/paths') && schema) assert.ok(schema.$ref, `${place} ${status}`)
    }
  assert.deepEqual(
    Object.entries<any>(schemas).flatMap(([name, { properties }]) =>
      properties?.next_cursor && !/List$|^Timeline$/.test(name) ? [name] : [],
    ),
    [],
  )
  assert.equal(schemas.ApiError.properties.code.$ref, '#/components/schemas/ErrorCode')
})
