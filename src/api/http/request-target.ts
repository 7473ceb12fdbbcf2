// `https://host` before the path, as a proxy may be asked (RFC 9112 3.2.2).
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/
// The one letter of our own paths that programs and chats write as an escape, although it means nothing else (RFC 3986 3.3).
const ESCAPED_AT = /%40/g

/**
 * Normalizes the target of a request once, for everything behind: a path from its slash on, with `@` as itself (`/pay/%40handle` becomes
 * `/pay/@handle`). The query stays as it came.
 */
export function normalizeTarget(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(ORIGIN, '')
  if (local.startsWith('/') && !local.includes('%40')) return local
  const [path = '', ...query] = local.split('?')
  return [(path.startsWith('/') ? path : `/${path}`).replace(ESCAPED_AT, '@'), ...query].join('?')
}
