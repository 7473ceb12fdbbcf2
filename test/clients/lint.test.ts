import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { DOCUMENT, INSTALL, inFolder, run, TOOLS } from './made-client.ts'

const BIN = join(TOOLS, 'node_modules', '.bin')
const REDOCLY = join(BIN, 'redocly')
const SPECTRAL = join(BIN, 'spectral')
const skip = (program: string, name: string) => (existsSync(program) ? false : `${name} is not installed: ${INSTALL}`)
// Neither says to its makers that it runs.
const QUIET = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: '1' }

type Finding = { rule: string; place: string }

/** What a linter printed. It ends with an error where it has found something. */
async function printed(program: string, ...words: string[]): Promise<string> {
  const { stdout } = await run(program, words, { cwd: TOOLS, env: QUIET, maxBuffer: 1 << 26 }).catch(
    (failed: { stdout: string }) => failed,
  )
  return stdout
}

async function askRedocly(file: string): Promise<Finding[]> {
  const { problems } = JSON.parse(await printed(REDOCLY, 'lint', file, '--config', 'redocly.yaml', '--format', 'json'))
  return problems
    .filter(({ ignored }: { ignored?: boolean }) => !ignored)
    .map(({ ruleId, location: [at] }: any) => ({ rule: ruleId, place: at.pointer }))
}

async function askSpectral(file: string): Promise<Finding[]> {
  const said = await printed(SPECTRAL, 'lint', file, '--ruleset', 'spectral.yaml', '--format', 'json', '--quiet')
  return JSON.parse(said).map(({ code, path }: any) => ({ rule: code, place: path.join('/') }))
}

/** Writes the description without the summary and the description of one operation. */
function spoil(folder: string): string {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
  delete document.paths['/v1/balance'].get.summary
  delete document.paths['/v1/balance'].get.description
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  return file
}

for (const [name, program, ask, rule] of [
  ['redocly', REDOCLY, askRedocly, 'operation-summary'],
  ['spectral', SPECTRAL, askSpectral, 'operation-description'],
] as const)
  test(
    `${name} finds nothing in the description, and notices what is taken out of it`,
    {
      skip: skip(program, name),
    },
    () =>
      inFolder(async (folder) => {
        assert.deepEqual(await ask(DOCUMENT), [])
        assert.ok((await ask(spoil(folder))).some((finding) => finding.rule === rule))
      }),
  )
