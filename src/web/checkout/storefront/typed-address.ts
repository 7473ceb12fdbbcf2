// A phone puts capitals into an address typed by hand, a message a slash at its end. Ids and handles contain neither.
const HOSTED_PATH = /^\/(?:pay|vending\/display)\//

/** Removes capitals, a slash at the end and double slashes from an address; null if that changes nothing. */
export function findMeantAddress(url: string): string | null {
  const { pathname, search } = new URL(url.replace(/^\/{2,}/, '/'), 'http://here')
  const parts = pathname.toLowerCase().split('/')
  const meant = `/${parts.filter((part) => part !== '').join('/')}`
  return meant === pathname || !HOSTED_PATH.test(meant) ? null : `${meant}${search}`
}

/** Makes a path segment for the router that matches this word in capitals or not. */
export const anyCaseSegment = (word: string) =>
  `:${word}(^${[...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')}$)`
