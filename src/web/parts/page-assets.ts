import { type Asset, readAsset, SCRIPT, STYLE, SVG, styleAsset } from './asset.ts'
import { FIRST_STYLES, readStyle } from './stylesheet.ts'

const readPageAsset = (name: string, type: string): Asset =>
  readAsset(`src/web/parts/assets/${name}`, { path: `/assets/${name}`, type })

const STYLES = [
  ...['base', 'frame', 'forms', 'entry', 'story', 'lists', 'wizard', 'review', 'counter', 'ask', 'poster', 'print'],
].map((name) => `src/web/parts/assets/${name}.css`)

/** The files that pages of the dashboard and the console load. Every page loads `pages.css` and `pages.js`. */
export const PAGE_ASSETS = {
  'pages.css': styleAsset(readStyle(...FIRST_STYLES, ...STYLES), { path: '/assets/pages.css', type: STYLE }),
  'pages.js': readPageAsset('pages.js', SCRIPT),
  'passkeys.js': readPageAsset('passkeys.js', SCRIPT),
  'photos.js': readPageAsset('photos.js', SCRIPT),
  'sounds.js': readPageAsset('sounds.js', SCRIPT),
  'counter.js': readPageAsset('counter.js', SCRIPT),
  'ask.js': readPageAsset('ask.js', SCRIPT),
  'icon.svg': readAsset('src/web/checkout/assets/icon.svg', { path: '/assets/icon.svg', type: SVG }),
} satisfies Record<string, Asset>

/** Returns the address of a script by its name, for pages that declare one. */
export function scriptHref(name: string): string {
  const asset = (PAGE_ASSETS as Readonly<Record<string, Asset>>)[name]
  if (asset === undefined) throw new Error(`there is no script ${name}`)
  return asset.href
}
