import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { runCommand } from '../../../src/program/commands/frame/run-command.ts'
import type { TestService } from './test-service.ts'

export type Ran = { code: number | null; stdout: string; stderr: string }

type ProgramWorld = { settings?: Record<string, string>; input?: string }

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')

/** Runs a command line in this process with only these settings. */
export async function runInside(args: readonly string[], settings: Record<string, string>): Promise<Ran> {
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  const out = (text: string) => {
    ran.stdout += text
  }
  const err = (text: string) => {
    ran.stderr += text
  }
  const runService = () => assert.fail('the service is not run inside a test')
  ran.code = await runCommand(args, { environment: settings, streams: { out, err }, runService })
  return ran
}

/** Runs the program as a real child process that sees only these settings, with this text on its standard input. */
export function runProgram(args: readonly string[], settings: Record<string, string>, input = ''): Promise<Ran> {
  return runProgramAt(ROOT, args, { settings, input })
}

/** The same for another checkout. */
export const runProgramAt = (root: string, args: readonly string[], world: ProgramWorld = {}): Promise<Ran> =>
  runFile(join(root, 'bin', 'gateway.mjs'), args, world)

/** Runs a program of Node as a real child process that sees only these settings, with this text on its standard input. */
export function runFile(
  program: string,
  args: readonly string[],
  { settings = {}, input = '' }: ProgramWorld = {},
): Promise<Ran> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...settings }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  // A program may end without reading its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    ran.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    ran.stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...ran, code }))
  })
}

/** The single JSON value on standard output; fails when there is more output, the command failed, or a name in it is not snake_case. */
export function oneJson(ran: Ran, code = 0): any {
  assert.equal(ran.code, code, ran.stderr || ran.stdout)
  const lines = ran.stdout.split('\n')
  assert.equal(lines.length, 2, `one line of JSON and its end: ${ran.stdout}`)
  assert.equal(lines[1], '')
  return JSON.parse(lines[0] ?? '', (name, value) => {
    // A task is written as it is called: `settle-charges`.
    assert.match(name, /^[^A-Z]*$/, 'names in the answers of commands are snake_case')
    return value
  })
}

/** Fails unless the command refused: a sentence on standard error, nothing on standard output. */
export function assertRefused(ran: Ran, { code, says }: { code: number; says: RegExp }): void {
  assert.equal(ran.code, code, `${ran.stdout}${ran.stderr}`)
  assert.equal(ran.stdout, '')
  assert.match(ran.stderr, says)
  assert.doesNotMatch(ran.stderr, /^\s+at /m, 'a sentence, no stack')
}

/** The settings a command needs to work on the database of this service. */
export const settingsOf = ({ database }: TestService): Record<string, string> => ({
  DATABASE_URL: database.url,
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
})
