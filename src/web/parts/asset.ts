import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../platform/processes/root.ts'

/** A file that pages load. */
export type Asset = {
  /** Where it is served. `href` adds a version that changes with the bytes. */
  path: string
  href: string
  type: string
  body: Buffer
  etag: string
}

export const SCRIPT = 'text/javascript; charset=utf-8'
export const STYLE = 'text/css; charset=utf-8'
export const SVG = 'image/svg+xml'
export const PNG = 'image/png'

/** Reads a file of the sources, once at the start. The compiler does not copy scripts, so they are read from the source folder. */
export const readAsset = (file: string, { path, type }: Pick<Asset, 'path' | 'type'>): Asset =>
  newAsset(readFileSync(join(ROOT, file)), { path, type })

/** Makes an asset of a stylesheet's text. */
export const styleAsset = (css: string, served: Pick<Asset, 'path' | 'type'>): Asset =>
  newAsset(Buffer.from(css), served)

function newAsset(body: Buffer, { path, type }: Pick<Asset, 'path' | 'type'>): Asset {
  const version = createHash('sha256').update(body).digest('hex').slice(0, 8)
  return { path, href: `${path}?v=${version}`, type, body, etag: `"${version}"` }
}
