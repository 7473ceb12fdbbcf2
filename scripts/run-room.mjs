// In a process of its own: runs compiled test files one after the other, each as a suite that is named after it.
import { describe } from 'node:test'

/** What a file declares runs when the files before it are through. One that throws while it loads is a suite that fails. */
export async function runRoom(paths) {
  for (const path of paths)
    await new Promise((loaded) => describe(path, () => import(`../${path}`).finally(loaded)))
}
