import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { readyToRefund } from '../helpers/ready-to-refund.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const TOOLS = join(ROOT, 'tools', 'clients')
const DOCUMENT = join(ROOT, 'docs', 'openapi.json')
const INSTALL = 'install the generators with `npm run client-tools`'
const HEY_API = join(TOOLS, 'node_modules', '@hey-api', 'openapi-ts', 'bin', 'run.js')
const GO = join(TOOLS, 'oapi-codegen')
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen'
// What was downloaded when the tools were installed, and nothing else.
const OFFLINE = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' }
const run = promisify(execFile)

/** What a client reads: the word of a status, all pages, what a file of payouts made, and the payout of a refund. */
const READ = { status: 'succeeded', listed: 3, bulk: 1, refund: 'authorized', amount: 5000 }

const hasOapiCodegen = () =>
  spawnSync('go', ['list', OAPI_CODEGEN, 'github.com/oapi-codegen/runtime'], { cwd: GO, env: OFFLINE })
    .status === 0

/** Gives `work` a folder of its own that is gone afterwards. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-more-clients-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test(
  'a TypeScript client that hey-api makes compiles, reads a status, pages, sends a file and refunds',
  { skip: existsSync(HEY_API) ? false : `@hey-api/openapi-ts is not installed: ${INSTALL}` },
  () =>
    inFolder(async (folder) => {
      symlinkSync(join(TOOLS, 'node_modules'), join(folder, 'node_modules'))
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      copyFileSync(join(TOOLS, 'consumer_hey.ts'), join(folder, 'consumer.ts'))
      const words = ['-i', DOCUMENT, '-o', 'made', '-c', '@hey-api/client-fetch']
      await run(process.execPath, [HEY_API, ...words], { cwd: folder })
      const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
      const options = '--strict --target es2023 --module nodenext --skipLibCheck --types node --typeRoots'
      const types = join(ROOT, 'node_modules', '@types')
      await run(process.execPath, [compiler, ...options.split(' '), types, 'consumer.ts'], { cwd: folder })
      await readyToRefund(async (env) => {
        const { stdout } = await run(process.execPath, ['consumer.js'], { cwd: folder, env })
        assert.deepEqual(JSON.parse(stdout), READ)
      })
    }),
)

test(
  'a Go client that oapi-codegen makes compiles, reads a status, pages, sends a file and refunds',
  { skip: hasOapiCodegen() ? false : `oapi-codegen is not installed: ${INSTALL} (it wants Go)` },
  () =>
    inFolder(async (folder) => {
      for (const file of ['go.mod', 'go.sum', 'main.go']) copyFileSync(join(GO, file), join(folder, file))
      mkdirSync(join(folder, 'gateway'))
      // It drops what webhooks alone refer to, unless it is told not to.
      const generate = [
        '-generate',
        'types,client,skip-prune',
        '-package',
        'gateway',
        '-o',
        'gateway/gateway.go',
      ]
      await run('go', ['tool', 'oapi-codegen', ...generate, DOCUMENT], { cwd: folder, env: OFFLINE })
      await readyToRefund(async (env) => {
        const { stdout } = await run('go', ['run', '.'], { cwd: folder, env: { ...env, ...goOf(OFFLINE) } })
        assert.deepEqual(JSON.parse(stdout), READ)
      })
    }),
)

const goOf = ({ GOPROXY, GOFLAGS, GOTOOLCHAIN }: typeof OFFLINE) => ({ GOPROXY, GOFLAGS, GOTOOLCHAIN })
