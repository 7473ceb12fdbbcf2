import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '..', '..', '..')
export const TOOLS = join(ROOT, 'tools', 'clients')
export const DOCUMENT = join(ROOT, 'docs', 'openapi.json')
export const INSTALL = 'install the generators with `npm run client-tools`'
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const OPTIONS = '--strict --target es2023 --module nodenext --skipLibCheck --types node --typeRoots'.split(' ')

export const run = promisify(execFile)

/** Gives `work` a folder of its own that is gone afterwards. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-clients-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Compiles a consumer of ours beside the client that was made in this folder. Answers how to run it: what it prints, read as JSON. */
export async function compiled(
  folder: string,
  consumer: string,
): Promise<(env: NodeJS.ProcessEnv) => Promise<unknown>> {
  copyFileSync(join(TOOLS, consumer), join(folder, 'consumer.ts'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const types = join(ROOT, 'node_modules', '@types')
  await run(process.execPath, [COMPILER, ...OPTIONS, types, 'consumer.ts'], { cwd: folder })
  return async (env) => JSON.parse((await run(process.execPath, ['consumer.js'], { cwd: folder, env })).stdout)
}

/** The packages of the tools, for a client made in this folder. */
export const linkPackages = (folder: string): void =>
  symlinkSync(join(TOOLS, 'node_modules'), join(folder, 'node_modules'))
