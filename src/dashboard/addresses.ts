/** Where the dashboard begins, and what stands before the paths of test mode. */
export const BASE = '/dashboard'
export const TEST = '/test'

/** The path of a page without base, mode and query: `/charges/txn_...`. */
export function pathIn(here: string): string {
  const path = (here.split('?', 1)[0] ?? here).slice(BASE.length)
  const rest = path === TEST || path.startsWith(`${TEST}/`) ? path.slice(TEST.length) : path
  return rest === '' ? '/' : rest
}

/** The address of a path in a mode. */
export const addressIn = (mode: 'test' | 'live', path: string): string =>
  `${BASE}${mode === 'test' ? TEST : ''}${path === '/' ? '' : path}`
