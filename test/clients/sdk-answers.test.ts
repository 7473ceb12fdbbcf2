import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { describe, mock } from 'node:test'
import { adviceFor, type KnownErrorCode } from '../../clients/typescript/src/error-codes.ts'
import {
  ConnectionError,
  type Fetch,
  Gateway,
  SignatureError,
  TimeoutError,
  VERSION,
  verifyWebhook,
} from '../../clients/typescript/src/gateway-client.ts'
import { ERROR_CODES } from '../../src/api/http/openapi/error-codes.ts'
import { CHARGE } from '../helpers/service/test-service.ts'
import { type AnswersCase, assertPart, CASES, call, matchError, ROOT } from './sdk-cases.ts'
import { type Asked, openFakeService } from './sdk-fake-service.ts'

const ID = 'txn_k3v9q0123456789abcdef'
const PACKAGE = join(ROOT, 'clients', 'typescript')
// Long enough for a slow machine, short enough that silence is heard.
const TIMEOUT_MS = 1500

const DESCRIPTION = JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8'))
const operations = (): any[] => Object.values(DESCRIPTION.paths).flatMap((path: any) => Object.values(path))

/** Makes one call at a server with these answers. */
async function asking<Answer>(
  answers: AnswersCase['answers'],
  work: (gateway: Gateway) => Promise<Answer>,
): Promise<{ asked: Asked[]; outcome: PromiseSettledResult<Answer> }> {
  const service = await openFakeService(answers)
  try {
    const silent = answers.some(({ cut }) => cut === 'silence')
    const gateway = new Gateway({
      apiKey: 'sk_test_x',
      baseUrl: service.url,
      ...(silent ? { timeoutMs: TIMEOUT_MS } : {}),
    })
    const [outcome] = await Promise.allSettled([work(gateway)])
    return { asked: service.asked, outcome: outcome as PromiseSettledResult<Answer> }
  } finally {
    await service.close()
  }
}

async function tryAnswers({ call: name, options, answers, expect }: AnswersCase): Promise<void> {
  const given = name === 'charges.create' ? { body: CHARGE } : { id: ID }
  const { asked, outcome } = await asking(answers, (gateway) =>
    call(gateway, name, { ...given, ...(options ? { options } : {}) }),
  )
  assert.equal(asked.length, expect.requests, `${asked.length} requests`)
  const keys = asked.map(({ headers }) => headers['idempotency-key'])
  if (expect.same_key) assert.match(keys[0] as string, /^[0-9a-f-]{36}$/)
  if (expect.same_key) assert.equal(new Set(keys).size, 1)
  if (expect.key !== undefined) assert.deepEqual(new Set(keys), new Set([expect.key ?? undefined]))
  if (name === 'charges.create') assert.equal(new Set(asked.map(({ body }) => body)).size, 1, 'the same bytes')
  const ahead = expect.timestamp_ahead_seconds
  const now = Date.now() / 1000
  const last = Number(asked.at(-1)?.headers['x-timestamp'])
  if (expect.fresh_timestamp || ahead !== undefined)
    assert.ok(Math.abs(last - now - (ahead ?? 0)) < 30, `${last - now}`)
  if (expect.error !== undefined) {
    assert.ok(outcome.status === 'rejected')
    matchError(outcome.reason, expect.error)
  } else {
    assert.ok(outcome.status === 'fulfilled', `${'reason' in outcome && outcome.reason}`)
    assertPart(outcome.value, expect.answer as object)
  }
}

