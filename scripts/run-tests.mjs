// Runs compiled test files under node's own runner:
//   run-tests.mjs WORD ...           all tests of the files with one of these words in their path; without a word, of all files
//   run-tests.mjs --short            what `npm test` runs; --long: what `npm run test:long` runs (scripts/long-tests.mjs)
//   run-tests.mjs --drills           what `npm run test:drills` runs
//   run-tests.mjs --short --since REF    only files that reach what has changed since this commit (scripts/reached.mjs)
//   run-tests.mjs --again ...        a file that fails is run once more by itself; if it passes then, it is named as unsteady
//   run-tests.mjs --apart SECONDS ...    each file in a process of its own, which ends after so many seconds, and what skips says why at the end
//   run-tests.mjs --within SECONDS ...   a file that has not begun by then is named and not run; each day others are the last
//   run-tests.mjs --without FILE ...     without this one
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { filesOf, goneFrom } from './long-tests.mjs'
import { changedRoutes, changedSince, reachedBy } from './reached.mjs'
import { report } from './reporter.mjs'
import { goneAmong, sortIntoRooms } from './rooms.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const ENDING = '.test.js'
// They are about money, and ask for a page now and then: not for its own sake.
const KILLS = /^test\/(crash|races|soak)\//
const BROWSER_TESTS = 'test/web/browser/'
// Two keep two processors busy; beside them are those that mostly wait.
const BUSY_AT_ONCE = 2
const WAITING_AT_ONCE = 2
const SLEEPING_AT_ONCE = 1
// A larger place for young objects: a tenth less time for tests that open and close services all the time.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`

// One follows a guide of an hour by hand.
const DRILL_SECONDS = 30 * 60
const DAY_MS = 86_400_000
// What a room has loaded it runs: where the time is limited, rooms are small.
const FILES_IN_TIME = 4
// In so many days each third of the files was once first.
const TURNS = 3
const PARTS = ['short', 'long', 'drills']
const { values, positionals: words } = readWords()
const part = PARTS.find((name) => values[name]) ?? 'all'
// Helpers of tests ask for it (test/helpers/service/parts.ts).
process.env.TEST_PART = part
// A room asks for it (run-room.mjs).
if (part === 'drills') process.env.TEST_FILE_SECONDS = String(DRILL_SECONDS)
if (values.apart !== undefined) process.env.TEST_FILE_SECONDS = values.apart
if (values.within !== undefined) process.env.TEST_BEGINS_BEFORE = String(Date.now() + Number(values.within) * 1000)
const all = ['src', 'test'].flatMap(testsIn)
for (const name of [...goneAmong(all), ...goneFrom(all)])
  refuse(`a list of scripts/ names ${name}, and there is no such test`)
const names = turned(since(matching(part === 'all' ? all : filesOf(part, all))))
// Before the run: its own closing lines are the last that is said.
await sayWhatWasSkipped(names.filter((name) => name.startsWith(BROWSER_TESTS)))
const entries = mkdtempSync(join(tmpdir(), 'gateway-rooms-'))
try {
  const runs = names.length === 0 ? [] : runsOf(names)
  const again = values.again ? runAgain : null
  for await (const line of report(runs, names.map(pathOf), { again, tellsSkipped: values.apart !== undefined }))
    process.stdout.write(line)
} finally {
  rmSync(entries, { recursive: true })
}

function readWords() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        short: { type: 'boolean' },
        long: { type: 'boolean' },
        drills: { type: 'boolean' },
        again: { type: 'boolean' },
        apart: { type: 'string' },
        within: { type: 'string' },
        without: { type: 'string', multiple: true, default: [] },
        since: { type: 'string' },
      },
    })
  } catch (error) {
    return refuse(
      `${error.message.split('\n')[0]} Known: --since REF, --again, --apart SECONDS, --within SECONDS, --without FILE, and words of paths of test files.`,
    )
  }
}

function refuse(why) {
  console.error(why)
  process.exit(1)
}

function matching(some) {
  const matched = some.filter(
    (name) =>
      !values.without.includes(name) && (words.length === 0 || words.some((word) => pathOf(name).includes(word))),
  )
  if (matched.length === 0) refuse(`no test file matches ${words.join(' ')}`)
  return matched
}

