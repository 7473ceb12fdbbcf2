import { cookie } from './cookies.ts'
import type { Flash } from './shown.ts'

const SECONDS = 60
const MOST_CHARACTERS = 500

const nameOf = (https: boolean) => (https ? '__Host-flash' : 'flash')

/** Formats the Set-Cookie that carries a sentence to the next page. */
export const flashCookie = (flash: Flash, https: boolean): string =>
  cookie(nameOf(https), encodeFlash({ ...flash, says: flash.says.slice(0, MOST_CHARACTERS) }), {
    ...{ path: '/', seconds: SECONDS, https },
  })

export const noFlashCookie = (https: boolean): string =>
  cookie(nameOf(https), '', { path: '/', seconds: 0, https })

/** Parses the sentence that the page before has left; null if there is none. */
export function readFlash(cookies: ReadonlyMap<string, string>, https: boolean): Flash | null {
  const text = cookies.get(nameOf(https))
  if (!text) return null
  try {
    const { kind, says } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Flash
    if ((kind !== 'done' && kind !== 'note') || typeof says !== 'string') return null
    return { kind, says: says.slice(0, MOST_CHARACTERS) }
  } catch {
    // Not a value that we wrote.
    return null
  }
}

const encodeFlash = (flash: Flash) => Buffer.from(JSON.stringify(flash)).toString('base64url')
