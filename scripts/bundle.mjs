// Makes one program of src/main.ts and the packages that it needs, in dist/program: to load 900 files took longer than all else
// that a start does. What serves is a file of its own, which commands leave alone.
import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
// Statements are drawn, passwords are hashed and WAL is stored in threads, which start from files beside the program.
const THREADS = [
  'src/reports/statement/pdf/pdf-worker.ts',
  'src/merchants/people/factors/password-worker.ts',
  'src/platform/backups/wal-stream-thread.ts',
]
// Pictures are decoded, and workbooks read, in processes of their own.
const PROCESSES = ['src/platform/processes/picture-process.ts', 'src/platform/spreadsheets/workbook-process.ts']
// Packages that the program loads as they are, from node_modules.
export const BESIDE = [
  // These read files beside themselves.
  'sharp',
  'pdfkit',
  '@node-rs/argon2',
  // Wanted at few starts.
  'node-pg-migrate',
  'nodemailer',
  'web-push',
  '@simplewebauthn/server',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
]
// Wanted at none: pg and fastify load them only where somebody uses what we do not.
const NEVER_LOADED = ['pg-native', 'light-my-request', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']
// Packages of the old kind ask for Node's own modules in this way.
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)"
// pg looks whether it runs at Cloudflare; where there is no navigator (Node 20) it makes a Response to see, which loads all of fetch.
const NAVIGATOR = JSON.stringify({ userAgent: 'Node.js' })

/** `main` and all it needs as `folder/<name of main>.js`, with what it loads later beside it. */
async function bundle(main, folder) {
  // The bundle is as old as the sources it was made from: what is edited meanwhile is newer than it.
  const began = new Date()
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [main, ...THREADS, ...PROCESSES],
    entryNames: '[name]',
    outdir: join(root, folder),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: [...BESIDE, ...NEVER_LOADED],
    banner: { js: REQUIRE },
    define: { navigator: NAVIGATOR },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    write: false,
  })
  write(join(root, folder), [...outputFiles, ...listLines(outputFiles)], {
    last: `${basename(main, '.ts')}.js`,
    changedAt: began,
  })
}

/**
 * Beside a source map the file that a log line reads: for each line of the bundle the source and its line, where the statement begins.
 * A whole map takes a fifth of a second to read, in which nobody is served.
 */
function listLines(files) {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return files.flatMap(({ path, text }) => {
    const map = texts.get(`${path}.map`)
    return map === undefined
      ? []
      : [{ path: `${path}.lines`, text: JSON.stringify(readLines(dirname(path), text, map)) }]
  })
}

function readLines(folder, bundled, mapText) {
  const map = new SourceMap(JSON.parse(mapText))
  const numbers = new Map()
  const lines = bundled.split('\n').map((line, at) => {
    const { generatedLine, originalSource, originalLine } = map.findEntry(at, line.search(/\S|$/))
    if (generatedLine !== at || originalSource === undefined) return null
    if (!numbers.has(originalSource)) numbers.set(originalSource, numbers.size)
    return [numbers.get(originalSource), originalLine + 1]
  })
  return { sources: [...numbers.keys()].map((source) => relative(root, resolve(folder, source))), lines }
}

/** Each file appears as a whole, the program last: another process may start at this moment, or bundle too. */
function write(folder, files, { last, changedAt }) {
  mkdirSync(folder, { recursive: true })
  const contents = new Map(files.map((file) => [basename(file.path), inAscii(file.text)]))
  for (const name of [...[...contents.keys()].filter((one) => one !== last), last]) {
    const unfinished = join(folder, `${name}.${process.pid}`)
    writeFileSync(unfinished, contents.get(name))
    utimesSync(unfinished, changedAt, changedAt)
    renameSync(unfinished, join(folder, name))
  }
  for (const name of readdirSync(folder))
    if (/\.js(\.map|\.lines)?$/.test(name) && !contents.has(name)) rmSync(join(folder, name), { force: true })
}

/** V8 keeps a source with any other character at two bytes a character, megabytes more for the whole life of a process. */
const inAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

export async function bundleProgram() {
  await bundle('src/main.ts', 'dist/program')
  // What V8 had compiled of the last one (bin/gateway.mjs) is of no use to this one.
  rmSync(join(root, 'dist', '.compiled'), { recursive: true, force: true })
}

/** The same service with a live rail, which tests kill in processes of their own. */
export const bundleTestProgram = () => bundle('test/crash/live-service.ts', 'dist/test-program')

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProgram()