describe('answers', { concurrency: true }, () => {
  for (const one of CASES.answers) test(one.name, () => tryAnswers(one))

  test('an answer that never comes is a time-out, and says that it may have been done and with which key', async () => {
    const silent = [{ cut: 'silence' as const }]
    const { outcome } = await asking(silent, (gateway) =>
      gateway.charges.create(CHARGE as never, { maxRetries: 0, timeoutMs: 50 }),
    )
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof TimeoutError)
    assert.match(outcome.reason.message, /it may have been done/)
    assert.match(outcome.reason.idempotencyKey ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(outcome.reason.mayBeDone, true)
  })

  test('a signal ends a call while it waits, with its own reason', async () => {
    const ending = new AbortController()
    let asked = 0
    const text = async () => {
      asked += 1
      setImmediate(() => ending.abort(new Error('the customer left')))
      return '{"error":"busy","code":"unavailable"}'
    }
    const headers = new Headers({ 'retry-after': '20' })
    const fetch: Fetch = async () => ({ status: 503, headers, text, arrayBuffer: () => assert.fail('no document') })
    const gateway = new Gateway({ apiKey: 'sk_test_x', fetch })
    await assert.rejects(gateway.charges.create(CHARGE as never, { signal: ending.signal }), /the customer left/)
    assert.equal(asked, 1)
  })

  test('an address at which nobody listens is a connection error', async () => {
    const gateway = new Gateway({ apiKey: 'sk_test_x', baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
    await assert.rejects(async () => await gateway.balance.retrieve(), ConnectionError)
  })

  test('a stream outlives an outage, and begins where it was', async () => {
    const row = (sequence: number) => ({ object: 'event', sequence, envelope: { event: 'test.ping', data: {} } })
    const page = (...rows: number[]) => ({
      body: { object: 'list', data: rows.map(row), has_more: false, next_cursor: String(rows.at(-1)) },
    })
    const away = { status: 503, headers: { 'retry-after': '0' }, body: { error: 'busy', code: 'unavailable' } }
    const { asked, outcome } = await asking([page(1, 2), away, away, away, away, page(3)], async (gateway) => {
      const stream = gateway.webhooks.events(null)
      for await (const { sequence } of stream) if (sequence === 3) break
      return stream.cursor
    })
    assert.equal(outcome.status === 'fulfilled' && outcome.value, '3')
    assert.equal(asked.at(-1)?.path, '/v1/events?limit=100&wait=25&starting_after=2')
  })

  test('pages that lead nowhere end the walk, and empty ones with more do not', async () => {
    const page = (cursor: string, ...ids: string[]) => ({
      body: { object: 'list', data: ids.map((id) => ({ id })), has_more: cursor !== 'end', next_cursor: cursor },
    })
    const walk = (gateway: Gateway) => gateway.charges.list().toArray({ limit: 9 })
    const { outcome } = await asking([page('a', '1'), page('b'), page('end', '2')], walk)
    assert.deepEqual(outcome.status === 'fulfilled' && outcome.value, [{ id: '1' }, { id: '2' }])
    const { outcome: endless } = await asking([page('a', '1')], walk)
    assert.match(String(endless.status === 'rejected' && endless.reason), /does not go on behind a/)
  })
})

test('what cannot be sent is refused before it is sent', async () => {
  assert.throws(() => new Gateway({ apiKey: '' }), /apiKey must be your secret key/)
  assert.throws(() => new Gateway({ apiKey: 'sk_test_x', baseUrl: 'gateway.example' }), /baseUrl must be/)
  assert.throws(() => new Gateway({ apiKey: 'sk_test_x', timeoutMs: 0 }), /timeoutMs must be/)
  const gateway = new Gateway({ apiKey: 'sk_test_x', fetch: () => assert.fail('sent') })
  await assert.rejects(async () => await gateway.charges.retrieve(''), /id must be a text/)
  await assert.rejects(gateway.charges.create(CHARGE as never, { idempotencyKey: '' }), /idempotencyKey must be/)
})

test('a stream from the latest event on asks for its number first, so that a question that is asked again misses nothing', async () => {
  const page = (next_cursor: string, data: unknown[] = []) => ({ object: 'list', data, has_more: false, next_cursor })
  const envelope = { id: 'evt_1', timestamp: 1, event: 'test.ping', data: {} }
  const row = { object: 'event', sequence: 42, envelope }
  const { asked, outcome } = await asking(
    [{ body: page('41') }, { cut: 'before_answer' }, { body: page('42', [row]) }],
    async (gateway) => {
      for await (const item of gateway.webhooks.events('latest')) return item
      return null
    },
  )
  assertPart(outcome, { status: 'fulfilled', value: { sequence: 42, cursor: '42' } })
  const query = (after: string, wait: string) => `/v1/events?limit=100&wait=${wait}&starting_after=${after}`
  assert.deepEqual(
    asked.map(({ path }) => path),
    [query('latest', '0'), query('41', '25'), query('41', '25')],
  )
})

test('signatures are judged as the cases say, from plain headers and from Headers, as text and as bytes', async (context) => {
  for (const { name, secret, headers, body, now, toleranceSeconds, expect } of CASES.signatures)
    await context.test(name, async () => {
      mock.timers.enable({ apis: ['Date'], now: now * 1000 })
      try {
        const options = { secret, ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }) }
        const judge = (raw: string | Uint8Array, given: Record<string, string> | Headers) =>
          verifyWebhook(raw, given, options).then(
            () => 'ok',
            (error: unknown) => (error instanceof SignatureError ? error.reason : assert.fail(`${error}`)),
          )
        assert.equal(await judge(body, headers), expect)
        assert.equal(await judge(Buffer.from(body), new Headers(headers)), expect)
      } finally {
        mock.timers.reset()
      }
    })
})

