import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type Merchant, makeInstallation } from '../crash/installation.ts'
import { killPostgres, launch, PROGRAM, postgresProcesses, type Running } from '../crash/processes.ts'
import { made, opened } from '../helpers/service/opened.ts'

const WITHIN_MS = 20_000
const LEASE_MS = 15_000

const installation = opened(async () => {
  const whole = await makeInstallation()
  return { ...whole, close: whole.end }
})
const shop = made(() => installation.merchant('faults-shop'))
// Its receiver gets only the event of the one charge in its own test.
const quiet = made(() => installation.merchant('faults-quiet'))

const readiness = async () => (await fetch(`${installation.url}/readyz`).catch(() => null))?.status

let keys = 0
async function charge(merchant: Merchant): Promise<number> {
  keys += 1
  const response = await fetch(`${installation.url}/v1/charges`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${merchant.keys.test}`,
      'x-timestamp': String(Math.floor(installation.clock.nowMs() / 1000)),
      'idempotency-key': `faults-${keys}`,
    },
    body: JSON.stringify({ amount: 5000, channel: 'op1_momo', customer: { phone: '0700000000' } }),
  })
  await response.arrayBuffer()
  return response.status
}

test('F31: SIGTERM under load fails no request, holds no lease, and ends with 0', async () => {
  const service = await installation.startReady({ env: { DRAIN_SECONDS: '1' } })
  let ready = true
  const statuses: (number | string)[] = []
  // Clients behind a load balancer, which stops sending to a process that says it is not ready.
  const clients = Array.from({ length: 20 }, async () => {
    while (ready) statuses.push(await charge(shop).catch((error) => String(error)))
  })
  while (statuses.length < 200) await sleep(5)
  service.signal('SIGTERM')
  while ((await readiness()) === 200) await sleep(5)
  ready = false
  await Promise.all(clients)
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.deepEqual([...new Set(statuses)], [201])
  assert.deepEqual(await installation.sql('select event_id from deliveries where lease_until is not null'), [])
})

test('F32: a second SIGTERM ends the process at once with 1', async () => {
  const service = await installation.startReady({ env: { DRAIN_SECONDS: '20' } })
  await until(async () => (await readiness()) === 200)
  service.signal('SIGTERM')
  await until(async () => (await readiness()) === 503)
  service.signal('SIGTERM')
  assert.deepEqual(await service.ended, { code: 1, signal: null })
})

test('F40: a worker that slept over its lease writes nothing when it wakes', async () => {
  const sleeper = await installation.startReady()
  const answers: ServerResponse[] = []
  quiet.receiver.behave((response) => answers.push(response))
  assert.equal(await charge(quiet), 201)
  await until(async () => answers.length === 1)
  sleeper.signal('SIGSTOP')

  installation.advance(LEASE_MS + 1000)
  const heir = await installation.startReady({ role: 'worker', port: await freePort() })
  await until(async () => answers.length === 2)
  answers[1]?.writeHead(200).end()
  const [first, second] = quiet.receiver.received
  assert.equal(second?.body, first?.body, 'the same event, to the byte')
  const delivery = `select status, attempts, last_response_code from deliveries where event_id = '${first?.event.id}'`
  const sent = [{ status: 'sent', attempts: 1, last_response_code: 200 }]
  await until(async () => (await installation.sql(delivery))[0]?.status === 'sent')

  answers[0]?.writeHead(500).end()
  sleeper.signal('SIGCONT')
  sleeper.signal('SIGTERM')
  assert.deepEqual(await sleeper.ended, { code: 0, signal: null })
  assert.deepEqual(await installation.sql(delivery), sent)
  await heir.kill()
})

test('F43: a killed service finds its PostgreSQL again, a killed PostgreSQL comes back, the last one out stops it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-faults-'))
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  const port = String(await freePort())
  const started: Running[] = []
  const start = async () => {
    const env = { DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'warn' }
    const running = launch({ program: PROGRAM, args: ['serve'], env, logFile: join(folder, 'log') })
    started.push(running)
    assert.ok(await running.ready, running.said())
    return running
  }
  t.after(async () => {
    await Promise.all(started.map((running) => running.kill()))
    await killPostgres(dataDir)
    rmSync(folder, { recursive: true, force: true })
  })

  const first = await start()
  const [postmaster] = postgresProcesses(dataDir)
  await first.kill()
  const second = await start()
  assert.equal(postgresProcesses(dataDir)[0], postmaster, 'the running server is used again')

  await killPostgres(dataDir)
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200)
  const [successor] = postgresProcesses(dataDir)
  assert.ok(successor !== undefined && successor !== postmaster)

  second.signal('SIGTERM')
  assert.deepEqual(await second.ended, { code: 0, signal: null })
  assert.deepEqual(postgresProcesses(dataDir), [], 'PostgreSQL still runs after the last one left')
})

async function until(happened: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS
  while (!(await happened())) {
    assert.ok(performance.now() < giveUpAt, 'it did not happen within 20 s')
    await sleep(10)
  }
}
