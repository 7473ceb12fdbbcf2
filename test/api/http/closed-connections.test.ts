import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type ServiceProcess, startServiceProcess } from '../../helpers/service/service-process.ts'
import { CHARGE } from '../../helpers/service/test-service.ts'
import { requestOf, talk } from './raw-socket.ts'

const run = promisify(execFile)
const EACH = 12
// A request that is never finished is given up after 30 s; then its socket has some seconds to go.
const GIVEN_UP_MS = 60_000
const PROGRAM_MS = 60_000
const TOO_LARGE = 5 * 1024 * 1024

let service: ServiceProcess
before(async () => {
  service = await startServiceProcess()
})
after(() => service?.stop())

const headers = (...more: string[]) => [
  ...(more.some((line) => line.startsWith('Idempotency-Key')) ? [] : ['Idempotency-Key: closed']),
  `Authorization: Bearer ${service.key}`,
  `X-Timestamp: ${service.timestamp()}`,
  'Content-Type: application/json',
  ...more,
]

// What clients send that then keep their own side open for ever, whatever they are told.
const STAYING: [string, () => string][] = [
  ['nothing', () => ''],
  ['half a header', () => 'POST /v1/charges HTTP/1.1\r\nHost: gate'],
  ['garbage', () => 'EHLO gateway\r\n\r\n'],
  ['half a body', () => requestOf('POST /v1/charges', headers('Content-Length: 500'), '{"amount":')],
  ['too large a body, half of it', () => requestOf('POST /v1/charges', headers(`Content-Length: ${TOO_LARGE}`), '{')],
]

// Each waits out the half minute after which an unfinished request is given up.
describe('requests that are never finished', { concurrency: true }, () => {
  longTest('C15: clients that send nothing, garbage or half a request leave no descriptor behind', async () => {
    const before = await service.sockets()
    const clients = STAYING.flatMap(([, bytes]) => Array.from({ length: EACH }, () => staying(bytes())))
    await until(async () => (await service.sockets()) >= before + EACH, PROGRAM_MS)
    try {
      await until(async () => (await service.sockets()) < before + EACH / 2, GIVEN_UP_MS)
    } finally {
      for (const { socket } of clients) socket.destroy()
    }
    const told = clients.map(({ heard }) => Number(heard.join('').split(' ')[1]))
    const expected = [408, 408, 400, 408, 413].flatMap((status) => Array.from({ length: EACH }, () => status))
    assert.deepEqual(told, expected)
  })

  longTest('C15: what a request lacks must not arrive after it has been refused', async () => {
    const body = JSON.stringify(CHARGE)
    const idempotency = `Idempotency-Key: late-${service.timestamp()}`
    const late = staying(
      requestOf('POST /v1/charges', headers(idempotency, `Content-Length: ${body.length}`), body.slice(0, 9)),
    )
    await until(async () => late.heard.length > 0, GIVEN_UP_MS)
    late.socket.write(body.slice(9))
    await until(async () => late.socket.destroyed || !late.socket.write(' '), GIVEN_UP_MS)
    const listed = await fetch(`${service.url}/v1/charges`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    assert.deepEqual(((await listed.json()) as any).data, [])
  })
})

// After ten seconds a client that has not sent its headers is told so.
const HEADERS_MS = 11_000

longTest('a service that stood still itself does not say that its clients were slow', async () => {
  const own = await startServiceProcess()
  try {
    const before = await own.sockets()
    const begun = Array.from({ length: EACH }, () => staying('POST /v1/charges HTTP/1.1\r\nHost: gate', own.url))
    await until(async () => (await own.sockets()) >= before + EACH, PROGRAM_MS)
    own.freeze()
    for (const { socket } of begun) socket.write('way\r\nConnection: close\r\n\r\n')
    await sleep(HEADERS_MS)
    own.thaw()
    await until(async () => begun.every(({ heard }) => heard.length > 0), PROGRAM_MS)
    for (const { socket, heard } of begun) {
      const said = heard.join('')
      // The one that was read after all has no key.
      assert.match(said, /^HTTP\/1\.1 (401 |503 .*\r\nRetry-After: 1\r\n.*"service temporarily unavailable)/s)
      socket.destroy()
    }
  } finally {
    own.thaw()
    await own.stop()
  }
})

test('C17: who sends all of too large a body before reading hears 413', async () => {
  for (const length of [`Content-Length: ${TOO_LARGE}`, 'Transfer-Encoding: chunked']) {
    const { answers } = await talk(service.url, tooLarge(length))
    assert.equal(answers[0]?.status, 413, length)
    assert.equal(answers[0]?.body.error, 'invalid request: body too large')
  }
})

test('C17: what follows too large a body on its connection is not worked on', async () => {
  const body = JSON.stringify(CHARGE)
  const next = requestOf('POST /v1/charges', headers('Idempotency-Key: behind', 'Connection: close'), body)
  const { answers } = await talk(
    service.url,
    Buffer.concat([tooLarge(`Content-Length: ${TOO_LARGE}`), Buffer.from(next)]),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [413],
  )
  const again = await fetch(`${service.url}/v1/charges`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'x-timestamp': service.timestamp(),
      'idempotency-key': 'behind',
    },
    body,
  })
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, null])
})

