import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { opened } from '../helpers/service/opened.ts'
import { startService, type TestService } from '../helpers/service/test-service.ts'
import { fundTest } from '../helpers/vending/paid-orders.ts'
import { INSTALL, inFolder, run, TOOLS } from './made-client.ts'

const BIN = join(TOOLS, 'node_modules', '.bin')
const [NEWMAN, BRU] = [join(BIN, 'newman'), join(BIN, 'bru')]
const missing = (program: string) => (existsSync(program) ? false : `not installed: ${INSTALL}`)
const PYTHON = spawnSync('python3', ['--version']).error === undefined ? false : 'no python3, which unpacks the archive'

// The address of the example, which no name server knows.
const service = opened(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: 'shop.example:443' } }))

/** The requests that are refused, with their answers: the charge is not paid yet, and only staff switch vending on. */
const REFUSED: Record<string, number> = {
  'Refund a charge in full': 400,
  'Create an order that a machine dispenses once it is paid': 403,
  'Read one vending order': 404,
  'Take back an order that nobody pays': 404,
  'Dispense a paid order whose dispense has failed': 404,
  'Spend a succeeded charge of your own on one dispense': 403,
  'List your machines, newest first': 403,
  'What is in a machine now, with prices': 403,
}

/** A test key of a business with money and an event. */
async function newKey({ merchant, rows }: TestService): Promise<string> {
  const made = await merchant()
  const [row] = await rows<{ merchantId: number; tag: string }>(
    'select id as "merchantId", tag from merchants where public_id = $1',
    [made.id],
  )
  assert.ok(row)
  await fundTest(service, row, 1_000_000)
  await service.client(made.keys.test).post('/v1/test/events', { event: 'charge.succeeded' })
  await service.run('seal-events')
  await service.gateway.requests.flush()
  return made.keys.test
}

// The ids of the description's examples end so.
const EXAMPLE_ID = 'k3v9q0123456789abcdef'
type Sent = { name: string; path: string; status: number }
/** Checks what a program has sent: all of it, each with its answer, and what was made is what was read after it. */
function judge(sent: readonly Sent[]): void {
  assert.deepEqual(
    Object.fromEntries(sent.filter(({ status }) => status >= 300).map(({ name, status }) => [name, status])),
    REFUSED,
  )
  assert.ok(sent.length > 40, `${sent.length} requests`)
  const good = sent.filter(({ status }) => status < 300)
  assert.ok(!good.some(({ path }) => path.includes(EXAMPLE_ID)), 'each is about what one before it made')
}

test(
  'newman sends every request of the Postman collection, each about what the one before it made',
  { skip: missing(NEWMAN) },
  () =>
    inFolder(async (folder) => {
      const report = join(folder, 'report.json')
      const key = await newKey(service)
      const words = [
        'run',
        `${service.url}/postman.json`,
        '--env-var',
        `apiKey=${key}`,
        '--env-var',
        `baseUrl=${service.url}`,
      ]
      // It ends with an error where a request was refused.
      await run(NEWMAN, [...words, '-r', 'json', '--reporter-json-export', report], { cwd: folder }).catch(() => {})
      const { executions } = JSON.parse(readFileSync(report, 'utf8')).run
      judge(
        executions.map(({ item, request, response }: any) => ({
          name: item.name,
          path: request.url.path.join('/'),
          status: response?.code ?? 0,
        })),
      )
    }),
)

test(
  'Bruno sends every request of its collection, each about what the one before it made',
  { skip: missing(BRU) || PYTHON },
  () =>
    inFolder(async (folder) => {
      const home = join(folder, 'collection')
      mkdirSync(home)
      const archive = join(folder, 'bruno.zip')
      writeFileSync(archive, Buffer.from(await (await fetch(`${service.url}/bruno.zip`)).arrayBuffer()))
      await run('python3', ['-m', 'zipfile', '-e', archive, home])
      const report = join(folder, 'report.json')
      const own = [
        '--env',
        'Gateway',
        '--env-var',
        `apiKey=${await newKey(service)}`,
        '--env-var',
        `baseUrl=${service.url}`,
      ]
      await run(BRU, ['run', '-r', ...own, '--reporter-json', report], { cwd: home }).catch(() => {})
      const [{ results }] = JSON.parse(readFileSync(report, 'utf8'))
      judge(
        results.map(({ name, request, response }: any) => ({
          name: name ?? request.name,
          path: new URL(request.url).pathname,
          status: response.status,
        })),
      )
    }),
)
