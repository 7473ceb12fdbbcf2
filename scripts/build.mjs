// Compiles src, test and bench into dist/, one file a source, for tests and tools; beside that the bundles that processes start from.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram, bundleTestProgram } from './bundle.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
if (process.argv.includes('--clean')) rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const compiling = spawn(process.execPath, [compiler, '-p', join(root, 'tsconfig.json')], { stdio: 'inherit' })
const [[code]] = await Promise.all([once(compiling, 'exit'), bundleProgram(), bundleTestProgram()])
process.exit(code ?? 1)
