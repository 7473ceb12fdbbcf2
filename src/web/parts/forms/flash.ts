import { formatCookie } from '../routes/cookies.ts'
import type { Flash } from '../routes/surface-reply.ts'

const FLASH_SECONDS = 60
const MAX_FLASH_CHARACTERS = 500

const flashCookieName = (https: boolean) => (https ? '__Host-flash' : 'flash')

/** Formats the Set-Cookie that carries a sentence to the next page. */
export const flashCookie = (flash: Flash, https: boolean): string =>
  formatCookie(flashCookieName(https), encodeFlash({ ...flash, says: flash.says.slice(0, MAX_FLASH_CHARACTERS) }), {
    ...{ path: '/', seconds: FLASH_SECONDS, https },
  })

export const noFlashCookie = (https: boolean): string =>
  formatCookie(flashCookieName(https), '', { path: '/', seconds: 0, https })

/** Parses the sentence that the page before has left; null if there is none. */
export function parseFlash(cookies: ReadonlyMap<string, string>, https: boolean): Flash | null {
  const text = cookies.get(flashCookieName(https))
  if (!text) return null
  try {
    const { kind, says } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Flash
    if ((kind !== 'done' && kind !== 'note') || typeof says !== 'string') return null
    return { kind, says: says.slice(0, MAX_FLASH_CHARACTERS) }
  } catch {
    // Not a value that we wrote.
    return null
  }
}

const encodeFlash = (flash: Flash) => Buffer.from(JSON.stringify(flash)).toString('base64url')
