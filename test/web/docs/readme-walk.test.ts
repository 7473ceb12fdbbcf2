import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { makeDemoMerchant } from '../../../src/program/commands/demo.ts'
import { GUIDE_PAGES } from '../../../src/web/docs/guide.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const MISSING = ['bash', 'curl', 'sed'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined)
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

const WALK_OF_README = /^### A walk\n[\s\S]*?^```\n([\s\S]*?)^```$/m
// The guide goes on in the same terminal, page by page in the order of its pages.
const WALK_OF_GUIDE = /^```sh walk\n([\s\S]*?)^```$/gm
const LEAST_BLOCKS = 11

/** The commands of the README and of the guide as they are written, for a service at this address. */
function walkOf(url: string): string {
  const begin = WALK_OF_README.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1]
  assert.ok(begin, 'README.md has no commands below its walk')
  const blocks = GUIDE_PAGES.flatMap((name) => {
    const text = readFileSync(join(ROOT, 'docs', 'guide', `${name}.md`), 'utf8')
    return [...text.matchAll(WALK_OF_GUIDE)].map(([, part = '']) => part)
  })
  assert.ok(blocks.length >= LEAST_BLOCKS, `${blocks.length} blocks of the guide are run`)
  return [begin, ...blocks].join('').replaceAll('http://127.0.0.1:8080', url).replaceAll('{base_url}', url)
}

const OPEN = `select 1 from charges where follow_at is not null
  union all select 1 from payouts where follow_at is not null
  union all select 1 from vending_orders where vending_status in ('pending', 'dispensing')`

/** Waits until everything that the walk has begun has ended. This takes the place of its `sleep`, which may be too short here. */
async function settledServer({ rows }: TestService): Promise<Server> {
  const server = createServer((_request, response) => {
    const settled = eventually('all is settled', async () => {
      // If the server has no connection left for the question, it is asked again.
      const open = await rows(OPEN).catch(() => null)
      return open?.length === 0
    })
    settled.then(
      () => response.end(),
      (error) => response.writeHead(500).end(`${error}\n`),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

// In the shell of the test `npm` runs the built program, and `sleep` waits until everything has ended.
const STAND_INS = `npm() { shift 4; "$NODE" "$PROGRAM" "$@"; }
sleep() { curl -s "$SETTLED"; }
`

/** Runs the script in a folder of its own. Answers with everything it printed. */
async function run(script: string, settings: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'))
  const program = { NODE: process.execPath, PROGRAM: join(ROOT, 'bin', 'gateway.mjs') }
  const env = { PATH: process.env.PATH ?? '', HOME: folder, ...program, ...settings }
  const shell = spawn('bash', ['-c', STAND_INS + script], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (said += chunk))
  const code = await new Promise((resolve) => shell.on('close', resolve))
  const pdf = readFileSync(join(folder, 'statement.pdf'), 'latin1')
  rmSync(folder, { recursive: true, force: true })
  assert.deepEqual([code, pdf.slice(0, 5)], [0, '%PDF-'], said)
  return said
}

test('the walk of the README and of the guide works as it stands, the first refund included', {
  skip: MISSING.length > 0 && `the walk wants ${MISSING.join(', ')}`,
}, async () => {
  const service = await startService({ role: 'all' })
  const settled = await settledServer(service)
  try {
    // As the first start prints it: the request to paste, then the walk with its key.
    const printed = (await makeDemoMerchant(service.gateway, service.url)).join('\n')
    const [request] = /^ {2}curl [^\n]*\\\n(?:[^\n]*\\\n)*[^\n]*$/m.exec(printed) ?? ['']
    const [key = ''] = /sk_test_\w+/.exec(printed) ?? []
    assert.match(request, /hello-1/)
    const script = `${request}\nsleep 3\n${walkOf(service.url).replaceAll('sk_test_...', key)}`
    const said = await run(script, {
      DATABASE_URL: service.database.url,
      MASTER_KEY,
      SETTLED: `http://127.0.0.1:${(settled.address() as AddressInfo).port}/`,
    })
    const codes = [...said.matchAll(/"code":"([a-z_]+)"/g)].map(([, code]) => code)
    assert.deepEqual(
      codes,
      ['insufficient_balance', 'invalid_item', 'insufficient_balance'],
      `the refund without funds, the line that is no phone, and the refund in the log of requests\n${said}`,
    )
    const refused = said.split('\n').find((line) => line.includes('insufficient_balance')) ?? ''
    const { error, hint } = JSON.parse(refused)
    assert.equal(error, 'insufficient available balance: have 50050, need 50750 (amount 50000 + fee 750)')
    assert.match(hint, /at least 700 /)
    const [refunds] = await service.rows<{ n: number }>(
      "select count(*)::int as n from payouts where kind = 'refund' and status = 'succeeded'",
    )
    assert.equal(refunds?.n, 1, said)
    for (const part of ['"status":"authorized"', '"status":"refunded"', '"vending_status":"dispensed"'])
      assert.ok(said.includes(part), `${part}\n${said}`)
  } finally {
    settled.close()
    await service.close()
  }
})
