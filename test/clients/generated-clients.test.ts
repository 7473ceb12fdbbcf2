import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readyToRefund } from '../helpers/payments/ready-to-refund.ts'
import { compiled, DOCUMENT, INSTALL, inFolder, linkPackages, run, TOOLS } from './made-client.ts'

const TYPESCRIPT = join(TOOLS, 'node_modules', 'openapi-typescript', 'bin', 'cli.js')
const PYTHON = join(TOOLS, '.venv', 'bin', 'python')

const ANSWERED = {
  status: 'succeeded',
  listed: 3,
  file: 1,
  repaid: 'authorized',
  charge: 'authorized',
  net: 4800,
  payout: 'authorized',
  bulk: true,
  refund: 'refunded',
  pdf: '%PDF-',
}

test(
  'C10: a TypeScript client made of the description compiles, charges, pays, pays many and refunds',
  { skip: existsSync(TYPESCRIPT) ? false : `openapi-typescript is not installed: ${INSTALL}` },
  () =>
    inFolder(async (folder) => {
      await run(process.execPath, [TYPESCRIPT, DOCUMENT, '-o', join(folder, 'api.d.ts')])
      linkPackages(folder)
      const consume = await compiled(folder, 'consumer.ts')
      await readyToRefund(async (env) => assert.deepEqual(await consume(env), ANSWERED))
    }),
)

test(
  'C10: a Python client made of the description imports, charges, pays, pays many and refunds',
  {
    skip: existsSync(PYTHON) ? false : `openapi-python-client is not installed: ${INSTALL} (it wants Python 3)`,
  },
  () =>
    inFolder(async (folder) => {
      const made = join(folder, 'made')
      const words = ['generate', '--meta', 'none', '--config', join(TOOLS, 'config.yml'), '--path', DOCUMENT]
      const generator = ['-m', 'openapi_python_client', ...words, '--output-path', join(made, 'gateway_api_client')]
      await run('mkdir', ['-p', made])
      const { stdout: out, stderr } = await run(PYTHON, generator)
      // A CSV body is the one thing that the generator knows not of; JSON is there.
      const warnings = (out + stderr).split('\n').filter((line) => line.startsWith('WARNING'))
      assert.deepEqual(warnings, ['WARNING parsing POST /v1/payouts/bulk within payouts.'])
      await readyToRefund(async (env) => {
        const program = { env: { ...env, PYTHONPATH: made } }
        const { stdout } = await run(PYTHON, [join(TOOLS, 'consumer.py')], program)
        assert.deepEqual(JSON.parse(stdout), ANSWERED)
      })
    }),
)

test('C10: the generators are named exactly, so that every machine makes the same clients', () => {
  const wanted = readFileSync(join(TOOLS, 'requirements.txt'), 'utf8').trim().split('\n')
  for (const one of wanted) assert.match(one, /^[a-zA-Z0-9_.-]+==[a-z0-9.]+$/)
  assert.ok(wanted.some((one) => one.startsWith('openapi-python-client==')))
})
