/** The path below which every page of the console lies. */
export const BASE = '/console'

/** Takes base and query off an address: `/merchants/mer_...`. */
export const pathIn = (here: string): string => (here.split('?', 1)[0] ?? here).slice(BASE.length) || '/'

/** Puts the base of the console before a path. */
export const addressOf = (path: string): string => (path === '/' ? BASE : `${BASE}${path}`)
