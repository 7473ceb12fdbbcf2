// Runs every compiled *.test.js (or those whose path contains one of the words given) under node's own runner.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { report } from './reporter.mjs'
import { goneAmong, sortIntoRooms } from './rooms.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const ENDING = '.test.js'
const BROWSER_TESTS = 'test/pages/'
// Two keep two processors busy; beside them are those that mostly wait.
const BUSY_AT_ONCE = 2
const WAITING_AT_ONCE = 3
const SLEEPING_AT_ONCE = 2
// A larger place for young objects: a tenth less time for tests that open and close services all the time.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`

const words = process.argv.slice(2)
const all = ['src', 'test'].flatMap(testsIn)
const names = all.filter((name) => words.length === 0 || words.some((word) => pathOf(name).includes(word)))
if (names.length === 0) refuse(`no test file matches ${words.join(' ')}`)
for (const name of goneAmong(all)) refuse(`scripts/rooms.mjs names ${name}, and there is no such test`)
// Before the run: its own closing lines are the last that is said.
await sayWhatWasSkipped(names.filter((name) => name.startsWith(BROWSER_TESTS)))
const entries = mkdtempSync(join(tmpdir(), 'gateway-rooms-'))
try {
  const { alone, sleeping, waiting, busy } = sortIntoRooms(names)
  const first = runAll({ kind: 'alone', rooms: alone, atOnce: 1 })
  const others = [
    runAll({ kind: 'sleeping', rooms: sleeping, atOnce: SLEEPING_AT_ONCE }),
    runAll({ kind: 'waiting', rooms: waiting, atOnce: WAITING_AT_ONCE, after: first }),
    runAll({ kind: 'busy', rooms: busy, atOnce: BUSY_AT_ONCE, after: first }),
  ]
  for await (const line of report([first, ...others], names.map(pathOf))) process.stdout.write(line)
} finally {
  rmSync(entries, { recursive: true })
}

function refuse(why) {
  console.error(why)
  process.exit(1)
}

/** As `test/journeys/charge`. */
function testsIn(folder) {
  const paths = readdirSync(join(dist, folder), { recursive: true })
  const tests = paths.filter((path) => path.endsWith(ENDING)).sort()
  return tests.map((path) => `${folder}/${path.replaceAll('\\', '/').slice(0, -ENDING.length)}`)
}

function pathOf(name) {
  return `dist/${name}${ENDING}`
}

/** The events of these rooms, begun when those of `after` have ended. A room is a file to the runner of Node: a process. */
function runAll({ kind, rooms, atOnce: concurrency, after }) {
  const events = new PassThrough({ objectMode: true })
  const files = rooms.map((room, nth) => writeEntry(`${kind}-${nth + 1}.mjs`, room.map(pathOf)))
  const begin = () => {
    if (files.length === 0) return void events.end()
    run({ files, concurrency })
      .on('test:fail', () => {
        process.exitCode = 1
      })
      .pipe(events)
  }
  if (after === undefined) begin()
  else after.on('end', begin)
  return events
}

function writeEntry(name, paths) {
  const path = join(entries, name)
  const runRoom = pathToFileURL(join(root, 'scripts', 'run-room.mjs')).href
  writeFileSync(
    path,
    `import { runRoom } from '${runRoom}'\nawait runRoom(${JSON.stringify(paths, null, 2)})\n`,
  )
  return path
}

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
