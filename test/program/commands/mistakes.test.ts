import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { hasForbiddenControl } from '../../../src/platform/text/text.ts'
import { assertRefused } from '../../helpers/service/command-line.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'gateway.mjs')

const service = opened(() => startService())
const { run } = commandsOn(service)

test('C22: control characters in what is given to a command are refused by name, and nothing is written', async () => {
  const { handle } = await service.merchant()
  const before = await service.digest()
  const create = ['merchants', 'create', '--email', 'e@shops.invalid', '--name']
  const cases: [string[], RegExp][] = [
    [[...create, 'Shop\u001b[2J'], /^--name contains control characters\n$/],
    [[...create, 'Two\nlines'], /^--name contains control characters\n$/],
    [['storefront', 'add', handle, '--name', 'Tea\u0007', '--amount', '1000'], /^--name contains control/],
    [['payouts', 'freeze', '--reason', 'drill\r\nfake line'], /^--reason contains control/],
    [['merchants', 'show', 'x\u009b31m'], /^x31m contains control characters\n$/],
    [['exc\u001b', 'x'], /^there is no command exc x\n/],
  ]
  for (const [args, says] of cases) {
    const ran = await run(...args)
    assertRefused(ran, { code: 2, says })
    const line = ran.stderr.replaceAll('\n', '')
    assert.ok(!hasForbiddenControl(line, false), 'nothing acts on the terminal')
  }
  assert.equal(await service.digest(), before)
  const lines = await run('storefront', 'add', handle, '--name', 'Tea', '--amount', '1000', '--description', 'A\nB')
  assert.equal(lines.code, 0, lines.stderr)
})

test('C22: an unknown withdrawal or exception is told as such', async () => {
  const unknown = 'aaaaa0123456789abcdef'
  assertRefused(await run('withdrawals', 'approve', '--id', `pout_${unknown}`), {
    code: 1,
    says: /^withdrawal not found\n$/,
  })
  assertRefused(await run('exceptions', 'resolve', '--id', `exc_${unknown}`, '--note', 'n'), {
    code: 1,
    says: /^exception not found\n$/,
  })
  assertRefused(await run('merchants', 'show', 'nobody'), {
    code: 1,
    says: /^there is no merchant called nobody\n$/,
  })
})

const canMount = process.platform === 'linux' && process.getuid?.() === 0

for (const [size, when] of [
  ['4k', 'before anything is there'],
  ['30m', 'while PostgreSQL is set up'],
] as const)
  test(`C22: a start on a disk that is full ${when} ends with a sentence`, {
    skip: !canMount && 'only root on Linux can mount a small disk',
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'full-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const script = `mount -t tmpfs -o size=${size},mode=0711 tmpfs "$0" || exit 77; exec "$@"`
    const child = spawn('unshare', ['--mount', 'sh', '-c', script, folder, process.execPath, PROGRAM, 'serve'], {
      env: { PATH: process.env.PATH ?? '', DATA_DIR: folder, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    if (code === 77) return t.skip('a small disk cannot be mounted here')
    assert.equal(code, 1, stderr)
    assert.match(stderr, /disk is full/)
    assert.doesNotMatch(stderr, /^\s+at /m, 'no stack')
  })
