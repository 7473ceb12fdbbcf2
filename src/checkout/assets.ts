import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../platform/root.ts'

export type CheckoutAsset = {
  /** Where it is served; the version in the query changes with the bytes. */
  path: string
  href: string
  type: string
  body: Buffer
  etag: string
}

// Where the sources are: the compiler copies no scripts.
const FOLDER = join(ROOT, 'src', 'checkout', 'assets')
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
  const body = readFileSync(join(FOLDER, name))
  const version = createHash('sha256').update(body).digest('hex').slice(0, 8)
  const path = `/pay/assets/${name}`
  return { path, href: `${path}?v=${version}`, type, body, etag: `"${version}"` }
}
