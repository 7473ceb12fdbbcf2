import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'

// What is read of package.json. `gitHead` is written into that of an artefact alone.
type ProgramPackage = { version: string; gitHead?: string }
const PROGRAM = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as ProgramPackage

/** The version of the product that runs here. */
export const VERSION = PROGRAM.version

/** The commit that an artefact was made of; null in a checkout. */
export const RELEASED_COMMIT = PROGRAM.gitHead ?? null
