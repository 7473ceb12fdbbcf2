// In a process of its own: runs compiled test files one after the other, each as a suite that is named after it.
import { before, describe } from 'node:test'

// The longest takes ten minutes. A test that fails and leaves something open would keep the process for ever.
const LONGEST_SECONDS = Number(process.env.TEST_FILE_SECONDS ?? 15 * 60)

// What has not begun by then does not begin. In ms.
const BEGINS_BEFORE = Number(process.env.TEST_BEGINS_BEFORE ?? Infinity)
const TOO_LATE = 'the time of the run was over'

/**
 * What a file declares runs when the files before it are through. One that throws while it loads is a suite that fails. Nothing runs before all
 * are loaded: a file that reads the whole source while it loads would hold up the transactions of the one that runs.
 */
export async function runRoom(paths) {
  limit(paths[0])
  let begin
  const loaded = new Promise((resolve) => {
    begin = resolve
  })
  before(() => loaded)
  for (const path of paths)
    if (Date.now() < BEGINS_BEFORE) await new Promise((next) => describe(path, () => load(path).finally(next)))
    else describe(path, { skip: TOO_LATE }, () => {})
  begin()
}

/** Helpers of tests ask whose set-up they are declaring. */
function load(path) {
  process.env.TEST_FILE = path
  before(() => limit(path))
  return import(`../${path}`)
}

let limited

/** Each file has the whole time, however many stand before it in the room. */
function limit(path) {
  clearTimeout(limited)
  limited = setTimeout(giveUp, LONGEST_SECONDS * 1000, path).unref()
}

function giveUp(path) {
  const held = [...new Set(process.getActiveResourcesInfo())].join(', ')
  console.error(`${path}: after ${LONGEST_SECONDS} seconds still open: ${held}`)
  process.exit(1)
}
