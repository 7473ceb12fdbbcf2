// What `npm test` does: types, formatter, lint and a look for exports that nobody imports, then the short tests. With `--since REF` lint looks only at what has changed since
// that commit, and only the tests that reach a change run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changedSince } from './reached.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
const since = words.indexOf('--since')
const LOOKED_AT = /\.(tsx?|mjs|json|css|js)$/

const codes = await Promise.all([node('scripts/build.mjs'), lint(), unused()])
process.exit(codes.find((code) => code !== 0) ?? (await node('scripts/run-tests.mjs', '--short', ...words)))

function lint() {
  const looked = since === -1 ? ['.'] : changed(words[since + 1] ?? '')
  return looked.length === 0
    ? 0
    : run(join(root, 'node_modules', '.bin', 'biome'), 'ci', '--colors=off', '--no-errors-on-unmatched', ...looked)
}

/** Files, exports and packages that nobody uses. With `--since` it is left to the whole run. */
function unused() {
  return since === -1 ? run(join(root, 'node_modules', '.bin', 'knip'), '--no-progress') : 0
}

function changed(ref) {
  try {
    return changedSince(root, ref).filter((path) => LOOKED_AT.test(path) && existsSync(join(root, path)))
  } catch {
    // The tests say what is wrong with it.
    return []
  }
}

function node(...args) {
  return run(process.execPath, ...args)
}

async function run(program, ...args) {
  const [code] = await once(spawn(program, args, { cwd: root, stdio: 'inherit' }), 'exit')
  return code ?? 1
}
