import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readyToRefund } from '../helpers/payments/ready-to-refund.ts'
import { DOCUMENT, inFolder, run, TOOLS } from './made-client.ts'

const PYTHON = join(TOOLS, '.venv', 'bin', 'python')
const LIBRARIES = join(TOOLS, '.venv', 'lib')
const JAR = jarIn(LIBRARIES)

/** The program that pip has installed, where it has. */
function jarIn(folder: string): string | null {
  const found = existsSync(folder) ? readdirSync(folder) : []
  const jars = found.map((name) =>
    join(folder, name, 'site-packages', 'openapi_generator_cli', 'openapi-generator.jar'),
  )
  return jars.find((jar) => existsSync(jar)) ?? null
}

/** Why a test is not run here, or false. A client takes a minute of processor time to make. */
function missing(...programs: string[]): string | false {
  const absent = programs.filter((program) => spawnSync(program, ['-version']).error !== undefined)
  const generator = JAR === null ? ['openapi-generator (install the generators with `npm run client-tools`)'] : []
  const all = [...generator, ...absent]
  return all.length > 0 && `not installed: ${all.join(', ')}`
}

const generate = (language: string, to: string, ...more: string[]) =>
  run('java', ['-jar', JAR ?? '', 'generate', '-i', DOCUMENT, '-g', language, '-o', to, ...more])

/** What a client reads: the word of a status, all pages, what a bulk call made, and the payout of a refund. */
const READ = { status: 'succeeded', listed: 3, bulk: 1, refund: 'authorized', amount: 5000 }

test(
  'a Go client that openapi-generator makes compiles, reads a status, pages, pays many and refunds',
  { skip: missing('java', 'go') },
  () =>
    inFolder(async (folder) => {
      const own = ['--package-name', 'gateway', '--additional-properties=withGoMod=false']
      await generate('go', join(folder, 'gateway'), ...own)
      rmSync(join(folder, 'gateway', 'test'), { recursive: true, force: true })
      writeFileSync(join(folder, 'go.mod'), 'module shop\n\ngo 1.21\n')
      copyFileSync(join(TOOLS, 'consumer.go'), join(folder, 'main.go'))
      await readyToRefund(async (env) => {
        const settings = { ...env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' }
        const { stdout } = await run('go', ['run', '.'], { cwd: folder, env: settings })
        assert.deepEqual(JSON.parse(stdout), READ)
      })
    }),
)

test(
  'a Python client that openapi-generator makes imports, reads a status, pages, pays many and refunds',
  { skip: missing('java', PYTHON) },
  () =>
    inFolder(async (folder) => {
      await generate('python', folder, '--package-name', 'gateway_client')
      await readyToRefund(async (env) => {
        const settings = { ...env, PYTHONPATH: folder }
        const { stdout } = await run(PYTHON, [join(TOOLS, 'consumer_generator.py')], { env: settings })
        assert.deepEqual(JSON.parse(stdout), READ)
      })
    }),
)

test(
  'a PHP client that openapi-generator makes reads a status as a text and a refund as its payout',
  { skip: missing('java') },
  () =>
    inFolder(async (folder) => {
      await generate('php', folder)
      const model = (name: string) => readFileSync(join(folder, 'lib', 'Model', `${name}.php`), 'utf8')
      const typesOf = (name: string) => /\$openAPITypes = \[(.*?)\]/s.exec(model(name))?.[1] ?? ''
      for (const field of ['status', 'channel', 'failure_reason'])
        assert.match(typesOf('Charge'), new RegExp(`'${field}' => 'string'`), field)
      assert.match(typesOf('Payout'), /'status' => 'string'/)
      assert.match(typesOf('Refund'), /'refund' => '\\OpenAPI\\Client\\Model\\RefundPayout'/)
    }),
)