/** With --since: those that reach something changed, and a line for each that says what. */
function since(some) {
  if (values.since === undefined) return some
  const changed = changedSinceOrRefuse(values.since)
  const routes = changedRoutes(root, changed)
  const reached = reachedBy(root, changed, routes === null ? some : some.filter((name) => !KILLS.test(name)))
  if (routes !== null) {
    process.env.TEST_ROUTES = routes.join(' ')
    console.log(`walks over all pages look at those of ${routes.join(', ')}; no kills and no races`)
  }
  console.log(`${reached.size} of ${some.length} test files reach what has changed since ${values.since}`)
  for (const [name, paths] of reached)
    console.log(`  ${name}: ${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ', ...' : ''}`)
  return [...reached.keys()]
}

function changedSinceOrRefuse(ref) {
  try {
    return changedSince(root, ref)
  } catch (error) {
    return refuse(`git does not say what has changed since ${ref}: ${String(error.stderr ?? error.message).trim()}`)
  }
}

/** Where not all may have their turn, the day says who comes first. */
function turned(some) {
  if (values.within === undefined) return some
  const first = (Math.floor(Date.now() / DAY_MS) * Math.ceil(some.length / TURNS)) % some.length
  return [...some.slice(first), ...some.slice(0, first)]
}

/** As `test/payments/charges/charge`. */
function testsIn(folder) {
  const paths = readdirSync(join(dist, folder), { recursive: true })
  const tests = paths.filter((path) => path.endsWith(ENDING)).sort()
  return tests.map((path) => `${folder}/${path.replaceAll('\\', '/').slice(0, -ENDING.length)}`)
}

function pathOf(name) {
  return `dist/${name}${ENDING}`
}

function runsOf(some) {
  const { alone, sleeping, waiting, busy } = sortIntoRooms(some, {
    ...{ atOnce: BUSY_AT_ONCE, pathOf },
    shortOnly: part === 'short',
    largest: values.apart !== undefined ? 1 : values.within !== undefined ? FILES_IN_TIME : undefined,
    asNamed: values.within !== undefined,
  })
  const first = runAll({ kind: 'alone', rooms: alone, atOnce: 1 })
  return [
    first,
    runAll({ kind: 'sleeping', rooms: sleeping, atOnce: SLEEPING_AT_ONCE }),
    runAll({ kind: 'waiting', rooms: waiting, atOnce: WAITING_AT_ONCE, after: first }),
    runAll({ kind: 'busy', rooms: busy, atOnce: BUSY_AT_ONCE, after: first }),
  ]
}

/** One file by itself, by the path of what was compiled. */
function runAgain(path) {
  return runAll({ kind: `again-${path.replaceAll('/', '-')}`, rooms: [[path]], atOnce: 1 })
}

/** The events of these rooms, begun when those of `after` have ended. A room is a file to the runner of Node: a process. */
function runAll({ kind, rooms, atOnce: concurrency, after }) {
  const events = new PassThrough({ objectMode: true })
  const files = rooms.map((room, nth) => writeEntry(`${kind}-${nth + 1}.mjs`, room))
  const begin = () => {
    if (files.length === 0) return void events.end()
    run({ files, concurrency }).pipe(events)
  }
  if (after === undefined) begin()
  else after.on('end', begin)
  return events
}

function writeEntry(name, room) {
  const path = join(entries, name)
  const runRoom = pathToFileURL(join(root, 'scripts', 'run-room.mjs')).href
  writeFileSync(path, `import { runRoom } from '${runRoom}'\nawait runRoom(${JSON.stringify(room, null, 2)})\n`)
  return path
}

/** Without a browser the tests that need one skip themselves; one line says so. */
async function sayWhatWasSkipped(browserTests) {
  if (browserTests.length === 0) return
  const { findChromium, INSTALL_CHROMIUM } = await import('../dist/test/web/browser/find-chromium.js')
  if (findChromium() !== null) return
  const what = `${browserTests.length} files of browser tests (${BROWSER_TESTS})`
  console.log(
    `SKIPPED for want of a browser: ${what}. Install one with \`${INSTALL_CHROMIUM}\`, or name it in CHROMIUM_PATH.`,
  )
}
