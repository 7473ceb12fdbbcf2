// Installs the clients of conformance/ in their own folder, where they are missing, and runs them against the emulator.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../conformance', import.meta.url))
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']

if (!existsSync(join(folder, 'node_modules')) && !run('npm', ...INSTALL)) {
  console.log('conformance: skipped, the clients could not be installed (no network, or no package registry)')
  process.exit(0)
}
process.exit(run(process.execPath, 'main.mjs') ? 0 : 1)

function run(command, ...args) {
  return spawnSync(command, args, { cwd: folder, stdio: 'inherit' }).status === 0
}
