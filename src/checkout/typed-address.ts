// What is typed by hand begins with a capital on a phone and ends with a slash in a message. Ids and handles know neither.
const HOSTED = /^\/(?:pay|vending\/display)\//

/** The address that somebody meant who wrote capitals, a slash at the end or two for one; null where it stands so already. */
export function meantAddress(url: string): string | null {
  const { pathname, search } = new URL(url.replace(/^\/{2,}/, '/'), 'http://here')
  const parts = pathname.toLowerCase().split('/')
  const meant = `/${parts.filter((part) => part !== '').join('/')}`
  return meant === pathname || !HOSTED.test(meant) ? null : `${meant}${search}`
}

/** A part of a path for the router, however it is written. */
export const anyCase = (word: string) =>
  `:${word}(^${[...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')}$)`
