import type { Mode } from '../platform/mode.ts'

/** Where the dashboard begins, and what stands before the paths of test mode. */
export const BASE = '/dashboard'
export const TEST = '/test'

/** The path of a page without base, mode and query: `/charges/txn_...`. */
export function pathIn(here: string, base: string): string {
  const path = (here.split('?', 1)[0] ?? here).slice(base.length)
  const rest = path === TEST || path.startsWith(`${TEST}/`) ? path.slice(TEST.length) : path
  return rest === '' ? '/' : rest
}

/** The address of a path in a mode; `base`: where the pages begin for whoever looks at them. */
export const addressIn = (mode: Mode, path: string, base = BASE): string =>
  `${base}${mode === 'test' ? TEST : ''}${path === '/' ? '' : path}`

/** The mode of the pages behind a prefix. */
export const modeOf = (prefix: string): Mode => (prefix === TEST ? 'test' : 'live')