test('the client advises for each code what the service does', () => {
  for (const [code, { retry, statuses }] of Object.entries(ERROR_CODES)) {
    const [status] = statuses.match(/\d+/) ?? []
    const told = adviceFor(Number(status), code as KnownErrorCode, 'refused').retry
    if (retry !== 'see_remedy') assert.equal(told, retry, code)
  }
  const table = readFileSync(join(PACKAGE, 'src', 'error-codes.ts'), 'utf8')
  const known = [...table.matchAll(/^ {2}(\w+): \['/gm)].map(([, code]) => code)
  assert.deepEqual(known.toSorted(), Object.keys(ERROR_CODES).toSorted())
})

const inPackage = (...path: string[]) => readFileSync(join(PACKAGE, 'src', ...path), 'utf8')
const OLD = 'is not in clients/typescript/src/generated: `npm run client-tools` once, then `npm run docs`'

test('the generated part has every call, object and field of the description', () => {
  const calls = inPackage('generated', 'sdk.gen.ts')
  const types = inPackage('generated', 'types.gen.ts')
  const missing = operations()
    .map(({ operationId }) => operationId)
    .filter((name) => !calls.includes(`export const ${name} = `))
  const schemas: [string, { properties?: object }][] = Object.entries(DESCRIPTION.components.schemas)
  for (const [name, { properties = {} }] of schemas) {
    const [declared] = new RegExp(`^export type ${name} = [^]*?^(?=export )`, 'm').exec(types) ?? []
    const fields = Object.keys(properties).filter(
      (field) => !new RegExp(`^ +'?${field}'?\\??:`, 'm').test(declared ?? ''),
    )
    missing.push(...(declared === undefined ? [name] : fields.map((field) => `${name}.${field}`)))
  }
  assert.ok(schemas.length > 100)
  assert.deepEqual(missing, [], OLD)
})

test('every call of the description has its method, and every list in a query is written with commas', () => {
  const used = readdirSync(join(PACKAGE, 'src', 'resources')).map((file) => inPackage('resources', file))
  const names: string[] = operations().map(({ operationId }) => operationId)
  const without = names.filter((name) => !new RegExp(`\\b${name}\\(\\{`).test(used.join('\n')))
  // A supplier reports there, without a key.
  assert.deepEqual(without, ['receiveDispenseResult'])
  const lists = operations()
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ schema }: any) => schema?.type === 'array')
  assert.ok(lists.length > 3)
  assert.deepEqual(
    lists.filter(({ explode }: any) => explode !== false),
    [],
  )
})

test('the version of the client is that of its package', () => {
  assert.equal(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')).version, VERSION)
})
