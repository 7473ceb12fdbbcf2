import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const CANNOT_RUN = 3
const MAX_MS = 28 * 60_000

/** Runs a drill; it is ended, with what it started, when it takes too long. */
async function drill(name: string): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [join('scripts', 'drill.mjs'), name], { cwd: ROOT, timeout: MAX_MS })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  const [code] = await once(child, 'close')
  return { code: code ?? -1, said }
}

/** Skips the test where the drill cannot run. */
export async function passes(t: TestContext, name: string): Promise<void> {
  const { code, said } = await drill(name)
  if (code === CANNOT_RUN) return t.skip(said.trim())
  assert.equal(code, 0, said)
  t.diagnostic(said)
}
