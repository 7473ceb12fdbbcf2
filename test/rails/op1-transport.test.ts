import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import test from 'node:test'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { parseSubmit } from '../../src/rails/op1-momo/parse-submit.ts'
import { openWire } from '../../src/rails/op1-momo/transport.ts'
import { deadlineIn, type SubmitAnswer } from '../../src/rails/rail.ts'
import { contractWith, NEVER_OPENS, wireUp } from '../helpers/payments/op1.ts'
import { opened } from '../helpers/service/opened.ts'
import { attemptAt, movementOf, soon } from './rail-attempts.ts'

// One case for each row of rails.md 3.9: how far a payment got decides what its failure counts for.
const QUICK = { connect: 1, headers: 0.4, body: 0.4, submit: 5, answer: 5 }
const wired = opened(() => wireUp({ contract: { breaker: NEVER_OPENS, timeouts: QUICK } }))

const attempt = () => attemptAt(wired.clock, { installation: 'ug-1' })
const ways = ({ kind, evidence }: SubmitAnswer<string>) => [kind, evidence.stage]

const BROKEN: [string, FaultName, FaultParams, stage: 'sent' | 'answered'][] = [
  ['closed without an answer', 'dropAfterRead', {}, 'sent'],
  ['closed after it was taken', 'dropAfterAccept', {}, 'sent'],
  ['a reset', 'resetAfterRead', {}, 'sent'],
  ['cut inside the headers', 'truncate', { where: 'headers' }, 'sent'],
  ['cut inside the body', 'truncate', { where: 'body' }, 'answered'],
  ['silence', 'silence', {}, 'sent'],
  ['a body that stalls', 'slowBody', { bytesPerSecond: 1 }, 'answered'],
  ['bytes that are no HTTP', 'garbage', {}, 'sent'],
  ['headers without end', 'hugeHeaders', {}, 'sent'],
  ['a body of 10 MB', 'hugeBody', {}, 'answered'],
]

for (const [name, fault, params, stage] of BROKEN)
  test(`${name} is ambiguous, and the journal knows the request`, async () => {
    await wired.emulator.fault(fault, { params })
    const one = attempt()
    const submitted = await movementOf(wired.rail, 'collect').submit(one, soon())
    assert.deepEqual(ways(submitted), ['ambiguous', stage])
    assert.equal(wired.emulator.journal(one.reference).filter(({ method }) => method === 'POST').length, 1)
  })

test('a 202 whose body stalls is accepted: the status line is enough', async () => {
  const raw = await rawOperator((socket) => socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 10\r\n\r\n'))
  const submitted = await postTo(raw.url)
  await raw.close()
  assert.deepEqual(submitted.slice(0, 2), ['accepted', 'answered'])
})

test('our own deadline: clean before the request left, ambiguous after it', async () => {
  await wired.emulator.fault('silence')
  const late = await movementOf(wired.rail, 'collect').submit(attempt(), deadlineIn(100))
  assert.deepEqual(ways(late), ['ambiguous', 'sent'])
  const black = await rawOperator(() => {})
  // TLS never begins: the connection is open and no request can be written.
  const early = await postTo(black.url.replace('http:', 'https:'), deadlineIn(200))
  await black.close()
  assert.deepEqual(early, ['unavailable', 'connect', 'DEADLINE'])
})

test('a process that stood still while it connected sends nothing, though the signal has not come yet: clean', async () => {
  const posts = () => wired.emulator.journal().filter(({ method }) => method === 'POST').length
  const before = posts()
  let asked = 0
  const isOver = () => {
    asked += 1
    return asked > 1
  }
  const late = await postTo(wired.emulator.url, { ...deadlineIn(5000), isOver })
  assert.deepEqual([late, posts() - before], [['unavailable', 'connect', 'DEADLINE'], 0])
})

test('nobody listens, and a name that does not exist: clean', async () => {
  const own = await wireUp({ contract: { timeouts: QUICK } })
  await own.rail.readiness('collect', soon())
  await own.emulator.shut()
  const one = attemptAt(own.clock, { installation: 'ug-1' })
  const refused = await movementOf(own.rail, 'collect').submit(one, soon())
  await own.close()
  assert.deepEqual([...ways(refused), refused.evidence.transport], ['unavailable', 'connect', 'ECONNREFUSED'])
  const nowhere = await postTo('http://operator.invalid')
  assert.deepEqual(nowhere.slice(0, 2), ['unavailable', 'connect'])
  assert.match(nowhere[2] ?? '', /ENOTFOUND|EAI_AGAIN/)
})

test('a connection or a TLS handshake that takes too long: clean', async () => {
  const black = await rawOperator(() => {})
  const slow = await postTo(black.url.replace('http:', 'https:'))
  await black.close()
  assert.deepEqual(slow, ['unavailable', 'connect', 'UND_ERR_CONNECT_TIMEOUT'])
})

test('TLS with a server that speaks none: clean', async () => {
  const plain = await rawOperator((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const refused = await postTo(plain.url.replace('http:', 'https:'))
  await plain.close()
  assert.deepEqual(refused.slice(0, 2), ['unavailable', 'connect'])
})

test('no place among those under way within its time: clean, at our own gate', async () => {
  const own = await wireUp({ contract: { submitConnections: 1 } })
  await own.emulator.fault('silence')
  const first = attemptAt(own.clock, { installation: 'ug-1' })
  const holding = movementOf(own.rail, 'collect').submit(first, deadlineIn(4000))
  const second = await movementOf(own.rail, 'collect').submit(
    attemptAt(own.clock, { installation: 'ug-1' }),
    deadlineIn(3500),
  )
  await own.emulator.shut()
  await holding
  await own.close()
  assert.deepEqual([...ways(second), second.evidence.transport], ['unavailable', 'gate', 'GATE_FULL'])
})

/** A server that gets the token from our operator and then does what it likes with a payment. */
async function rawOperator(onPayment: (socket: Socket) => void): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (bytes) => {
      if (!bytes.toString('latin1').startsWith('POST /collection/token/')) return onPayment(socket)
      const body = '{"access_token":"t","expires_in":3600}'
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** A payment to this address with a token in hand: what it counts for, how far it got, and the error. */
async function postTo(baseUrl: string, deadline = soon()): Promise<(string | null)[]> {
  const wire = openWire(contractWith(wired.emulator, { baseUrl, timeouts: QUICK }))
  const asked = { method: 'POST', path: '/collection/v1_0/requesttopay', headers: {}, body: '{}' } as const
  const heard = await wire.ask('submit', asked, deadline)
  await wire.close()
  const { kind } = parseSubmit(heard, { side: 'collect', overrides: {} })
  return [kind, heard.stage, heard.transport]
}
