import { takesLines } from './form-spec.ts'
import type { GuestRoute, Route, Visit } from './route.ts'
import type { Surface } from './surface.ts'

// Guests send a few short fields. People who have signed in send fields, or lines that are pasted from a spreadsheet.
const GUEST_BYTES = 16 * 1024
const FORM_BYTES = 64 * 1024
const LINES_BYTES = 512 * 1024

/** One address of a surface with its route; null if it has none. */
export type Served<V> = {
  method: 'GET' | 'POST'
  url: string
  prefix: string
  route: Route<V> | GuestRoute | null
}

/** Lists every page and form of a surface with its addresses. */
export function servedBy<V extends Visit>({ base, prefixes, routes, guests }: Surface<V>): Served<V>[] {
  const signedIn = prefixes.flatMap((prefix) =>
    routes.map((route): Served<V> => {
      const path = route.kind === 'page' ? route.path : route.spec.path
      const url = `${base}${prefix}${path === '/' ? '' : path}`
      return { method: route.kind === 'page' ? 'GET' : 'POST', url, prefix, route }
    }),
  )
  const open = guests.map(
    (route): Served<V> => ({ method: route.method, url: `${base}${route.path}`, prefix: '', route }),
  )
  return [...signedIn, ...open]
}

/** Makes a test for whether a path is a page and not also a form, so that a person can be led back to it. */
export function pagesAmong<V>(served: readonly Served<V>[]): (path: string) => boolean {
  const pages = served
    .filter(({ method, route }) => method === 'GET' && route !== null && !('handle' in route))
    .map(({ url }) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`))
  const forms = new Set(served.flatMap(({ method, url }) => (method === 'POST' ? [url] : [])))
  return (path) => !forms.has(path) && pages.some((page) => page.test(path))
}

/** The POST on the address of a read-only surface's page: it exists, but answers that nothing can be changed instead of 405. */
export const posted = <V>(served: Served<V>): Served<V> => ({ ...served, method: 'POST', route: null })

/** The largest file that the route's form may carry; 0 for none. */
export const mostFileOf = <V>({ route }: Pick<Served<V>, 'route'>): number =>
  route !== null && 'spec' in route ? (route.spec.mostFileBytes ?? 0) : 0

/** The largest body that the route reads, with room for a file that is a little too large, so that the form can say so. */
export function bytesOf<V>(served: Served<V>): number {
  const { route } = served
  if (route === null || !('spec' in route)) return GUEST_BYTES
  const hasLines = route.spec.fields.some(takesLines)
  return (hasLines ? LINES_BYTES : FORM_BYTES) + Math.ceil(1.25 * mostFileOf(served))
}
