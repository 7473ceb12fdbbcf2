// Runs every compiled *.test.js (or those whose path contains one of the words given) under node's own runner.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)

function tests(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return tests(path)
    return entry.name.endsWith('.test.js') ? [path] : []
  })
}

const files = tests(join(root, 'dist')).filter(
  (f) => words.length === 0 || words.some((w) => relative(root, f).includes(w)),
)
if (files.length === 0) {
  console.error(`no test file matches ${words.join(' ')}`)
  process.exit(1)
}
const run = spawnSync(process.execPath, ['--test', '--test-concurrency=2', ...files], {
  stdio: 'inherit',
  cwd: root,
})
process.exit(run.status ?? 1)
