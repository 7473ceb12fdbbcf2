// Runs a drill on this machine: `npm run drill -- containers`, or `-- guide`; an artefact that was made before may follow. It prints figures, and ends with 1 when one of them breaks its bar, with 3 when
// something that it needs is not here. `-- restore`, `-- failover`, `-- cells` and `-- growing` are written as tests are, and are compiled first.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const DRILLS = { containers: './drills/containers.mjs', guide: './drills/guide.mjs' }
const COMPILED = ['restore', 'failover', 'cells', 'growing']
const CANNOT_RUN = 3

const [name, ...words] = process.argv.slice(2)
if (COMPILED.includes(name)) process.exit(runCompiled())
if (DRILLS[name] === undefined) {
  console.error(
    `there is no drill ${name ?? '(none given)'}; known: ${[...COMPILED, ...Object.keys(DRILLS)].join(', ')}`,
  )
  process.exit(2)
}
const { runDrill } = await import(DRILLS[name])
const { missing, breaches } = await runDrill(words)
if (missing !== null) {
  console.log(`cannot run here: ${missing}`)
  process.exit(CANNOT_RUN)
}
for (const breach of breaches) console.log(`BREACH: ${breach}`)
process.exit(breaches.length === 0 ? 0 : 1)

function runCompiled() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
  return run('scripts/build.mjs') || run('dist/test/drill/main.js', ...process.argv.slice(2))
}
