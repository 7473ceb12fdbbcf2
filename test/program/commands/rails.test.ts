import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { type Emulator, startEmulator } from '../../../emulator/emulator.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database/test-database.ts'
import { runProgram } from '../../helpers/service/command-line.ts'
import { entryFor, installationsFile } from '../../helpers/service/op1-service.ts'

// `rails check` names the exact thing that is missing, and `rails provision` makes a user (rails.md 3.3, 3.12).
let database: TestDatabase
let emulator: Emulator
before(async () => {
  database = await testDatabase()
  emulator = await startEmulator()
})
after(async () => {
  await emulator.close()
  await database.drop()
})

type Check = { installation: string; product: string; check: string; ok: boolean; says: string }

async function check(entry: Record<string, unknown>, args: readonly string[] = []) {
  const file = installationsFile([entry])
  const ran = await runProgram(['rails', 'check', '--json', ...args], {
    DATABASE_URL: database.url,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    OP1_INSTALLATIONS: file.path,
    OP1_SECRET: 'a-secret-of-the-environment',
  })
  file.remove()
  assert.ok(ran.stdout.startsWith('{'), ran.stderr)
  const { ok, checks } = JSON.parse(ran.stdout) as { ok: boolean; checks: Check[] }
  assert.equal(ran.code, ok ? 0 : 1)
  for (const { subscriptionKey, secret } of Object.values(emulator.credentials))
    assert.ok(!ran.stdout.includes(secret) && !ran.stdout.includes(subscriptionKey), 'no secret is printed')
  assert.ok(!ran.stdout.includes('a-secret-of-the-environment'))
  const wrong = checks.filter((check) => !check.ok).map(({ product, check: name, says }) => [product, name, says])
  return { ok, checks, wrong }
}

test('everything is right: each check of each product says so', async () => {
  const { ok, checks } = await check(entryFor(emulator), ['--phone', '0772000001'])
  assert.equal(ok, true, JSON.stringify(checks))
  const names = ['settings', 'name', 'tls', 'clock', 'token', 'status', 'balance', 'lookup', 'callback']
  assert.deepEqual(
    checks.map(({ installation, product, check: name }) => [installation, product, name]),
    ['collection', 'disbursement'].flatMap((product) => names.map((name) => ['ug-1', product, name])),
  )
})

const collection = (change: object) => ({ collection: { ...emulator.credentials.collection, ...change } })
const MISSING: [string, () => Record<string, unknown>, string, string, string][] = [
  [
    'the subscription key',
    () => collection({ subscriptionKey: 'x' }),
    'collection',
    'token',
    'the subscription key is refused',
  ],
  [
    'the secret',
    () => collection({ secret: { env: 'OP1_SECRET' } }),
    'collection',
    'token',
    'user or secret is refused',
  ],
  [
    'the address for callbacks',
    () => ({ callback: { base: 'http://127.0.0.1:9/inbound/op1' } }),
    'disbursement',
    'callback',
    'callbacks do not reach us at http://127.0.0.1:9/inbound/op1: nothing ECONNREFUSED',
  ],
]
for (const [name, change, product, failing, says] of MISSING)
  test(`${name} is named when it is wrong`, async () => {
    const { ok, wrong } = await check({ ...entryFor(emulator), ...change() })
    assert.equal(ok, false)
    assert.ok(
      wrong.some((one) => one[0] === product && one[1] === failing && one[2] === says),
      JSON.stringify(wrong),
    )
  })

test('the environment header and the operator itself are named when they are wrong', async () => {
  const own = await startEmulator({ platform: 'new' })
  const environment = await check({ ...entryFor(own), targetEnvironment: 'mtnghana' })
  assert.ok(
    environment.wrong.some(([, name, says]) => name === 'token' && says === 'the target environment is refused'),
  )
  await own.shut()
  const gone = await check(entryFor(own))
  await own.close()
  assert.ok(gone.wrong.some(([, name, says]) => name === 'token' && says === 'no answer: ECONNREFUSED'))
})

test('a user of the operator’s sandbox is made, and a wrong key says which step failed', async () => {
  const own = await startEmulator({ profile: 'sandbox' })
  const { subscriptionKey } = own.credentials.collection
  const settings = { DATABASE_URL: database.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  const provision = (key: string) =>
    runProgram(
      [
        'rails',
        'provision',
        '--subscription-key',
        key,
        '--callback-host',
        'pay.example',
        '--base-url',
        own.url,
        '--json',
      ],
      settings,
    )
  const made = JSON.parse((await provision(subscriptionKey)).stdout)
  assert.match(made.secret, /^[0-9a-f]{32}$/)
  assert.equal(made.target_environment, 'sandbox')
  const refused = await provision('wrong')
  await own.close()
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^the user was not made: 401/)
})
