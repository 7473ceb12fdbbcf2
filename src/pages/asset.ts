import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../platform/root.ts'

/** A file that pages load. */
export type Asset = {
  /** Where it is served; the version in the query changes with the bytes. */
  path: string
  href: string
  type: string
  body: Buffer
  etag: string
}

export const SCRIPT = 'text/javascript; charset=utf-8'
export const STYLE = 'text/css; charset=utf-8'
export const SVG = 'image/svg+xml'

/** A file of the sources, read once at the start. The compiler copies no scripts, so they are read where the sources are. */
export const readAsset = (file: string, { path, type }: Pick<Asset, 'path' | 'type'>): Asset =>
  assetOf(readFileSync(join(ROOT, file)), { path, type })

/** A stylesheet made of several files. */
export const styleAsset = (css: string, served: Pick<Asset, 'path' | 'type'>): Asset =>
  assetOf(Buffer.from(css), served)

function assetOf(body: Buffer, { path, type }: Pick<Asset, 'path' | 'type'>): Asset {
  const version = createHash('sha256').update(body).digest('hex').slice(0, 8)
  return { path, href: `${path}?v=${version}`, type, body, etag: `"${version}"` }
}
