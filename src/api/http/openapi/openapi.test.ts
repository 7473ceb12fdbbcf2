import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { endpoint, jsonAnswer, rawEndpoint, tagEndpoints, type UntaggedEndpoint } from '../endpoint.ts'
import { describeApi } from './openapi.ts'

const shape = Type.Object({ amount: Type.Integer({ examples: [5] }) }, { $id: 'Thing' })
const declared = {
  method: 'POST' as const,
  path: '/v1/things',
  name: 'createThings',
  summary: 'Create things',
  action: 'read' as const,
  rate: 'things',
  rateKind: 'shared' as const,
  idempotency: 'required' as const,
  body: shape,
  answers: { 200: { description: 'done', schema: shape } },
  handle: async () => jsonAnswer(200, {}),
}
const FACTS = { baseUrl: 'https://x', version: '1', title: 't', description: 'd', tags: [], webhooks: [] }
const bodyOf = (untagged: UntaggedEndpoint<never>) => {
  const described = describeApi(tagEndpoints('Things', [untagged]), FACTS) as any
  return described.paths['/v1/things'].post.requestBody
}

test('a body that is only JSON is described as JSON', () => {
  deepEqual(Object.keys(bodyOf(endpoint<never, typeof shape>(declared)).content), ['application/json'])
})

test('a body that may be a CSV is described in its three forms', () => {
  const rawBody = { limit: 10, csvExample: 'amount\n5\n', read: () => [] }
  const { required, content } = bodyOf(rawEndpoint<never, string[]>({ ...declared, rawBody }))
  equal(required, true)
  deepEqual(Object.keys(content), ['application/json', 'text/csv', 'multipart/form-data'])
  deepEqual(content['application/json'].schema, { $ref: '#/components/schemas/Thing' })
  deepEqual(content['application/json'].examples.least.value, { amount: 5 })
  equal(content['text/csv'].example, 'amount\n5\n')
  deepEqual(content['multipart/form-data'].schema.required, ['file'])
})
