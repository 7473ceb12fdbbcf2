import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { FAULT_NAMES } from '../../emulator/faults.ts'
import { readRules } from '../../emulator/read-rules.ts'

// docs/emulator.md is true: its walk works word by word with the program, its rules are rules, and no fault is missing.
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MANUAL = readFileSync(join(ROOT, 'docs', 'emulator.md'), 'utf8')
const MAIN = join(ROOT, 'dist', 'emulator', 'main.js')
const chapter = (title: string) => MANUAL.split(/^## /m).find((text) => text.startsWith(title)) ?? ''
const blocksOf = (text: string) => [...text.matchAll(/^```\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)

/** A port that was free a moment ago: 0 stands for no control plane. */
async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

/** The program itself: the addresses that it prints. */
async function startProgram() {
  const ports = ['--port', '0', '--control-port', await freePort()]
  const child = spawn(process.execPath, [MAIN, '--clock', 'virtual', ...ports])
  const said: string[] = []
  for await (const line of createInterface(child.stdout)) {
    said.push(line)
    if (line.startsWith('seed')) break
  }
  const addressOf = (name: string) => said.find((line) => line.startsWith(name))?.match(/http:\S+/)?.[0] ?? ''
  return {
    said,
    operator: addressOf('operator'),
    control: addressOf('control'),
    stop: () =>
      new Promise<number | null>((resolve) => {
        child.once('exit', (code) => resolve(code))
        child.kill('SIGTERM')
      }),
  }
}

test('the walk with curl ends as the manual says, and the program prints its addresses and seed', async () => {
  const program = await startProgram()
  const folder = mkdtempSync(join(tmpdir(), 'walk-'))
  try {
    assert.deepEqual(
      program.said.map((line) => line.split(' ')[0]),
      ['operator', 'control', 'credentials', 'seed'],
    )
    const script = blocksOf(chapter('A walk with curl')).join('\n')
    const here = script
      .replaceAll('http://127.0.0.1:8091/__emu', program.control)
      .replaceAll('http://127.0.0.1:8090', program.operator)
    const { stdout, stderr } = spawnSync('bash', ['-c', here], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 30_000,
    })
    assert.match(stdout, /^202\n/, stderr)
    for (const said of [
      '"status":"FAILED","reason":"APPROVAL_REJECTED"',
      '"moves":0',
      '"answer":202',
      'rail_transaction_id,',
    ])
      assert.ok(stdout.includes(said), `${said} in ${stdout}`)
  } finally {
    rmSync(folder, { recursive: true })
    assert.equal(await program.stop(), 0)
  }
})

test('--help tells every option of the manual, and a wrong value is refused with a sentence', () => {
  const run = (...words: string[]) => spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' })
  const help = run('--help').stdout
  const options = [...chapter('Start').matchAll(/`(--[a-z-]+)`/g)].map(([, option = '']) => option)
  assert.ok(options.length > 10)
  for (const option of options) assert.ok(help.includes(`${option} `), option)
  const { status, stderr } = run('--profile', 'mars')
  assert.deepEqual([status, stderr], [2, '--profile is sandbox, mtnuganda, bench\n'])
})

test('the manual names every fault, and its rules are rules', () => {
  const faults = chapter('Faults')
  for (const name of FAULT_NAMES) assert.ok(faults.includes(`\`${name}\``), `${name} is not in the table of faults`)
  const [rules = ''] = blocksOf(chapter('Rules'))
  assert.equal(readRules(JSON.parse(rules)).length, 5)
})
