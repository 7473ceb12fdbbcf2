// Makes dist: one file of JavaScript for `import` and one for `require`, each with the types beside it. The compiler and the bundler are
// those of the repository.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('..', import.meta.url))
const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
const dist = join(folder, 'dist')

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '-p', folder], { stdio: ['ignore', 'inherit', 'inherit'] })
namesOfTypes(join(dist, 'esm'))
cpSync(join(dist, 'esm'), join(dist, 'cjs'), { recursive: true })
for (const [format, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
]) {
  mkdirSync(join(dist, format), { recursive: true })
  writeFileSync(join(dist, format, 'package.json'), `${JSON.stringify({ type })}\n`)
  await build({
    entryPoints: [join(folder, 'src', 'gateway-client.ts')],
    outfile: join(dist, format, 'gateway-client.js'),
    bundle: true,
    format,
    // No platform: whatever is not of every runtime does not resolve.
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  })
}

/** Declarations name the sources that they are of; beside them lie JavaScript files. */
function namesOfTypes(types) {
  for (const name of readdirSync(types, { recursive: true }).filter((one) => one.endsWith('.d.ts'))) {
    const file = join(types, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'))
  }
}
