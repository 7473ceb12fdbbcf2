import assert from 'node:assert/strict'
import { askHttp, type Heard } from '../service/ask-http.ts'

/** A form of a page as a browser would send it: hidden fields, chosen buttons, prefilled values. */
export type PageForm = { method: string; action: string; fields: Record<string, string> }
/** An answer to a browser. `location` is the target of a redirect, which only the test follows. */
export type Page = {
  status: number
  headers: Headers
  text: string
  body: any
  location: string
  setCookies: string[]
  forms: PageForm[]
}

/** A browser without a screen: it keeps cookies, finds forms and their hidden fields, and does not follow redirects by itself. */
export type Browser = {
  /** Sent with every later request; `undefined` removes one. */
  headers: Record<string, string | undefined>
  cookies(): Cookie[]
  keep(setCookie: string): void
  get(path: string, headers?: Record<string, string>): Promise<Page>
  ask(method: string, path: string, headers?: Record<string, string>): Promise<Page>
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<Page>
  /** Sends the form of this page whose address ends like this, with these fields changed, and returns the answer. */
  send(page: Page, end: string, fields?: Record<string, string>): Promise<Page>
  /** The page that the answer redirects to. */
  follow(page: Page): Promise<Page>
  /** `send`, and the page that a step of a form leads to, or the refusal. */
  step(page: Page, end: string, fields?: Record<string, string>): Promise<Page>
}
export type Fields = Record<string, string> | URLSearchParams | string | Uint8Array<ArrayBuffer>
export type Cookie = { name: string; value: string; path: string }

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Decodes the entities of our pages: they use no others. */
export const unescaped = (html: string) => html.replace(/&(?:amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one] ?? one)

export function browserOf(service: { url: string }, headers: Browser['headers'] = {}): Browser {
  const jar: Cookie[] = []
  const keep = (setCookie: string) => {
    const [pair = '', ...attributes] = setCookie.split('; ')
    const at = pair.indexOf('=')
    const path = attributes.find((attribute) => attribute.startsWith('Path='))?.slice('Path='.length) ?? '/'
    const cookie = { name: pair.slice(0, at), value: pair.slice(at + 1), path }
    const known = jar.findIndex((one) => one.name === cookie.name && one.path === path)
    jar.splice(known < 0 ? jar.length : known, 1, cookie)
    if (attributes.includes('Max-Age=0')) jar.splice(jar.indexOf(cookie), 1)
  }
  const request = async (path: string, init: Asked): Promise<Page> => {
    const sent = { 'sec-fetch-site': 'same-origin', accept: 'text/html', ...browser.headers, ...init.headers }
    const cookie = jar.filter((one) => reaches(one, path)).map((one) => `${one.name}=${one.value}`)
    const heard = await askHttp(`${service.url}${path}`, {
      method: init.method,
      headers: { ...present(sent), ...(cookie.length > 0 ? { cookie: cookie.join('; ') } : {}) },
      ...(init.body === undefined ? {} : { body: init.body }),
    })
    const page = readPage(heard)
    for (const one of page.setCookies) keep(one)
    return page
  }
  const browser: Browser = {
    headers,
    cookies: () => jar,
    keep,
    get: (path, more = {}) => untilServed(() => request(path, { method: 'GET', headers: more })),
    ask: (method, path, more = {}) => request(path, { method, headers: more }),
    post: (path, fields, more = {}) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded', ...more }
      return request(path, { method: 'POST', headers: type, body: bodyOf(fields) })
    },
    send: (page, end, fields = {}) => {
      const form = formOf(page, end)
      return browser.post(form.action, { ...form.fields, ...fields })
    },
    step: async (page, end, fields = {}) => {
      const sent = await browser.send(page, end, fields)
      return sent.status === 303 ? browser.follow(sent) : sent
    },
    follow: (page) => {
      assert.ok([302, 303].includes(page.status), `${page.status} ${page.text}`)
      return browser.get(page.location)
    },
  }
  return browser
}

/** Repeats while the service answers that it is too busy: on a crowded machine it may, and then it has written nothing. */
export async function untilServed<Answer extends { status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const page = await ask()
    if (page.status !== 503 || attempt === 20) return page
  }
}

/** The one form of a page whose address, without its query, ends like this. */
export function formOf(page: Page, end: string): PageForm {
  const found = page.forms.filter(({ action }) => action.split('?')[0]?.endsWith(end))
  assert.equal(found.length, 1, `one form to ${end}: ${page.status} ${page.text}`)
  return found[0] as PageForm
}

export const hasForm = (page: Page, end: string) => page.forms.some(({ action }) => action.split('?')[0]?.endsWith(end))

type Asked = { method: string; headers: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> }

const bodyOf = (fields: Fields) =>
  typeof fields === 'string' || fields instanceof Uint8Array ? fields : new URLSearchParams(fields).toString()

const present = (headers: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<string, string>

function reaches({ path }: Cookie, asked: string): boolean {
  const [pathname = ''] = asked.split('?')
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

function readPage({ status, headers, text }: Heard): Page {
  const location = headers.get('location') ?? ''
  return {
    status,
    headers,
    text,
    body: json(text),
    location,
    setCookies: headers.getSetCookie(),
    forms: formsOf(text),
  }
}

function formsOf(html: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', inside = '']) => {
    const { method = 'get', action = '' } = attributesOf(head)
    // Where the answer lands on its page is no part of what is sent.
    return { method, action: action.split('#', 1)[0] ?? '', fields: fieldsOf(inside) }
  })
}

function fieldsOf(html: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [, head = ''] of html.matchAll(/<input\b([^>]*)>/g)) {
    const { name, value = '', type = 'text', ...rest } = attributesOf(head)
    const chosen = !['radio', 'checkbox'].includes(type) || 'checked' in rest
    if (name !== undefined && chosen && type !== 'file') fields[name] = value
  }
  for (const [, head = '', inside = ''] of html.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)) {
    const options = [...inside.matchAll(/<option\b([^>]*)>/g)].map(([, one = '']) => attributesOf(one))
    const chosen = options.find((option) => 'selected' in option) ?? options[0]
    const { name } = attributesOf(head)
    if (name !== undefined && chosen !== undefined) fields[name] = chosen.value ?? ''
  }
  for (const [, head = '', text = ''] of html.matchAll(/<textarea\b([^>]*)>([\s\S]*?)<\/textarea>/g)) {
    const { name } = attributesOf(head)
    if (name !== undefined) fields[name] = unescaped(text)
  }
  return fields
}

function attributesOf(head: string): Record<string, string> {
  const pairs = [...head.matchAll(/([a-zA-Z_0-9-]+)(?:="([^"]*)")?/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescaped(value)]))
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
