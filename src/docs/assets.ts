import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT } from '../platform/root.ts'

// The assets are read from the sources, because the compiler copies no styles.
const OWN = join(ROOT, 'src', 'docs', 'assets')
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Every file that the pages load, with its folder. No other file of these folders is ever served. */
export const ASSETS: Readonly<Record<string, string>> = {
  'docs.css': OWN,
  'icon.svg': OWN,
  'reference.css': OWN,
  'reference.js': OWN,
  'swagger-ui-bundle.js': SWAGGER_UI,
  'swagger-ui.css': SWAGGER_UI,
}
