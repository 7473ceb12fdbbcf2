// Addresses typed by hand get capitals on a phone and a slash at the end in a message. Ids and handles contain neither.
const HOSTED = /^\/(?:pay|vending\/display)\//

/** The address without capitals, a slash at the end and double slashes; null when nothing changes. */
export function meantAddress(url: string): string | null {
  const { pathname, search } = new URL(url.replace(/^\/{2,}/, '/'), 'http://here')
  const parts = pathname.toLowerCase().split('/')
  const meant = `/${parts.filter((part) => part !== '').join('/')}`
  return meant === pathname || !HOSTED.test(meant) ? null : `${meant}${search}`
}

/** A part of a path for the router, however it is written. */
export const anyCase = (word: string) =>
  `:${word}(^${[...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')}$)`
