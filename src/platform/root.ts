import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder of the package: migrations, documents and what browsers load lie in it, and no build copies them. Looked for upwards,
 * because the program runs from one bundled file and most tests from one compiled file a source.
 */
export const ROOT = rootAbove(import.meta.dirname)

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder))
}
