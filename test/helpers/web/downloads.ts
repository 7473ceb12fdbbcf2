import assert from 'node:assert/strict'
import type { Browser } from './browser.ts'

type Served = { url: string }

/** Downloads a file of a page as its bytes, as this browser. */
export const download = (service: Served, browser: Browser, path: string): Promise<Buffer> =>
  bytesOf(fetch(`${service.url}${path}`, { headers: headersOf(browser), redirect: 'manual' }))

/** Sends a form that answers with a file, and returns its bytes. */
export const postedFile = (
  service: Served,
  browser: Browser,
  path: string,
  fields: Record<string, string>,
): Promise<Buffer> =>
  bytesOf(
    fetch(`${service.url}${path.split('#')[0]}`, {
      method: 'POST',
      headers: headersOf(browser),
      body: new URLSearchParams(fields),
      redirect: 'manual',
    }),
  )

const headersOf = (browser: Browser) => ({
  cookie: browser
    .cookies()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; '),
  'sec-fetch-site': 'same-origin',
})

async function bytesOf(asked: Promise<Response>): Promise<Buffer> {
  const answer = await asked
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(answer.status, 200, bytes.toString('utf8', 0, 500))
  return bytes
}
