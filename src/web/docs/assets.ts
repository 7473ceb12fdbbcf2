import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT } from '../../platform/processes/root.ts'

// The assets are read from the sources, because the compiler copies no styles.
const OWN_ASSETS_FOLDER = join(ROOT, 'src', 'web', 'docs', 'assets')
const SWAGGER_UI_FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Every file that the pages load, with its folder. No other file of these folders is ever served. */
export const DOCS_ASSETS: Readonly<Record<string, string>> = {
  'docs.css': OWN_ASSETS_FOLDER,
  'icon.svg': OWN_ASSETS_FOLDER,
  'reference.css': OWN_ASSETS_FOLDER,
  'reference.js': OWN_ASSETS_FOLDER,
  'swagger-ui-bundle.js': SWAGGER_UI_FOLDER,
  'swagger-ui.css': SWAGGER_UI_FOLDER,
}
