import type { Mode } from '../../platform/mode.ts'

/** The path of the dashboard, and the prefix of its paths in test mode. */
export const DASHBOARD_BASE = '/dashboard'
export const TEST_PREFIX = '/test'

/** Parses the path of a page out of an address, without base, mode and query: `/charges/txn_...`. */
export function parsePagePath(here: string, base: string): string {
  const path = (here.split('?', 1)[0] ?? here).slice(base.length)
  const rest = path === TEST_PREFIX || path.startsWith(`${TEST_PREFIX}/`) ? path.slice(TEST_PREFIX.length) : path
  return rest === '' ? '/' : rest
}

/** The address of a page in a mode. `base`: the path under which the reader sees the pages; staff see them under the console. */
export const addressIn = (mode: Mode, path: string, base = DASHBOARD_BASE): string =>
  `${base}${mode === 'test' ? TEST_PREFIX : ''}${path === '/' ? '' : path}`

/** The mode of the pages under a prefix. */
export const modeOf = (prefix: string): Mode => (prefix === TEST_PREFIX ? 'test' : 'live')
