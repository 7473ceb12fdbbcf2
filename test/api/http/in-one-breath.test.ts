import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { CHARGE, startService } from '../../helpers/service/test-service.ts'
import { requestOf, talk } from './raw-socket.ts'

const service = opened(() => startService())

/** A shop, and its requests as bytes. */
async function shop() {
  const { keys } = await service.merchant()
  const own = (...more: string[]) => [
    `Authorization: Bearer ${keys.test}`,
    `X-Timestamp: ${Math.floor(service.clock.nowMs() / 1000)}`,
    ...more,
  ]
  return {
    api: service.client(keys.test),
    read: (path: string, ...more: string[]) => requestOf(`GET ${path}`, own(...more)),
    charge: (key: string, ...more: string[]) =>
      requestOf(
        'POST /v1/charges',
        own(`Idempotency-Key: ${key}`, 'Content-Type: application/json', ...more),
        JSON.stringify(CHARGE),
      ),
  }
}

test('each of the requests sent in one breath begins when the one before it has been answered', async () => {
  const { charge, read } = await shop()
  const list = read('/v1/charges')
  const { answers } = await talk(
    service.url,
    charge('one') + list + charge('two') + read('/v1/charges', 'Connection: close'),
  )
  const [one, first, two, last] = answers.map(({ body }) => body)
  const ids = (page: any) => page.data.map(({ id }: any) => id)
  assert.deepEqual(ids(first), [one.id])
  assert.deepEqual(ids(last).sort(), [one.id, two.id].sort())
})

test('a body that comes after the answers to the requests before it is read', async () => {
  const { charge, read } = await shop()
  const late = charge('late', 'Connection: close')
  const cut = late.indexOf('\r\n\r\n') + 6
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('latin1')
  socket.write(read('/v1/me') + read('/v1/balance') + late.slice(0, cut))
  let text = ''
  const answered = (count: number) => text.split('HTTP/1.1 ').length > count
  for await (const chunk of socket) {
    const before = answered(2)
    text += chunk
    if (!before && answered(2)) socket.write(late.slice(cut))
  }
  assert.deepEqual(
    text.match(/HTTP\/1\.1 [0-9]+/g)?.map((line) => line.slice(9)),
    ['200', '200', '201'],
  )
})

test('thirty-two may wait behind the first', async () => {
  const { read } = await shop()
  const { answers } = await talk(service.url, read('/v1/me').repeat(32) + read('/v1/me', 'Connection: close'))
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(33).fill(200),
  )
})

test('a connection on which far more wait is closed, and all others are served', async () => {
  const { api, read } = await shop()
  const { hostname, port } = new URL(service.url)
  const flood = connect(Number(port), hostname)
  const closed = new Promise((resolve) => flood.on('error', () => {}).on('close', resolve))
  flood.write(read('/v1/me').repeat(10_000))
  flood.resume()
  assert.equal((await api.get('/v1/me')).status, 200)
  await closed
})
