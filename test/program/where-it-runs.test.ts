import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const BIN = join(import.meta.dirname, '..', '..', '..', 'bin')

/** What a start says on a machine with these facts. */
function start(machine: { platform?: string; arch?: string; version?: string }, program = join(BIN, 'gateway.mjs')) {
  const define = `for (const [name, value] of Object.entries(${JSON.stringify(machine)})) Object.defineProperty(process, name, { value })`
  const pretending = `data:text/javascript,${encodeURIComponent(define)}`
  const { status, stderr } = spawnSync(process.execPath, ['--import', pretending, program, 'help'], {
    encoding: 'utf8',
  })
  return { status, stderr }
}

test('native Windows is told in one sentence where the program runs', () => {
  const said = 'The gateway does not run on Windows itself: run it in WSL2 or in the container (docs/installing.md).\n'
  assert.deepEqual(start({ platform: 'win32' }), { status: 1, stderr: said })
})

test('an old Node is told which one is needed', () => {
  const said = 'The gateway needs Node 20.19 or newer, and this is Node 18.20.4: install Node 24.\n'
  assert.deepEqual(start({ version: 'v18.20.4' }), { status: 1, stderr: said })
})

/** An artefact for 64-bit Linux, as far as its start looks at it. */
function artefact(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'artefact-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module","os":["linux"],"cpu":["x64"]}')
  copyFileSync(join(BIN, 'supported.mjs'), join(folder, 'bin', 'supported.mjs'))
  return join(folder, 'bin', 'supported.mjs')
}

test('an artefact on another kind of machine says which one is to be taken', (t) => {
  const said = 'This artefact is for linux-x64, and this machine is darwin-arm64: take the one for darwin-arm64.\n'
  assert.deepEqual(start({ platform: 'darwin', arch: 'arm64' }, artefact(t)), { status: 1, stderr: said })
  assert.deepEqual(start({ platform: 'linux', arch: 'x64' }, artefact(t)), { status: 0, stderr: '' })
})

// A process of its own: tests beside this one may keep this process busy for longer than the check waits.
const ANSWERING = `require('node:http')
  .createServer((request, response) => response.writeHead(request.url === '/readyz' ? +process.argv[1] : 404).end(process.argv[2]))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

/** What the health check of a container ends with when the service answers this, and what it prints. */
async function healthCheck(status: number, body: string) {
  const service = spawn(process.execPath, ['-e', ANSWERING, String(status), body], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [port] = await once(service.stdout, 'data')
    const env = { HOST: '0.0.0.0', PORT: String(port).trim() }
    const child = spawn(process.execPath, [join(BIN, 'healthy.mjs')], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    let said = ''
    child.stdout.on('data', (part) => (said += part))
    const [code] = await once(child, 'close')
    return { code, said }
  } finally {
    service.kill()
  }
}

test('the health check passes exactly while the service wants traffic, and prints why it does not', async () => {
  assert.deepEqual(await healthCheck(200, '{"ready":true}'), { code: 0, said: '{"ready":true}\n' })
  const stopping = '{"ready":false,"reasons":["stopping"]}'
  assert.deepEqual(await healthCheck(503, stopping), { code: 1, said: `${stopping}\n` })
})
