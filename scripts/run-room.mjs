// In a process of its own: runs compiled test files one after the other, each as a suite that is named after it.
import { describe } from 'node:test'

// Ten times what the longest takes. A test that fails and leaves something open would keep the process for ever.
const LONGEST_MS = 15 * 60_000

/** What a file declares runs when the files before it are through. One that throws while it loads is a suite that fails. */
export async function runRoom(paths) {
  setTimeout(() => giveUp(paths), LONGEST_MS).unref()
  for (const path of paths) await new Promise((loaded) => describe(path, () => load(path).finally(loaded)))
}

/** Helpers of tests ask whose set-up they are declaring. */
function load(path) {
  process.env.TEST_FILE = path
  return import(`../${path}`)
}

function giveUp(paths) {
  const held = [...new Set(process.getActiveResourcesInfo())].join(', ')
  console.error(`after ${LONGEST_MS / 60_000} minutes still open: ${held}. Of ${paths.join(', ')}`)
  process.exit(1)
}
