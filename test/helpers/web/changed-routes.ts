import { join } from 'node:path'

// With `--since`, where only pages of some sections have changed: the files that declare them (scripts/reached.mjs).
const FILES = process.env.TEST_ROUTES?.split(' ')
/** Whether walks look at every page. */
export const LOOKS_AT_ALL = FILES === undefined
const DIST = join(import.meta.dirname, '..', '..', '..')

/** Of all routes of a surface those that a walk over its pages looks at in this run: all of them, or those that may have changed. */
export async function routesOfThisRun<Route>(all: readonly Route[]): Promise<readonly Route[]> {
  if (FILES === undefined) return all
  const modules = await Promise.all(
    FILES.map((path) => import(join(DIST, path.replace(/\.tsx?$/, '.js'))) as Promise<object>),
  )
  const changed = new Set<unknown>(modules.flatMap((module) => Object.values(module)).flat())
  return all.filter((route) => changed.has(route))
}
