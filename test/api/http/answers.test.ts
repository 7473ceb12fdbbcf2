import assert from 'node:assert/strict'
import test from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { makeEveryKind } from '../../helpers/web/every-kind.ts'
import { KEY_REUSED } from './known-refusals.ts'
import { assertRefused } from './refused.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => service.shop())

type Shape = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  format?: string
  additionalProperties?: boolean
}

/** The value is what the shape describes and holds nothing else. */
function fits(shape: Shape, value: unknown): boolean {
  if (shape.anyOf) return shape.anyOf.some((shape) => fits(shape, value))
  if ('const' in shape) return value === shape.const
  if (shape.enum) return shape.enum.includes(value)
  if (shape.type === 'null') return value === null
  if (shape.type === 'integer') return Number.isSafeInteger(value)
  if (shape.format === 'date-time') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+03:00)$/.test(String(value))
  if (shape.type === 'array') return Array.isArray(value) && value.every((one) => fits(shape.items as Shape, one))
  if (shape.type !== 'object') return typeof value === shape.type
  return typeof value === 'object' && value !== null && sameKeys(shape, value) && everyFits(shape, value as never)
}
/** Everything that is described as always there is there, and nothing is there that is not described. */
const sameKeys = ({ properties = {}, required = [], additionalProperties = false }: Shape, value: object) =>
  required.every((name) => name in value) &&
  (additionalProperties || Object.keys(value).every((name) => name in properties))
const everyFits = ({ properties = {} }: Shape, value: Record<string, unknown>) =>
  Object.entries(properties).every(([name, shape]) => !(name in value) || fits(shape, value[name]))

test('every good answer holds exactly what is described, of each kind of object', async () => {
  const made = await makeEveryKind(service, shop.test)
  let seen = 0
  for (const endpoint of ENDPOINTS)
    for (const path of made.pathsOf(endpoint)) {
      const reply =
        endpoint.method === 'GET' ? await shop.test.get(path) : await shop.test.post(path, made.bodyOf(endpoint))
      const described = endpoint.answers[reply.status]
      assert.ok(described, `${endpoint.method} ${path} answered ${reply.status}`)
      assert.ok(fits(described.schema as Shape, reply.body), `${endpoint.method} ${path}: ${reply.text}`)
      if (reply.body.object === 'list') assert.ok(reply.body.data.length > 0, path)
      seen += 1
    }
  assert.ok(seen > ENDPOINTS.length)
})

/** From now on the database itself refuses a charge with this reference: nobody has foreseen that. */
const refuseInDatabase = (reference: string) =>
  service.rows(
    `alter table charges add constraint secret_of_the_house check (reference is distinct from '${reference}')`,
  )

test('a fault of our own says nothing about itself, writes nothing and leaves the key free', async () => {
  await refuseInDatabase('break')
  const key = { 'idempotency-key': 'again' }
  const before = await service.digest()
  const reply = await shop.test.charge({ reference: 'break' }, key)
  await service.rows('alter table charges drop constraint secret_of_the_house')
  assertRefused(reply, {
    status: 500,
    code: 'internal_error',
    error: 'internal error - retry with the same Idempotency-Key',
  })
  assert.equal(await service.digest(), before, 'zero writes')
  const again = await shop.test.charge({ reference: 'break' }, key)
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null])
})

test('one broken charge of many at once does not break its neighbours', async () => {
  await refuseInDatabase('shatter')
  const sent = Array.from({ length: 30 }, (_, nth) =>
    shop.test.charge({ reference: nth === 17 ? 'shatter' : `${nth}` }),
  )
  const replies = await Promise.all(sent)
  await service.rows('alter table charges drop constraint secret_of_the_house')
  assert.deepEqual(
    replies.map(({ status }) => status),
    replies.map((_, nth) => (nth === 17 ? 500 : 201)),
  )
})

test('while a live charge is with its rail its key answers 409, here and in another process, then the replay', async () => {
  const other = await startLiveService({ database: service.database })
  const phone = newPayer()
  let answer = () => {}
  service.operator.onSubmit({ answer: 'accept', until: new Promise<void>((done) => (answer = done)) }, phone)
  try {
    const key = { 'idempotency-key': 'slow' }
    const body = { customer: { phone } }
    const first = shop.live.charge(body, key)
    while (service.operator.journal.every(({ endedMs }) => endedMs !== null)) await shop.live.get('/v1/me')
    const elsewhere = other.client(shop.merchant.keys.live)
    for (const api of [shop.live, elsewhere, service.client(shop.merchant.keys.live_collections)])
      assertRefused(await api.charge(body, key), {
        status: 409,
        code: 'conflict',
        error: 'a request with this Idempotency-Key is still in flight - retry shortly',
      })
    assertRefused(await elsewhere.charge({ ...body, amount: 6000 }, key), KEY_REUSED)
    assert.equal((await shop.live.get('/v1/charges')).body.data.length, 0, 'nobody has seen it yet')
    answer()
    const { status, text } = await first
    assert.equal(status, 201)
    const again = await elsewhere.charge(body, key)
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [text, 'true'])
    assert.equal(service.operator.submits() + other.operator.submits(), 1)
  } finally {
    answer()
    await other.close()
  }
})
