import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { BODY, receiver, told } from '../../../test/helpers/vending/raw-receiver.ts'
import { createPoster } from './attempt.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

function posterFor(t: TestContext, port: number) {
  const poster = createPoster({ ownHosts: [], allowPrivate: [`127.0.0.1:${port}`] })
  t.after(() => poster.close())
  return poster
}

const keptRequest = (port: number) => ({
  url: `http://127.0.0.1:${port}/`,
  body: Buffer.from(BODY),
  headers: {},
  keepAlive: true,
})

/** A receiver that answers the first request of each connection and closes it when the next one is there. */
const onceEach =
  (answered = new WeakSet<Socket>()) =>
  (socket: Socket) => {
    if (answered.has(socket)) return void socket.destroy()
    answered.add(socket)
    socket.write(OK)
  }

test('a kept connection that the receiver has closed costs a second try on a new one, where that may be', async (t) => {
  for (const [mayRepeat, expected, connections] of [
    [true, 'answered 200', 2],
    [false, 'reset', 1],
  ] as const) {
    const seen = await receiver(t, onceEach())
    const poster = posterFor(t, seen.port)
    const request = keptRequest(seen.port)
    assert.equal(told(await poster.post({ ...request, mayRepeat })), 'answered 200')
    assert.equal(told(await poster.post({ ...request, mayRepeat })), expected)
    assert.equal(seen.connections, connections)
    assert.equal(seen.requests.length, mayRepeat ? 3 : 2)
  }
})

test('a new connection that is closed is not tried again, and neither is one that has answered something', async (t) => {
  const closing = await receiver(t, (socket) => socket.destroy())
  const failing = await receiver(t, 'HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n')
  for (const [seen, expected] of [
    [closing, ['reset', 'reset']],
    [failing, ['answered 500', 'answered 500']],
  ] as const) {
    const poster = posterFor(t, seen.port)
    const request = keptRequest(seen.port)
    for (const one of expected) assert.equal(told(await poster.post({ ...request, mayRepeat: true })), one)
    assert.equal(seen.requests.length, 2)
  }
})
