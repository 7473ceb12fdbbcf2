import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepUntilDue } from '../../../src/payments/charges/test-charges/due-test-charges.ts'
import { openWire } from '../../helpers/database/cut-wire.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

// Forty-seven batches of ends that take as long are seconds behind.
const SLOW_MS = 150

const wire = opened(openWire)
const service = opened(() => startService({ database: wire.behind }))

/** Sends the head of a charge and none of its body; what comes back until a whole head has, or nothing within 300 ms. */
async function sendHead(token: string, idempotencyKey: string): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const socket: Socket = connect(Number(port), hostname)
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(
    [
      'POST /v1/charges HTTP/1.1',
      'Host: gateway',
      `Authorization: Bearer ${token}`,
      `X-Timestamp: ${Math.floor(service.clock.nowMs() / 1000)}`,
      `Idempotency-Key: ${idempotencyKey}`,
      'Content-Length: 500',
      '',
      '',
    ].join('\r\n'),
  )
  for (let nth = 0; nth < 30 && !heard.includes('\r\n\r\n'); nth += 1) await sleep(10)
  socket.destroy()
  return heard
}

test('C13: behind a batch that hangs a charge is refused on its head alone, and nothing is kept of it', async () => {
  const merchant = await service.merchant()
  const client = service.client(merchant.keys.test)
  assert.equal((await client.charge()).status, 201)
  const held = wire.proxy.holdNext(/commit\0/i)
  const first = client.charge({ reference: 'in-the-batch' })
  const key = 'refused-on-its-head'
  let said = ''
  for (let nth = 0; nth < 100 && said === ''; nth += 1) said = await sendHead(merchant.keys.test, key)
  assert.ok(held.held())
  assert.match(said, /^HTTP\/1\.1 503 /)
  assert.match(said, /\r\nretry-after: [1-5]\r\n/i)
  held.letThrough()
  assert.equal((await first).status, 201)
  const again = await client.charge({ reference: 'after' }, { 'idempotency-key': key })
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null])
})

test('C13: while more charges wait for their end than can be ended in time new ones are refused, and taken again after that', async () => {
  const { app } = service
  const client = service.client((await service.merchant()).keys.test)
  // The first batch of ends says how long a batch takes.
  const { id } = (await client.charge()).body
  const held = wire.proxy.holdNext(/commit\0/i)
  const ended = followUntilEnded(service, id)
  while (!held.held()) await sleep(10)
  await sleep(SLOW_MS)
  held.letThrough()
  await ended
  const waiting = { followAt: new Date(app.clock.nowMs() + 2000) } as Parameters<typeof keepUntilDue>[1][number]
  const many = 19_000
  keepUntilDue(
    app,
    Array.from({ length: many }, () => waiting),
  )
  const refused = await client.charge({}, { 'idempotency-key': 'one-key' })
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'])
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-5]$/)
  // Nobody ends them here, as in a process without background work: two seconds overdue they are left to the others.
  service.pass(4001)
  const taken = await client.charge({}, { 'idempotency-key': 'one-key' })
  assert.deepEqual([taken.status, taken.headers.get('idempotent-replayed')], [201, null])
})
