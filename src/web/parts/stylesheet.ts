import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../platform/processes/root.ts'

/** What all pages begin with: colours and spacing, then the reset. */
export const FIRST_STYLES = ['tokens', 'reset'].map((name) => `src/web/parts/assets/${name}.css`)

/** Reads several style files, in the order of the cascade, as one minified text. Paths are from the root of the program. */
export const readStyle = (...paths: string[]): string =>
  minify(paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n'))

/** The hash that `style-src` must allow so that a page can inline this text. */
export const styleHash = (css: string): string => `'sha256-${createHash('sha256').update(css).digest('base64')}'`

/** Minifies a stylesheet. Simple, because our files have no strings and no comments inside values. */
function minify(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .replace(/\b0\.(?=\d)/g, '.')
    .trim()
}
