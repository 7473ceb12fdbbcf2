import { takesLines } from './form-spec.ts'
import type { GuestRoute, Route, Visit } from './route.ts'
import type { Surface } from './surface.ts'

// Of people who have not signed in: a few short fields. Of those who have: fields, or lines that are pasted from a spreadsheet.
const GUEST_BYTES = 16 * 1024
const FORM_BYTES = 64 * 1024
const LINES_BYTES = 512 * 1024

/** One address of a surface, with what answers there; null: nothing does. */
export type Served<V> = {
  method: 'GET' | 'POST'
  url: string
  prefix: string
  route: Route<V> | GuestRoute | null
}

/** Every page and form of a surface at its addresses. */
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

/** Tells whether a path is that of a page, and not of a form, for somebody who comes back to it. */
export function pagesAmong<V>(served: readonly Served<V>[]): (path: string) => boolean {
  const pages = served
    .filter(({ method, route }) => method === 'GET' && route !== null && !('handle' in route))
    .map(({ url }) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`))
  const forms = new Set(served.flatMap(({ method, url }) => (method === 'POST' ? [url] : [])))
  return (path) => !forms.has(path) && pages.some((page) => page.test(path))
}

/** The address of a page, asked for with what would change something: no verb that it lacks, but it says that nothing can be changed. */
export const posted = <V>(served: Served<V>): Served<V> => ({ ...served, method: 'POST', route: null })

/** The longest file that its form may carry, in bytes. */
export const mostFileOf = <V>({ route }: Pick<Served<V>, 'route'>): number =>
  route !== null && 'spec' in route ? (route.spec.mostFileBytes ?? 0) : 0

/** With room for a file that is a little too long, so that its form can say so. */
export function bytesOf<V>(served: Served<V>): number {
  const { route } = served
  if (route === null || !('spec' in route)) return GUEST_BYTES
  const hasLines = route.spec.fields.some(takesLines)
  return (hasLines ? LINES_BYTES : FORM_BYTES) + Math.ceil(1.25 * mostFileOf(served))
}
