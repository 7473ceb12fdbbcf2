import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder of the package, with migrations, documents and browser files, which no build copies. It is searched upwards, because the
 * program runs from one bundled file, but most tests run from one compiled file for each source.
 */
export const ROOT = rootAbove(import.meta.dirname)

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder))
}
