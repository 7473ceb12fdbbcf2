import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { classifyProcess, signalIfThere } from '../../../src/platform/embedded-postgres/process-identity.ts'

export const IS_ROOT = process.getuid?.() === 0

// A child process that joins, prints the server it got, and leaves when its input ends.
const PARTICIPANT = `
const { joinEmbeddedPostgres } = await import(process.argv[1])
const server = await joinEmbeddedPostgres({ dataDir: process.argv[2], say: () => {} })
console.log(JSON.stringify({ pid: server.pid, startedHere: server.startedHere, url: server.url('postgres') }))
process.stdin.resume().on('end', async () => { await server.leave(); process.exit(0) })
`
const MODULE = new URL('../../../src/platform/embedded-postgres.js', import.meta.url).href

type Joined = { pid: number; startedHere: boolean; url: string }

export function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-'))
  if (IS_ROOT) execFileSync('chmod', ['711', folder])
  t.after(() => discard(folder))
  return join(folder, 'data')
}

export function secretFolder(t: TestContext): string {
  const folder = join(folderFor(t), '..', 'secret')
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Stops a server that a failed test has left running, and removes its folder. */
async function discard(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('postmaster.pid'))
  for (const file of files) {
    const pid = Number(readFileSync(join(folder, file), 'utf8').split('\n')[0])
    if (classifyProcess(join(folder, file, '..'), pid) === 'postgres') signalIfThere(pid, 'SIGQUIT')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

export function startParticipant(t: TestContext, dataDir: string): ChildProcess {
  const args = ['--input-type=module', '-e', PARTICIPANT, MODULE, dataDir]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  return child
}

export async function participant(t: TestContext, dataDir: string): Promise<{ process: ChildProcess; joined: Joined }> {
  const child = startParticipant(t, dataDir)
  assert.ok(child.stdout)
  const [line] = await once(createInterface(child.stdout), 'line')
  return { process: child, joined: JSON.parse(line) }
}

export async function leave(child: ChildProcess): Promise<void> {
  child.stdin?.end()
  assert.deepEqual(await once(child, 'exit'), [0, null])
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export function isServing(dataDir: string, pid: number): boolean {
  return classifyProcess(join(dataDir, 'postgres'), pid) === 'postgres'
}
