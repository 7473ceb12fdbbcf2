import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import test, { type TestContext } from 'node:test'
import { createPoster, type PosterOptions } from './attempt.ts'
import { parseTarget, type TargetRules } from './target.ts'

const RULES: TargetRules = {
  ownHosts: ['pay.gateway.ug', 'Api.Gateway.UG', '154.72.194.9', '2606:4700:0:0::99'],
  allowPrivate: ['localhost:3000', '127.0.0.1:4000', '[::1]:5000', 'machine.lan:80', 'Sim.Internal:8443'],
}

/** A listener that counts connections on every loopback address; a refused target must never reach it. */
async function trap(t: TestContext) {
  const counted = { connections: 0, port: 0 }
  const server = createServer((socket) => {
    counted.connections += 1
    socket.on('error', () => {}).destroy()
  })
  // Both families where the machine has IPv6, so that ::1 and ::ffff:127.0.0.1 would be noticed as well.
  server.on('error', () => server.listen(0, '127.0.0.1')).listen(0, '::')
  await once(server, 'listening')
  t.after(() => server.close())
  counted.port = (server.address() as AddressInfo).port
  return counted
}

async function attemptAt(t: TestContext, url: string, options: Partial<PosterOptions> & { signal?: AbortSignal }) {
  const { signal, ...rest } = options
  const poster = createPoster({ ownHosts: [], allowPrivate: [], ...rest })
  t.after(() => poster.close())
  const request = { url, body: Buffer.from('{}'), headers: {}, keepAlive: true }
  const { elapsedMs, ...outcome } = await poster.post(signal ? { ...request, signal } : request)
  assert.ok(elapsedMs < 1_000, `took ${elapsedMs} ms`)
  return outcome
}

// Counts as public but belongs to a test network given back in 2006: even a faulty test reaches nobody.
const PUBLIC = '3ffe::1'
const PRIVATE = { kind: 'refused_target', why: 'private address' }

test('a literal private address is refused before any packet, however it is spelled', async (t) => {
  const inside = await trap(t)
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '１２７.0.0.1', '0'])
    assert.deepEqual(await attemptAt(t, `https://${host}:${inside.port}/`, {}), PRIVATE, host)
  assert.equal(inside.connections, 0)
})

test("one bad address in the name server's answer refuses all of them, and none is tried", async (t) => {
  const inside = await trap(t)
  const bad = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254', 'fe80::1%lo', 'fd00::1', 'x']
  for (const address of bad) {
    for (const addresses of [[address], [address, PUBLIC], [PUBLIC, '3ffe::2', address]]) {
      const resolve = async () => addresses.map((each) => ({ address: each, family: 4 as const }))
      const outcome = await attemptAt(t, `https://shop.ug:${inside.port}/`, { resolve })
      assert.deepEqual(outcome, PRIVATE, addresses.join())
    }
  }
  assert.equal(inside.connections, 0)
})

test('a name that was public is checked anew at each attempt, with one look-up', async (t) => {
  const inside = await trap(t)
  const url = `https://shop.ug:${inside.port}/`
  assert.equal(parseTarget(url, RULES).kind, 'ok')
  const answers = [PUBLIC, '127.0.0.1', PUBLIC]
  const stop = new AbortController()
  const resolve = async () => {
    const address = answers.shift() ?? ''
    // Ends the attempt before a socket is opened: no test may reach a public address.
    if (address === PUBLIC) stop.abort()
    return [{ address, family: 4 as const }]
  }
  const aborted = { kind: 'failed', error: 'aborted', status: null }
  assert.deepEqual(await attemptAt(t, url, { resolve, signal: stop.signal }), aborted)
  assert.deepEqual(await attemptAt(t, url, { resolve }), PRIVATE)
  assert.deepEqual(answers, [PUBLIC])
  assert.equal(inside.connections, 0)
})

test('a name that resolves to one of our own public addresses is refused', async (t) => {
  const resolve = async () => [{ address: '2606:4700::99', family: 6 as const }]
  const outcome = await attemptAt(t, 'https://shop.ug/', { resolve, ownHosts: RULES.ownHosts })
  assert.deepEqual(outcome, PRIVATE)
})
