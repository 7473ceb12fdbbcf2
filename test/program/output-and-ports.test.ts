import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { runProgram } from '../helpers/service/command-line.ts'
import { made, opened } from '../helpers/service/opened.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'bin', 'gateway.mjs')
const ENV = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
// Nothing is reached before the port is open.
const SETTINGS = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  HOST: '127.0.0.1',
  METRICS_PORT: '0',
}
const taken = opened(async () => {
  const server: Server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, close: async () => void server.close() }
})
const port = made(async () => {
  const address = taken.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { taken: String(address.port) }
})

/** Runs a command whose reader closes these outputs before it reads anything, as `| head -1` may. */
async function runUnread(args: readonly string[], unread: readonly ('stdout' | 'stderr')[], program = PROGRAM) {
  const child = spawn(process.execPath, [program, ...args], { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  for (const name of unread) child[name].destroy()
  const [code] = await once(child, 'exit')
  return { code, stderr }
}

test('a command whose reader has ended says so in one sentence, and keeps its own exit code', async () => {
  const { code, stderr } = await runUnread(['help'], ['stdout'])
  assert.equal(
    stderr,
    'the program that reads this output has ended, so the rest was not written: run the command without it to see all\n',
  )
  assert.equal(code, 0)
  assert.deepEqual(await runUnread(['help'], ['stdout', 'stderr']), { code: 0, stderr: '' })
  assert.equal((await runUnread(['no-such-command'], ['stdout', 'stderr'])).code, 2)
})

for (const [name, args] of [
  ['one process', ['serve']],
  ['several processes', ['serve', '--processes', '2']],
] as const)
  test(`a start of ${name} on a port that is in use ends with one sentence that says what to do`, async () => {
    const { code, stderr, stdout } = await runProgram(args, { ...SETTINGS, PORT: port.taken })
    assert.equal(code, 1)
    assert.match(
      stderr,
      new RegExp(
        `^cannot listen on port ${port.taken} of 127\\.0\\.0\\.1: it is in use: stop .* or set PORT or HOST to another \\(EADDRINUSE\\)$`,
        'm',
      ),
    )
    assert.doesNotMatch(stderr + stdout, /^ +at /m)
  })

test('a port of metrics that is in use, and an address that is not of this machine, end a start in the same way', async () => {
  for (const [args, settings, says] of [
    [
      ['serve'],
      { PORT: '0', METRICS_PORT: port.taken },
      /it is in use: .* or set METRICS_PORT to another \(EADDRINUSE\)/,
    ],
    [['serve', '--processes', '2'], { PORT: '0', METRICS_PORT: port.taken }, /or set METRICS_PORT to another/],
    [
      ['serve'],
      { PORT: '0', HOST: '203.0.113.1' },
      /port 0 of 203\.0\.113\.1: this machine does not have this address/,
    ],
    [
      ['serve', '--processes', '2'],
      { PORT: '0', HOST: '203.0.113.1' },
      /this machine does not have this address.*set HOST to/,
    ],
  ] as const) {
    const { code, stderr, stdout } = await runProgram(args, { ...SETTINGS, ...settings })
    assert.deepEqual([code, says.test(stderr)], [1, true], stderr)
    assert.doesNotMatch(stderr + stdout, /^ +at /m)
  }
})

test('the emulator ends in the same way, also when only the port of its control plane is in use', async () => {
  const emulator = join(import.meta.dirname, '..', '..', 'emulator', 'main.js')
  for (const args of [
    ['--port', port.taken, '--control-port', '0'],
    ['--port', '0', '--control-port', port.taken],
  ]) {
    const { code, stderr } = await runUnread(args, [], emulator)
    assert.equal(code, 2)
    assert.match(
      stderr,
      /^port [0-9]+ of 127\.0\.0\.1 is in use: stop the program .* give another --port or --control-port\n$/,
    )
  }
})
