// Makes src/generated of docs/openapi.json with @hey-api/openapi-ts, which `npm run client-tools` installs: types and one function for each call.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const generator = join(root, 'tools', 'clients', 'node_modules', '@hey-api', 'openapi-ts', 'bin', 'run.js')
// The calls are made without a client of the generator: ours sends them, so these types are ours too.
const CLIENT = "import type { Client, Options as Options2, TDataShape } from '../client.ts';\n"

/** Writes the generated files into this folder. */
export function generate(folder) {
  const settings = mkdtempSync(join(tmpdir(), 'gateway-generate-'))
  try {
    const config = {
      input: join(root, 'docs', 'openapi.json'),
      output: { path: folder, clean: true, entryFile: false },
      logs: { level: 'silent', file: false },
      plugins: ['@hey-api/typescript', { name: '@hey-api/sdk', client: false }],
    }
    const file = join(settings, 'openapi-ts.config.mjs')
    writeFileSync(file, `export default ${JSON.stringify(config)}\n`)
    execFileSync(process.execPath, [generator, '-f', file], { cwd: settings, stdio: ['ignore', 'ignore', 'inherit'] })
    const calls = join(folder, 'sdk.gen.ts')
    const text = readFileSync(calls, 'utf8')
      .replaceAll("'./types.gen.js'", "'./types.gen.ts'")
      .replaceAll("'./types.gen'", "'./types.gen.ts'")
      // What a key needs is for the transport to know: each call says only whether it needs one.
      .replaceAll(", { name: 'Signature', type: 'apiKey' }]", ']')
    writeFileSync(calls, text.replace('\nimport type', `\n${CLIENT}import type`))
  } finally {
    rmSync(settings, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (existsSync(generator)) generate(fileURLToPath(new URL('../src/generated', import.meta.url)))
  else {
    console.error(
      'clients/typescript/src/generated is as it was: @hey-api/openapi-ts comes with `npm run client-tools`',
    )
    if (!process.argv.includes('--if-installed')) process.exit(1)
  }
}
