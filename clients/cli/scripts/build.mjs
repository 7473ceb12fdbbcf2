// Makes dist/gateway-cli.mjs: the whole program in one file, with what it takes of the TypeScript client and of the gateway. The compiler
// and the bundler are those of the repository.
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('..', import.meta.url))
const GRADED_EVENTS = ['charge.succeeded', 'charge.refunded']

const description = join(folder, '..', '..', 'docs', 'openapi.json')

/** The data of the example of each event in the description, with which `grade` writes its messages. */
function readEventExamples() {
  const { webhooks } = JSON.parse(readFileSync(description, 'utf8'))
  const exampleOf = ({ post }) => post.requestBody.content['application/json'].example.data
  return Object.fromEntries(GRADED_EVENTS.map((event) => [event, exampleOf(webhooks[event])]))
}

/** Writes the program into this file. */
export async function bundleCli(outfile) {
  await build({
    define: { EVENT_EXAMPLES: JSON.stringify(readEventExamples()) },
    entryPoints: [join(folder, 'src', 'gateway-cli.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'eof',
    logLevel: 'warning',
    banner: { js: '#!/usr/bin/env node' },
  })
  chmodSync(outfile, 0o755)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  execFileSync(process.execPath, [compiler, '-p', folder], { stdio: ['ignore', 'inherit', 'inherit'] })
  await bundleCli(join(folder, 'dist', 'gateway-cli.mjs'))
}
