// Compiles src, test, bench and emulator into dist/, one file a source, for tests and tools; beside that the bundles that processes start from.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram, bundleTestProgram } from './bundle.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
if (process.argv.includes('--clean')) rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const compiling = spawn(process.execPath, [compiler, '-p', join(root, 'tsconfig.json')], { stdio: 'inherit' })
const [[code]] = await Promise.all([once(compiling, 'exit'), bundleProgram(), bundleTestProgram()])
forgetRemoved()
process.exit(code ?? 1)

/** A source that was moved or removed leaves nothing behind: its old test would go on running. */
function forgetRemoved() {
  const dist = join(root, 'dist')
  for (const folder of ['src', 'test', 'bench', 'emulator'])
    for (const name of readdirSync(join(dist, folder), { recursive: true })) {
      const source = join(root, folder, name).replace(/\.js$/, '')
      if (name.endsWith('.js') && !['.ts', '.tsx'].some((ending) => existsSync(`${source}${ending}`)))
        rmSync(join(dist, folder, name))
    }
}
