/** Where the console begins. */
export const BASE = '/console'

/** The path of a page without base and query: `/merchants/mer_...`. */
export const pathIn = (here: string): string => (here.split('?', 1)[0] ?? here).slice(BASE.length) || '/'

/** The address of a path. */
export const addressOf = (path: string): string => (path === '/' ? BASE : `${BASE}${path}`)
