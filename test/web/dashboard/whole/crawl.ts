import { type Browser, type Page, type PageForm, unescaped } from '../../../helpers/web/browser.ts'
import { mainOf } from '../../../helpers/web/dashboard.ts'

/** Where a crawl begins, and what it need not follow. */
export type Crawl = {
  start: readonly string[]
  /** Only addresses that begin with one of these are followed. */
  within: readonly string[]
  /** Of addresses that differ in ids alone so many are opened; of a list with thousands of rows the first ones. */
  ofEachKind?: number
}

/** A page that was found, with the form or link that led to it. */
export type Found = { address: string; from: string; page: Page }

// Files are read by programs, and their making is tested where they are made.
const HREF = /\s(?:href|data-live)="([^"#]+)(?:#[^"]*)?"/g
const ASSET = /\.(?:css|js|svg|png|ico|webp)(?:$|\?)|^\/(?:docs|openapi)/

/**
 * Follows every link of every page, as this browser. `wrong`: what a person would meet as a dead link or as an error of ours; `pages`: one
 * page of each kind that was seen.
 */
export async function crawl(
  browser: Browser,
  { start, within, ofEachKind = 6 }: Crawl,
): Promise<{ wrong: string[]; pages: Found[] }> {
  const wrong: string[] = []
  const pages: Found[] = []
  const seen = new Set<string>()
  const opened = new Map<string, number>()
  const queue = start.map((address) => ({ address, from: 'the start' }))
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { address, from } = next
    if (seen.has(address)) continue
    seen.add(address)
    const kind = kindOf(address)
    const count = (opened.get(kind) ?? 0) + 1
    if (count > ofEachKind) continue
    opened.set(kind, count)
    const page = await browser.get(address)
    if (page.status === 303 || page.status === 302) {
      queue.push({ address: page.location, from: address })
      continue
    }
    if (page.status !== 200) wrong.push(`${address} (from ${from}): ${page.status} ${mainOf(page).slice(0, 160)}`)
    if (!(page.headers.get('content-type') ?? '').startsWith('text/html')) continue
    pages.push({ address, from, page })
    for (const to of linksOf(page, address))
      if (within.some((base) => to === base || to.startsWith(`${base}/`) || to.startsWith(`${base}?`)))
        queue.push({ address: to, from: address })
  }
  return { wrong, pages }
}

function linksOf({ text }: Page, address: string): string[] {
  return [...text.matchAll(HREF)].flatMap(([, href = '']) => {
    const to = new URL(unescaped(href), new URL(address, 'http://here'))
    return to.host === 'here' && !ASSET.test(to.pathname) ? [`${to.pathname}${to.search}`] : []
  })
}

/** An address without its ids and cursors: what it is an address of. */
const kindOf = (address: string): string =>
  address
    .replace(/[a-z]+_[a-z0-9]{12,}/g, ':id')
    .replace(/\/[0-9][^/?]*/g, '/:id')
    .replace(/=[^&]*/g, '=')

/** What people and programs type where something else was meant. Each would be a 500 where it met an assertion, a cast or a header. */
const ODD_VALUES: readonly string[] = [
  ...['0', '00', '0,000', '-1', '1.5', '1e9', '99999999999999999999', '٣٤٥', 'NaN', '1,0000'],
  ...['2026-02-30', '28/11/2026', '2026-11-28T10:00', '0000-00-00', '9999-99', '25:61', '-infinity'],
  ...['🍲', '\u202Ex', 'é', '\u0000', 'a\u0007b', '\ud800', `'"--;`, '%00', '%', '../..', '<b>x</b>', '{}', '[]'],
  ...['x'.repeat(300), 'x'.repeat(5000), 'null', 'undefined', '__proto__', 'on', 'https://', 'a@b', '07', 'txn_'],
]

type Ask = { address: string; send: (value: string) => Promise<Page>; field: string }

/** Every field of every filter of these pages: its address with a value in the field. */
export function filtersOf(browser: Browser, pages: readonly Found[]): Ask[] {
  return eachKind(pages, 'get').flatMap(({ form }) =>
    Object.keys(form.fields).map((field) => ({
      ...{ address: form.action, field },
      send: (value: string) => browser.get(`${form.action}?${new URLSearchParams({ ...form.fields, [field]: value })}`),
    })),
  )
}

// What stands in addresses that pages write themselves, and people and programs change.
const NAMES = ['after', 'before', 'below', 'part', 'place', 'mode', 'list', 'then', 'link', 'from', 'q']

/** The cursors and choices in the address of each page. */
export const queriesOf = (browser: Browser, pages: readonly Found[]): Ask[] =>
  [...new Map(pages.map(({ address }) => [kindOf(address.split('?', 1)[0] ?? ''), address])).values()].flatMap(
    (address) =>
      NAMES.map((field) => ({
        ...{ address, field },
        send: (value: string) => browser.get(`${address.split('?', 1)[0]}?${new URLSearchParams({ [field]: value })}`),
      })),
  )

/** Every field of every form of these pages, but for its tokens. `fill`: what somebody would type into the others. */
export function fieldsOf(
  browser: Browser,
  pages: readonly Found[],
  fill: (form: PageForm) => Record<string, string>,
): Ask[] {
  return eachKind(pages, 'post').flatMap(({ form, address }) =>
    Object.keys(form.fields)
      .filter((field) => field !== 'csrf')
      .map((field) => ({
        ...{ address: form.action, field },
        send: async (value: string) => {
          // Of a one-time form each try needs a fresh one.
          const again = 'form' in form.fields ? sameForm(await browser.get(address), form) : form
          return browser.post(form.action, { ...again.fields, ...fill(form), [field]: value })
        },
      })),
  )
}

const sameForm = ({ forms }: Page, form: PageForm) => forms.find(({ action }) => action === form.action) ?? form

function eachKind(pages: readonly Found[], method: 'get' | 'post'): { form: PageForm; address: string }[] {
  const known = new Set<string>()
  return pages.flatMap(({ page, address }) =>
    page.forms.flatMap((form) => {
      const kind = `${kindOf(form.action)} ${Object.keys(form.fields).sort().join(' ')}`
      if (form.method !== method || known.has(kind)) return []
      known.add(kind)
      return [{ form, address }]
    }),
  )
}

/** The answers that are errors of ours, when each field gets some of these values in turn. 502 is another company's. */
export async function askOddly(
  asks: readonly Ask[],
  { values = ODD_VALUES, ofEach = 8 }: { values?: readonly string[]; ofEach?: number } = {},
): Promise<string[]> {
  const wrong: string[] = []
  const every = Math.ceil(values.length / ofEach)
  for (const [nth, { address, field, send }] of asks.entries())
    for (const value of values.filter((_, at) => (at + nth) % every === 0)) {
      const page = await send(value)
      if (page.status >= 500 && page.status !== 502)
        wrong.push(`${address} ${field}=${JSON.stringify(value.slice(0, 40))}: ${page.status}`)
    }
  return wrong
}
