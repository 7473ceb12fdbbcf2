/** The path below which every page of the console lies. */
export const CONSOLE_BASE = '/console'

/** Takes base and query off an address: `/merchants/mer_...`. */
export const consolePathIn = (here: string): string => (here.split('?', 1)[0] ?? here).slice(CONSOLE_BASE.length) || '/'

/** Puts the base of the console before a path. */
export const consoleAddress = (path: string): string => (path === '/' ? CONSOLE_BASE : `${CONSOLE_BASE}${path}`)
