import { takesLines } from '../forms/form-spec.ts'
import type { GuestRoute, SurfaceRoute, Visit } from './route.ts'
import type { Surface } from './surface.ts'

// Guests send a few short fields. People who have signed in send fields, or lines that are pasted from a spreadsheet.
const GUEST_BYTES = 16 * 1024
const FORM_BYTES = 64 * 1024
const LINES_BYTES = 512 * 1024

/** One address of a surface with its route; null if it has none. */
export type ServedRoute<V> = {
  method: 'GET' | 'POST'
  url: string
  prefix: string
  route: SurfaceRoute<V> | GuestRoute | null
}

/** Lists every page and form of a surface with its addresses. */
export function listServedRoutes<V extends Visit>({ base, prefixes, routes, guests }: Surface<V>): ServedRoute<V>[] {
  const signedIn = prefixes.flatMap((prefix) =>
    routes.map((route): ServedRoute<V> => {
      const path = route.kind === 'page' ? route.path : route.spec.path
      const url = `${base}${prefix}${path === '/' ? '' : path}`
      return { method: route.kind === 'page' ? 'GET' : 'POST', url, prefix, route }
    }),
  )
  const open = guests.map(
    (route): ServedRoute<V> => ({ method: route.method, url: `${base}${route.path}`, prefix: '', route }),
  )
  return [...signedIn, ...open]
}

/** Makes a test for whether a path is a page and not also a form, so that a person can be led back to it. */
export function newPageMatcher<V>(served: readonly ServedRoute<V>[]): (path: string) => boolean {
  const urls = served.flatMap(({ method, route, url }) =>
    method === 'GET' && route !== null && !('handle' in route) ? [url] : [],
  )
  const pages = urls.map((url) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`))
  // A form that makes something has a page at its own address.
  const exact = new Set(urls)
  const forms = new Set(served.flatMap(({ method, url }) => (method === 'POST' ? [url] : [])))
  return (path) => exact.has(path) || (!forms.has(path) && pages.some((page) => page.test(path)))
}

/** The POST on the address of a read-only surface's page: it exists, but answers that nothing can be changed instead of 405. */
export const asRefusedPost = <V>(served: ServedRoute<V>): ServedRoute<V> => ({
  ...served,
  method: 'POST',
  route: null,
})

/** The largest file that the route's form may carry; 0 for none. */
export const maxFileBytes = <V>({ route }: Pick<ServedRoute<V>, 'route'>): number =>
  route !== null && 'spec' in route ? (route.spec.maxFileBytes ?? 0) : 0

/** The largest body that the route reads, with room for a file that is a little too large, so that the form can say so. */
export function maxBodyBytes<V>(served: ServedRoute<V>): number {
  const { route } = served
  if (route === null || !('spec' in route)) return GUEST_BYTES
  const hasLines = route.spec.fields.some(takesLines)
  return (hasLines ? LINES_BYTES : FORM_BYTES) + Math.ceil(1.25 * maxFileBytes(served))
}
