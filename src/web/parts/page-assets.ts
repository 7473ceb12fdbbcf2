import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../platform/processes/root.ts'
import { type Asset, PNG, readAsset, SCRIPT, STYLE, SVG, styleAsset } from './asset.ts'
import { FIRST_STYLES, readStyle } from './stylesheet.ts'

const FOLDER = 'src/web/parts/assets'

const readPageAsset = (name: string, type: string): Asset =>
  readAsset(`${FOLDER}/${name}`, { path: `/assets/${name}`, type })

/** Reads a text that is not served as it is. */
export const readPageText = (name: string): string => readFileSync(join(ROOT, FOLDER, name), 'utf8')

const STYLES = [
  ...[
    'base',
    'frame',
    'forms',
    'entry',
    'story',
    'lists',
    'wizard',
    'review',
    'counter',
    'ask',
    'poster',
    'gift',
    'print',
  ],
].map((name) => `${FOLDER}/${name}.css`)

/** The files that pages of the dashboard and the console load. Every page loads `pages.css` and `pages.js`. */
export const PAGE_ASSETS = {
  'pages.css': styleAsset(readStyle(...FIRST_STYLES, ...STYLES), { path: '/assets/pages.css', type: STYLE }),
  'pages.js': readPageAsset('pages.js', SCRIPT),
  'passkeys.js': readPageAsset('passkeys.js', SCRIPT),
  'photos.js': readPageAsset('photos.js', SCRIPT),
  'sounds.js': readPageAsset('sounds.js', SCRIPT),
  'counter.js': readPageAsset('counter.js', SCRIPT),
  'ask.js': readPageAsset('ask.js', SCRIPT),
  'push.js': readPageAsset('push.js', SCRIPT),
  'offline.js': readPageAsset('offline.js', SCRIPT),
  'icon-192.png': readPageAsset('icon-192.png', PNG),
  'icon-512.png': readPageAsset('icon-512.png', PNG),
  'icon-whole-512.png': readPageAsset('icon-whole-512.png', PNG),
  'icon.svg': readAsset('src/web/checkout/assets/icon.svg', { path: '/assets/icon.svg', type: SVG }),
} satisfies Record<string, Asset>

/** Returns the address of a script by its name, for pages that declare one. */
export function scriptHref(name: string): string {
  const asset = (PAGE_ASSETS as Readonly<Record<string, Asset>>)[name]
  if (asset === undefined) throw new Error(`there is no script ${name}`)
  return asset.href
}
