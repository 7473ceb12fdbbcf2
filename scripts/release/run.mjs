import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const MAX_MS = 300_000

// `npm run` tells every npm below it how to speak and what to omit.
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))

/** What a program of this machine printed. Throws its last words when it fails, is not there, or takes longer than five minutes. */
export function run(program, words, { cwd, input, timeout = MAX_MS, env = ENVIRONMENT } = {}) {
  const ended = spawnSync(program, words, { cwd, input, env, timeout, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' })
  if (ended.status === 0) return ended.stdout
  const why = ended.error?.message ?? `${ended.stderr}${ended.stdout}`.trim().split('\n').slice(-12).join('\n')
  throw new Error(`${program} ${words.join(' ')} failed: ${why}`)
}

/** The same while other work of this process goes on. */
export const runBeside = (program, words, options) =>
  promisify(execFile)(program, words, { timeout: MAX_MS, maxBuffer: MAX_OUTPUT_BYTES, ...options })