test('C17: fetch reads the 413', async () => {
  const response = await fetch(`${service.url}/v1/charges`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'x-timestamp': service.timestamp(),
      'idempotency-key': 'closed',
    },
    body: 'x'.repeat(TOO_LARGE),
  })
  assert.deepEqual([response.status, ((await response.json()) as any).code], [413, 'payload_too_large'])
})

longTest('C17: Python reads the 413', async (t) => {
  const program = [
    'import sys, urllib.error, urllib.request',
    `request = urllib.request.Request(sys.argv[1] + '/v1/charges', data=b'x' * ${TOO_LARGE})`,
    "request.add_header('Authorization', 'Bearer ' + sys.argv[2])",
    "request.add_header('Idempotency-Key', 'closed')",
    "request.add_header('X-Timestamp', sys.argv[3])",
    'try:',
    '    urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as answer:',
    '    print(answer.code, answer.read().decode())',
  ].join('\n')
  await heardBy(t, ['python3', '-c', program, service.url, service.key, service.timestamp()])
})

longTest('C17: curl reads the 413', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-large-'))
  const file = join(folder, 'large')
  writeFileSync(file, 'x'.repeat(TOO_LARGE))
  const sent = [
    `Authorization: Bearer ${service.key}`,
    `X-Timestamp: ${service.timestamp()}`,
    'Idempotency-Key: closed',
  ]
  const words = ['-sS', '-w', '%{http_code}', '--data-binary', `@${file}`, ...sent.flatMap((line) => ['-H', line])]
  // Without Expect it sends at once, as old versions and other programs do.
  for (const more of [[], ['-H', 'Expect:']]) await heardBy(t, ['curl', ...words, ...more, `${service.url}/v1/charges`])
  rmSync(folder, { recursive: true })
})

async function heardBy(t: { skip(why: string): void }, [program, ...words]: string[]): Promise<void> {
  const said = await run(program as string, words, { timeout: PROGRAM_MS }).catch((error) => error)
  if (said.code === 'ENOENT' || said.code === 'EACCES') return t.skip(`${program} cannot be started here`)
  assert.match(said.stdout, /413/, said.stderr)
  assert.match(said.stdout, /body too large/)
}

function tooLarge(length: string): Buffer {
  const head = requestOf('POST /v1/charges', headers(length))
  const body = Buffer.alloc(TOO_LARGE, 'x')
  if (!length.startsWith('Transfer')) return Buffer.concat([Buffer.from(head), body])
  return Buffer.concat([Buffer.from(`${head}${TOO_LARGE.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
}

/** A client that sends this and never closes its side. */
function staying(bytes: string, url = service.url): { socket: Socket; heard: string[] } {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  const heard: string[] = []
  socket.on('error', () => {}).on('data', (piece) => heard.push(piece.toString('latin1')))
  if (bytes !== '') socket.write(bytes, 'latin1')
  return { socket, heard }
}

async function until(holds: () => Promise<boolean>, withinMs: number): Promise<void> {
  const started = performance.now()
  while (!(await holds())) {
    assert.ok(performance.now() - started < withinMs, 'it came true in time')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

longTest('C15: a request with something behind it that is no request hears first what became of it', async () => {
  const body = JSON.stringify(CHARGE)
  const outcomes = new Set<boolean>()
  for (let nth = 0; nth < 60; nth += 1) {
    const key = `behind-${service.timestamp()}-${nth}`
    const lines = headers(`Idempotency-Key: ${key}`, `Content-Length: ${body.length}`)
    const heard = await answerWith(requestOf('POST /v1/charges', lines, body), nth % 6)
    const again = await fetch(`${service.url}/v1/charges`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        'x-timestamp': service.timestamp(),
        'idempotency-key': key,
      },
      body,
    })
    // Made before, or not made at all: never made and called refused.
    const made = again.headers.get('idempotent-replayed') === 'true'
    assert.equal(heard.slice(0, 'HTTP/1.1 ...'.length), `HTTP/1.1 ${made ? 201 : 400}`, heard)
    outcomes.add(made)
  }
  assert.ok(outcomes.has(true), 'some were being worked on when the rest came')
})

/** Everything that is said to this request, behind which comes what is none after so many ms. */
async function answerWith(request: string, afterMs: number): Promise<string> {
  const client = staying(request)
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  client.socket.write('}}')
  await new Promise((resolve) => client.socket.once('end', resolve))
  client.socket.destroy()
  return client.heard.join('')
}
