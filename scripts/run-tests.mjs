// Runs every compiled *.test.js (or those whose path contains one of the words given) under node's own runner.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scripts = join(root, 'scripts')
const BROWSER_TESTS = join('test', 'pages')
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
// Before the run: its own closing lines are the last that is said.
await sayWhatWasSkipped(files.filter((file) => relative(root, file).includes(BROWSER_TESTS)))
const times = mkdtempSync(join(tmpdir(), 'gateway-times-'))
const run = spawnSync(
  process.execPath,
  [
    ...['--import', pathToFileURL(join(scripts, 'note-time.mjs')).href],
    ...['--test', '--test-concurrency=2'],
    ...[
      '--test-reporter',
      pathToFileURL(join(scripts, 'reporter.mjs')).href,
      '--test-reporter-destination=stdout',
    ],
    ...files,
  ],
  { stdio: 'inherit', cwd: root, env: { ...process.env, TEST_TIMES: join(times, 'files') } },
)
rmSync(times, { recursive: true })
process.exit(run.status ?? 1)

/** Without a browser the tests that need one skip themselves; one line says so. */
async function sayWhatWasSkipped(browserTests) {
  if (browserTests.length === 0) return
  const { findChromium, INSTALL_CHROMIUM } = await import('../dist/test/pages/find-chromium.js')
  if (findChromium() !== null) return
  const what = `${browserTests.length} files of browser tests (${BROWSER_TESTS})`
  console.log(
    `SKIPPED for want of a browser: ${what}. Install one with \`${INSTALL_CHROMIUM}\`, or name it in CHROMIUM_PATH.`,
  )
}
