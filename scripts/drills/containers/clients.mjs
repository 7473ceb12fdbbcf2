import { setTimeout as pause } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import { until } from './podman.mjs'

const CLIENTS = 4
const ANSWER_MS = 15_000
const RETRY_MS = 100
const PHONE = '0700000000'

/** A way to the service; `authority` is the certificate of who signed its own. */
export function newDoor(url, authority) {
  const dispatcher = new Agent({ connect: authority === undefined ? {} : { ca: authority } })
  return {
    url,
    ask: (path, options = {}) =>
      fetch(`${url}${path}`, { ...options, dispatcher, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) }),
    close: () => dispatcher.destroy(),
  }
}

/** A new merchant, as a browser without a screen makes it: the page of the sign-up, its form, the first page. Returns its test key. */
export async function signUp({ url, ask }) {
  await until('requests are let through', 60, async () => (await ask('/readyz').catch(() => null))?.status === 200)
  const page = await (await ask('/dashboard/sign-up')).text()
  const form = /<form[^>]*>.*?guest-business.*?<\/form>/s.exec(page)?.[0] ?? ''
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, n, v]) => [n, v])
  const names = [...form.matchAll(/<input[^>]*name="([^"]*)"[^>]*>/g)].map(([, name]) => name)
  const [business, email, password] = names.filter((name) => !hidden.some(([known]) => known === name))
  const body = new URLSearchParams(hidden)
  body.set(business, 'Drill Shop')
  body.set(email, `drill-${Date.now()}@shop.invalid`)
  body.set(password, `drill ${Math.random()} of a long night`)
  const headers = { 'sec-fetch-site': 'same-origin', origin: url, cookie: cookiesOf([]) }
  const answer = await ask('/dashboard/sign-up', { method: 'POST', body, headers })
  if (answer.status !== 303)
    throw new Error(`the sign-up answered ${answer.status}: ${(await answer.text()).slice(0, 400)}`)
  return findKey(ask, new URL(answer.headers.get('location'), url).pathname, cookiesOf(answer.headers.getSetCookie()))
}

const cookiesOf = (set) => set.map((line) => line.split(';')[0]).join('; ')

async function findKey(ask, path, cookie) {
  const home = await ask(path, { headers: { cookie, accept: 'text/html' } })
  const next = home.headers.get('location')
  if (next !== null) return findKey(ask, next, cookie)
  const key = /sk_test_\w+/.exec(await home.text())?.[0]
  if (key === undefined) throw new Error(`the first page of the new merchant, ${path}, shows no key`)
  return key
}

/** Creates a charge under a key of its own; the answer, or where none came the reason. */
export async function pay({ ask }, key, name) {
  const headers = {
    Authorization: `Bearer ${key}`,
    'X-Timestamp': String(Math.floor(Date.now() / 1000)),
    'Idempotency-Key': name,
  }
  const charge = { amount: 5000, channel: 'op1_momo', customer: { phone: PHONE }, reference: name }
  try {
    const answer = await ask('/v1/charges', { method: 'POST', headers, body: JSON.stringify(charge) })
    return { status: answer.status, body: await answer.json() }
  } catch (error) {
    return { status: null, body: String(error.cause ?? error) }
  }
}

/** Reads an endpoint with the key. */
export async function read({ ask }, key, path) {
  const answer = await ask(path, { headers: { Authorization: `Bearer ${key}` } })
  return answer.json()
}

/**
 * Pays all the time, from several clients. Whoever gets no 201 asks again under the same key, as the documentation tells, until it has
 * one or `stop` is called. `acknowledged` has the id by the reference, `failures` what the others heard.
 */
export function payAllTheTime(door, key, series) {
  const load = { acknowledged: new Map(), failures: [], lastAt: performance.now(), longestGapMs: 0 }
  let stopped = false
  let number = 0
  const client = async () => {
    while (!stopped) {
      const name = `${series}-${++number}`
      while (!stopped && !note(load, name, await pay(door, key, name))) await pause(RETRY_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  return Object.assign(load, {
    async stop() {
      stopped = true
      await Promise.all(clients)
    },
  })
}

function note(load, name, answer) {
  if (answer.status !== 201) {
    load.failures.push(`${name}: ${answer.status ?? 'unanswered'} ${JSON.stringify(answer.body)}`)
    return false
  }
  const now = performance.now()
  load.longestGapMs = Math.max(load.longestGapMs, now - load.lastAt)
  load.lastAt = now
  load.acknowledged.set(name, answer.body.id)
  return true
}
