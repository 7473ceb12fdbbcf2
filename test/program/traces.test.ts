import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startReceiver } from '../fakes/receiver.ts'
import { type ReceivedSpan, startTraceReceiver } from '../fakes/trace-receiver.ts'
import { freePort } from '../helpers/service/free-port.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { CHARGE, startService } from '../helpers/service/test-service.ts'

// The receiver hears of everything at once.
process.env.OTEL_BSP_SCHEDULE_DELAY = '50'
const receiver = opened(startTraceReceiver)
const shopHook = opened(startReceiver)
const service = opened(() =>
  startOp1Service({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      WEBHOOK_ALLOW_PRIVATE: shopHook.place,
      METRICS_TOKEN: 'look',
    },
  }),
)

const ROOT = join(import.meta.dirname, '..', '..', '..')
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const named = (name: string) => receiver.spans.filter((span) => span.name === name)
const below = ({ spanId }: ReceivedSpan) => receiver.spans.filter(({ parentSpanId }) => parentSpanId === spanId)
const inTrace = (traceId: string, name: string) =>
  receiver.spans.find((span) => span.traceId === traceId && span.name === name)
async function arrived(what: string, find: () => ReceivedSpan | undefined): Promise<ReceivedSpan> {
  await eventually(what, () => find() !== undefined)
  return find() as ReceivedSpan
}
const lost = async (reason: string) => {
  const scraped = await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer look' } })
  const line = (await scraped.text())
    .split('\n')
    .find((one) => one.startsWith(`trace_spans_dropped_total{reason="${reason}"}`))
  return Number(line?.split(' ')[1] ?? 0)
}

test('a request, the commit that carried it and its statements are one trace, and others in the commit are linked', async () => {
  const { keys } = await service.merchant()
  const { charge } = service.client(keys.test)
  const traceparent = `00-${TRACE}-${PARENT}-01`
  await Promise.all([charge({}, { traceparent }), charge(), charge(), charge()])
  const request = await arrived('the request', () => inTrace(TRACE, 'POST /v1/charges'))
  assert.equal(request.parentSpanId, PARENT, 'the trace of the merchant goes on')
  assert.equal(request.attributes['http.response.status_code'], 201)
  await eventually('all four', () => named('POST /v1/charges').length === 4)
  await eventually('each is linked with its commit', () => {
    const batches = new Set(named('batch').map(({ spanId }) => spanId))
    return named('POST /v1/charges').every(({ links }) => links.some(({ spanId }) => batches.has(spanId)))
  })
  const statements = named('batch').flatMap((batch) => {
    assert.ok(named('POST /v1/charges').some(({ spanId }) => spanId === batch.parentSpanId))
    return below(batch).map(({ attributes }) => String(attributes['gateway.statements']))
  })
  assert.ok(
    statements.some((names) => names.includes('commit')),
    statements.join(' | '),
  )
  assert.equal(receiver.resource()['service.name'], 'gateway')
})

test('a call to an operator is a part of its request, and tells the operator nothing', async () => {
  const { live } = await service.shop()
  await live.charge()
  const call = await arrived('the call', () => named('rail submit')[0])
  const request = await arrived('its request', () => receiver.spans.find(({ spanId }) => spanId === call.parentSpanId))
  assert.equal(request.name, 'POST /v1/charges')
  assert.equal(call.attributes['gateway.outcome'], 'accepted')
})

test('a delivery is a trace whose place its receiver is told', async () => {
  const { merchant, test: client } = await service.shop()
  await service.set(merchant, { webhookUrl: shopHook.url })
  await client.charge()
  service.pass(60_000)
  await service.run('follow-charges')
  await service.run('send-deliveries')
  await eventually('the event has arrived', () => shopHook.received.length > 0)
  const [, traceId, spanId] = /^00-(\w{32})-(\w{16})-01$/.exec(String(shopHook.received[0]?.headers.traceparent)) ?? []
  const span = await arrived('the attempt', () => receiver.spans.find((one) => one.spanId === spanId))
  assert.deepEqual([span.name, span.traceId, span.attributes['gateway.outcome']], ['webhook', traceId, 'delivered'])
})

