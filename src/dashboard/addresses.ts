import type { Mode } from '../platform/mode.ts'

/** The path of the dashboard, and the prefix of its paths in test mode. */
export const BASE = '/dashboard'
export const TEST = '/test'

/** Parses the path of a page out of an address, without base, mode and query: `/charges/txn_...`. */
export function pathIn(here: string, base: string): string {
  const path = (here.split('?', 1)[0] ?? here).slice(base.length)
  const rest = path === TEST || path.startsWith(`${TEST}/`) ? path.slice(TEST.length) : path
  return rest === '' ? '/' : rest
}

/** The address of a page in a mode. `base`: the path under which the reader sees the pages; staff see them under the console. */
export const addressIn = (mode: Mode, path: string, base = BASE): string =>
  `${base}${mode === 'test' ? TEST : ''}${path === '/' ? '' : path}`

/** The mode of the pages under a prefix. */
export const modeOf = (prefix: string): Mode => (prefix === TEST ? 'test' : 'live')
