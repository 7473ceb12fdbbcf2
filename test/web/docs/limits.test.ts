import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { openapiText } from '../../../src/web/docs/printed.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const document = JSON.parse(openapiText(ENDPOINTS))
const service = openedAndVerified(() => startService())
const shop = made(() => payer(service, 100_000))

/** The values just outside of what is described. */
function listOutside({ minimum, maximum, maxLength, pattern, maxItems }: any): unknown[] {
  return [
    ...(minimum === undefined ? [] : [minimum - 1]),
    // The next number that a program can tell from the largest.
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(pattern === undefined ? [] : ['!']),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => ({ phone: '0700000000' }))]),
  ]
}

for (const path of ['/v1/charges', '/v1/payouts', '/v1/payment-links', '/v1/scheduled-payouts', '/v1/subaccounts'])
  test(`what the description of POST ${path} refuses, the service refuses`, async () => {
    const { schema, examples } = document.paths[path].post.requestBody.content['application/json']
    const { properties } = document.components.schemas[schema.$ref.split('/').at(-1)]
    // The name of a subaccount is asked by a rule, not by its schema.
    const least = path === '/v1/subaccounts' ? { name: 'Farm B' } : examples.least.value
    const api = shop.api
    assert.equal((await api.post(path, least)).status, 201)
    let tried = 0
    for (const [name, field] of Object.entries<any>(properties))
      for (const outside of listOutside(field)) {
        const { status, text } = await api.post(path, { ...least, [name]: outside })
        assert.equal(status, 400, `${name}: ${String(outside).slice(0, 40)} ${text}`)
        tried += 1
      }
    assert.ok(tried > 1, path)
  })
