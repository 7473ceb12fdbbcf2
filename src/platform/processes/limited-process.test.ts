import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { longTest, test } from '../../../test/helpers/service/parts.ts'
import { runLimitedProcess } from './limited-process.ts'

// A name that an address writes in another way.
const folder = mkdtempSync(join(tmpdir(), 'limited process é#-'))
after(() => rmSync(folder, { recursive: true }))

function script(name: string, text: string): URL {
  const path = join(folder, `${name}.mjs`)
  writeFileSync(path, text)
  return pathToFileURL(path)
}

const LIMITS = { seconds: 10, megabytes: 4096, mostBytes: 1000 }
const SAYS = `process.stdout.write('made')`

test('a process answers what it writes, and knows nothing of ours', async () => {
  const echo = script('echo', `process.stdin.pipe(process.stdout)`)
  assert.equal((await runLimitedProcess(echo, [Buffer.from('a'), Buffer.from('b')], LIMITS))?.toString(), 'ab')
  const names = script('names', `process.stdout.write(JSON.stringify([Object.keys(process.env), process.cwd()]))`)
  const [known, at] = JSON.parse(String(await runLimitedProcess(names, [], LIMITS)))
  assert.equal(at, '/')
  // What the shell itself sets.
  assert.deepEqual(
    known.filter((name: string) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)),
    [],
  )
})

longTest('one that hangs is killed, whatever it has written so far', async () => {
  const sleeps = script('sleeps', `${SAYS}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`)
  const began = performance.now()
  assert.equal(await runLimitedProcess(sleeps, [], { ...LIMITS, seconds: 1 }), null)
  assert.ok(performance.now() - began < 5000)
  const spins = script('spins', `for (;;);`)
  assert.equal(await runLimitedProcess(spins, [], { ...LIMITS, seconds: 1 }), null)
})

longTest('one that fails, takes too much memory, writes too much or writes a file answers nothing', async () => {
  const cases: [string, string][] = [
    ['fails', `${SAYS}; process.exitCode = 1`],
    ['says nothing', ''],
    ['memory', `${SAYS}; for (let at = 0; at < 64; at += 1) globalThis['b' + at] = Buffer.alloc(128 * 1024 * 1024, 1)`],
    ['talks', `process.stdout.write('x'.repeat(1001))`],
    [
      'files',
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(folder, 'made'))}, 'x'); ${SAYS}`,
    ],
  ]
  for (const [name, text] of cases)
    assert.equal(await runLimitedProcess(script(name.replace(' ', '-'), text), [], LIMITS), null, name)
})