test('no span holds a key, a name, a number, an id of a payment or an amount', async () => {
  const merchant = await service.merchant({ name: 'Secret Shop' })
  const key = 'own-key-of-a-client'
  const { body } = await service
    .client(merchant.keys.test)
    .charge(
      { amount: 77_431, customer: { phone: '0700000123' }, reference: 'secret-reference' },
      { 'idempotency-key': key },
    )
  const before = receiver.spans.length
  await eventually('it is told', () => receiver.spans.length > before)
  const told = JSON.stringify(receiver.spans)
  for (const secret of [
    merchant.keys.test,
    merchant.id,
    'Secret Shop',
    '700000123',
    body.id,
    '77431',
    'secret-reference',
    key,
  ])
    assert.ok(!told.includes(secret), secret)
})

test('a traceparent that is none is a new trace, and probes make none', async () => {
  const { keys } = await service.merchant()
  for (const traceparent of ['', 'x', `00-${'0'.repeat(32)}-${PARENT}-01`, `ff-${TRACE}-${PARENT}-01`])
    assert.equal((await service.client(keys.test).get('/v1/balance', { traceparent })).status, 200)
  for (const path of ['/livez', '/readyz', '/healthz']) await fetch(`${service.url}${path}`)
  await eventually('all are told', () => named('GET /v1/balance').length === 4)
  assert.ok(named('GET /v1/balance').every((span) => span.traceId !== TRACE && !span.parentSpanId))
  assert.equal(receiver.spans.filter(({ name }) => /livez|readyz|healthz/.test(name)).length, 0)
})

test('a receiver that refuses, hangs or is gone holds up nobody, and what is lost is counted', async () => {
  const { keys } = await service.merchant()
  const { charge } = service.client(keys.test)
  receiver.behave((response) => response.writeHead(400).end())
  await charge(CHARGE)
  await eventually('what it refused is counted', async () => (await lost('refused')) > 0)
  receiver.behave(() => {})
  const began = performance.now()
  for (let nth = 0; nth < 10; nth += 1) assert.equal((await charge()).status, 201)
  assert.ok(performance.now() - began < 10_000)
  await receiver.close()
  assert.equal((await charge()).status, 201)
})

test('a client cannot make it record what our sampling leaves out, and a stop waits a second for a receiver that hangs', async () => {
  const deaf = await startTraceReceiver()
  const start = () => startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: deaf.url } })
  process.env.OTEL_TRACES_SAMPLER = 'parentbased_always_off'
  const sampled = await start()
  const merchant = await sampled.merchant()
  const traceparent = `00-${TRACE}-${PARENT}-01`
  assert.equal((await sampled.client(merchant.keys.test).charge({}, { traceparent })).status, 201)
  await sampled.close()
  assert.equal(deaf.asked(), 0)
  delete process.env.OTEL_TRACES_SAMPLER
  deaf.behave(() => {})
  const all = await start()
  const second = await all.merchant()
  assert.equal(
    (await all.client(second.keys.test).charge({}, { traceparent: traceparent.replace(/01$/, '00') })).status,
    201,
  )
  const stoppedAt = performance.now()
  await all.close()
  assert.ok(performance.now() - stoppedAt < 5000)
  assert.ok(deaf.asked() > 0, 'and none hides from it')
  await deaf.close()
})

test('without a receiver nothing of it is loaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loaded-'))
  const list = join(folder, 'loaded')
  const hooks = `import { appendFileSync } from 'node:fs'
    export async function load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context) }`
  const loader = `import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(\`${hooks.replaceAll('\\', '\\\\')}\`))`
  const flag = `--import=data:text/javascript,${encodeURIComponent(loader)}`
  for (const [endpoint, loads] of [
    ['', false],
    [receiver.url, true],
  ] as const) {
    rmSync(list, { force: true })
    const child = spawn(process.execPath, [flag, 'bin/gateway.mjs', 'serve', '--role', 'web'], {
      cwd: ROOT,
      env: {
        ...{ PATH: process.env.PATH ?? '', PORT: String(await freePort()), DATABASE_URL: service.database.url },
        ...{ MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const ended = once(child, 'exit')
    await eventually(`it is ready: ${said}`, () => said.includes('ready on'))
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    const loaded = readFileSync(list, 'utf8').split('\n')
    assert.ok(
      loaded.some((url) => url.includes('/dist/program/serve')),
      'files were listed',
    )
    const files = loaded.filter((url) => /opentelemetry|open-tracing/.test(url))
    assert.equal(files.length > 0, loads, files.join('\n'))
  }
  rmSync(folder, { recursive: true })
})
