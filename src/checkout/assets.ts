import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type CheckoutAsset = {
  /** Where it is served; the version in the query changes with the bytes. */
  path: string
  href: string
  type: string
  body: Buffer
  etag: string
}

// From dist/src/checkout back to the sources: the compiler copies no scripts.
const FOLDER = new URL('../../../src/checkout/assets/', import.meta.url)
const SCRIPT = 'text/javascript; charset=utf-8'

/** Every file that the hosted pages load. Read once at the start; nothing else of the folder is ever served. */
export const CHECKOUT_ASSETS = {
  'pay.js': readAsset('pay.js', SCRIPT),
  'wait.js': readAsset('wait.js', SCRIPT),
  'receipt.js': readAsset('receipt.js', SCRIPT),
  'display.js': readAsset('display.js', SCRIPT),
  'icon.svg': readAsset('icon.svg', 'image/svg+xml'),
} satisfies Record<string, CheckoutAsset>

export type CheckoutScript = 'pay.js' | 'wait.js' | 'receipt.js' | 'display.js'

function readAsset(name: string, type: string): CheckoutAsset {
  const body = readFileSync(fileURLToPath(new URL(name, FOLDER)))
  const version = createHash('sha256').update(body).digest('hex').slice(0, 8)
  const path = `/pay/assets/${name}`
  return { path, href: `${path}?v=${version}`, type, body, etag: `"${version}"` }
}
