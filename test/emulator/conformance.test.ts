import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

// Clients that others wrote run against the emulator wherever they are installed (npm run conformance installs them).
const FOLDER = fileURLToPath(new URL('../../../conformance', import.meta.url))
const skip = existsSync(`${FOLDER}/node_modules`) ? false : 'the clients of conformance/ are not installed'

test('published clients of the operator work against the emulator, unmodified', { skip }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['main.mjs'], {
    cwd: FOLDER,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
  assert.match(stdout, /[0-9]{3} checks passed, 0 failed/)
})
