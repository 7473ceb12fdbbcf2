import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readyToRefund } from '../helpers/payments/ready-to-refund.ts'
import { compiled, DOCUMENT, INSTALL, inFolder, linkPackages, run, TOOLS } from './made-client.ts'

const HEY_API = join(TOOLS, 'node_modules', '@hey-api', 'openapi-ts', 'bin', 'run.js')
const GO = join(TOOLS, 'oapi-codegen')
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen'
// What was downloaded when the tools were installed, and nothing else.
const OFFLINE = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' }

/** What a client reads: the word of a status, all pages, what a file of payouts made, and the payout of a refund. */
const READ = { status: 'succeeded', listed: 3, bulk: 1, refund: 'authorized', amount: 5000 }

const hasOapiCodegen = () =>
  spawnSync('go', ['list', OAPI_CODEGEN, 'github.com/oapi-codegen/runtime'], { cwd: GO, env: OFFLINE }).status === 0

test(
  'a TypeScript client that hey-api makes compiles, reads a status, pages, sends a file and refunds',
  { skip: existsSync(HEY_API) ? false : `@hey-api/openapi-ts is not installed: ${INSTALL}` },
  () =>
    inFolder(async (folder) => {
      linkPackages(folder)
      const words = ['-i', DOCUMENT, '-o', 'made', '-c', '@hey-api/client-fetch']
      await run(process.execPath, [HEY_API, ...words], { cwd: folder })
      const consume = await compiled(folder, 'consumer_hey.ts')
      await readyToRefund(async (env) => assert.deepEqual(await consume(env), READ))
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
      const generate = ['-generate', 'types,client,skip-prune', '-package', 'gateway', '-o', 'gateway/gateway.go']
      await run('go', ['tool', 'oapi-codegen', ...generate, DOCUMENT], { cwd: folder, env: OFFLINE })
      await readyToRefund(async (env) => {
        const { stdout } = await run('go', ['run', '.'], { cwd: folder, env: { ...env, ...goOf(OFFLINE) } })
        assert.deepEqual(JSON.parse(stdout), READ)
      })
    }),
)

const goOf = ({ GOPROXY, GOFLAGS, GOTOOLCHAIN }: typeof OFFLINE) => ({ GOPROXY, GOFLAGS, GOTOOLCHAIN })
