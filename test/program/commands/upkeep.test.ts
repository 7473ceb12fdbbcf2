import assert from 'node:assert/strict'
import test from 'node:test'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { assertRefused, oneJson, type Ran, runInside } from '../../helpers/service/command-line.ts'
import { installationsFile } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'
import { whileUnbalanced } from './unbalanced.ts'

const service = openedAndVerified(() => startService())
const { settings, run, json } = commandsOn(service)
const SWEEPS = ['follow-charges', 'settle-charges', 'send-deliveries', 'finish-keys', 'checkpoint-ledgers', 'prune']

test('sandbox set and sandbox clock: a realistic hold, released by moving the clock of one merchant', async () => {
  const made = await service.merchant({ handle: 'sandbox-shop' })
  const api = service.client(made.keys.test)
  assert.deepEqual(await json('sandbox', 'set', 'sandbox-shop', '--hold', 'realistic'), {
    merchant: 'sandbox-shop',
    hold: 'realistic',
    fail_next_payouts: 0,
    reason: null,
  })
  await api.charge()
  service.pass(2000)
  await service.run('follow-charges')
  assert.deepEqual(await balanceOf(api), { available: 0, pending: 4800 })
  const advance = (step: string) => json('sandbox', 'clock', 'sandbox-shop', '--advance', step)
  const first = await advance('90m')
  assert.deepEqual([first.merchant, first.offset_ms, first.settled], ['sandbox-shop', 5_400_000, 0])
  // The command uses the machine's clock, which is two seconds behind the moved clock of the service.
  assert.equal((await advance('24h')).settled, 1)
  assert.deepEqual(await balanceOf(api), { available: 4800, pending: 0 })
  const month = await advance('next-month')
  const kampala = new Date(Date.parse(month.test_time) + 3 * 3_600_000)
  assert.equal(kampala.getUTCDate(), 1)
  assert.equal(kampala.getUTCHours(), 0)
  assert.equal((await advance('30d')).offset_ms, month.offset_ms + 30 * 86_400_000)
})

test('sandbox set arms and disarms the switch of the next payouts', async () => {
  await service.merchant({ handle: 'failing-shop' })
  const set = (...args: string[]) => json('sandbox', 'set', 'failing-shop', ...args)
  const armed = await set('--fail-next-payouts', '3', '--reason', 'wallet_locked')
  assert.deepEqual([armed.hold, armed.fail_next_payouts, armed.reason], ['none', 3, 'wallet_locked'])
  const off = await set('--fail-next-payouts', '0')
  assert.deepEqual([off.fail_next_payouts, off.reason], [0, null])
})

test('sweep runs every task once, or the one named', async () => {
  const made = await service.merchant()
  await service.client(made.keys.test).charge()
  await service.rows(
    `update charges set follow_at = now() - interval '1 minute', created_at = now() - interval '1 minute'
     where follow_at is not null`,
  )
  assert.deepEqual(await json('sweep', 'follow-charges'), { 'follow-charges': 1 })
  const all = await json('sweep')
  for (const name of SWEEPS) assert.equal(typeof all[name], 'number', name)
  assert.equal(all['follow-charges'], 0)
})

test('migrate does nothing the second time, also many at once', async () => {
  const together = await Promise.all([json('migrate'), json('migrate'), json('migrate')])
  for (const { applied, cells, role } of together) {
    assert.deepEqual(applied, [])
    assert.deepEqual(cells, ['cell_0'])
    assert.equal(role, 'gateway_app')
  }
})

test('verify looks at every invariant and holds', async () => {
  const { holds, cells } = await json('verify')
  assert.equal(holds, true)
  assert.ok(cells[0].findings.length > 10)
  assert.match((await run('verify')).stdout, /every invariant holds/)
})

test('verify exits with 1 on a breach and names the invariant', async () => {
  const { id } = await service.merchant()
  const broken = oneJson(await whileUnbalanced(service, id, () => run('verify', '--json')), 1)
  assert.equal(broken.holds, false)
  const named = broken.cells[0].findings
    .filter((finding: any) => finding.violations > 0)
    .map((finding: any) => finding.id)
  assert.ok(named.includes('L2'), `${named}`)
  const { offenders } = broken.cells[0].findings.find((finding: any) => finding.id === 'L2')
  assert.deepEqual(Object.keys(offenders[0]), ['merchant_id', 'mode', 'offender'])
})

test('doctor warns outside production and refuses inside', async () => {
  const warned = await json('doctor')
  assert.equal(warned.ok, true)
  assert.ok(warned.findings.length > 0)
  assert.ok(warned.findings.every((finding: any) => finding.level === 'warning'))
  assert.match(warned.promises.join(), /can be lost with a crash of the database \(synchronous_commit is off\)/)
  const production = {
    ...settings,
    NODE_ENV: 'production',
    BASE_URL: 'http://pay.shops.invalid',
    TRUSTED_PROXIES: '1',
  }
  const refused = oneJson(await runInside(['doctor', '--json'], production), 1)
  assert.equal(refused.ok, false)
  const says = refused.findings.map((finding: any) => `${finding.level} ${finding.says}`).join('\n')
  assert.match(says, /refused BASE_URL is not https/)
  assert.match(says, /refused the database has fsync = off/)
  assert.match(says, /warning MAIL_URL is unset/)
  assert.match(says, /warning SUPPORT_EMAIL, SUPPORT_PHONE and SUPPORT_WHATSAPP are unset: set one, so that/)
  assert.match(says, /warning the console has no admin: make one with "gateway admin create --email E"/)
  assert.match(says, /warning OP1_INSTALLATIONS is empty: live charges and payouts are refused/)
})

test('a wrong list of servers is refused with what is wrong with it, by every command', async () => {
  for (const [url, says] of [
    ['postgres://u@one:5432,/gateway', /^DATABASE_URL names a server without a host: give each one/],
    ['postgres://u@one,two/gateway?target_session_attrs=standby', /^DATABASE_URL has target_session_attrs=standby/],
  ] as const)
    assertRefused(await runInside(['merchants', 'list'], { ...settings, DATABASE_URL: url }), { code: 2, says })
})

test('doctor names a contract behind which no money moves, and the side that has none', async () => {
  const collection = { subscriptionKey: 'key', user: 'user', secret: 'secret' }
  const one = { id: 'ug-1', baseUrl: 'http://127.0.0.1:8590', targetEnvironment: 'mtnuganda', collection }
  const says = async (contract: object) => {
    const file = installationsFile([contract])
    const production = {
      ...{ ...settings, NODE_ENV: 'production', TRUSTED_PROXIES: '1', OP1_INSTALLATIONS: file.path },
      BASE_URL: 'https://pay.shops.invalid',
    }
    const ran = await runInside(['doctor', '--json'], production).finally(file.remove)
    const { findings } = oneJson(ran, 1)
    return findings.map((found: any) => `${found.level} ${found.says}`).join('\n')
  }
  const emulator = await says(one)
  assert.match(emulator, /^refused OP1_INSTALLATIONS has ug-1 at http:\/\/127\.0\.0\.1:8590, .* emulator/m)
  assert.match(emulator, /^warning no active contract .* "disbursement": live payouts are refused/m)
  const sandbox = await says({ ...one, baseUrl: 'https://op.invalid', targetEnvironment: 'sandbox' })
  assert.match(sandbox, /^warning OP1_INSTALLATIONS has ug-1 in the operator's sandbox/m)
  assert.doesNotMatch(sandbox, /emulator/)
  assert.match(await says({ ...one, active: false }), /^warning no active contract .* "collection"/m)
})

test('wrong settings are named all at once with exit code 2', async () => {
  const ran = await runInside(['merchants', 'list'], {
    ...settings,
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    SANDBOX_OUTCOME_SECONDS: '6',
    WEBHOOK_RETRY_DELAYS: '1,2,3',
    MASTER_KEY: 'short',
  })
  for (const name of ['PORT', 'LOG_LEVEL', 'SANDBOX_OUTCOME_SECONDS', 'WEBHOOK_RETRY_DELAYS', 'MASTER_KEY'])
    assertRefused(ran, { code: 2, says: new RegExp(`^${name} must `, 'm') })
  assert.ok(!ran.stderr.includes('short'), 'no value of a secret is echoed')
})

test('DATABASE_URL without MASTER_KEY, and the wrong MASTER_KEY, are refused with their sentences', async () => {
  const { DATABASE_URL = '' } = settings
  const [missing, wrong, hooks] = await Promise.all([
    runInside(['merchants', 'list'], { DATABASE_URL }),
    runInside(['merchants', 'list'], { DATABASE_URL, MASTER_KEY: Buffer.alloc(32, 8).toString('base64') }),
    runInside(['merchants', 'list'], { ...settings, CRASH_POINT: 'charge.moved' }),
  ])
  assertRefused(missing as Ran, { code: 2, says: /^MASTER_KEY is required with DATABASE_URL/ })
  assertRefused(wrong as Ran, {
    code: 2,
    says: /^MASTER_KEY is not the key that the secrets of this database were sealed with\n$/,
  })
  assertRefused(hooks as Ran, { code: 2, says: /^CRASH_POINT needs TEST_HOOKS=1\n$/ })
})

test('a database that is not there is a sentence and exit code 1, no stack', async () => {
  const ran = await runInside(['merchants', 'list'], {
    ...settings,
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
  })
  assertRefused(ran, { code: 1, says: /database/ })
})

test('help names every command', async () => {
  const { code, stdout } = await run('help')
  assert.equal(code, 0)
  for (const name of [
    ...['serve', 'merchants create', 'merchants list', 'merchants show', 'merchants set', 'keys rotate', 'funds add'],
    ...['payouts freeze', 'payouts unfreeze', 'sandbox set', 'sandbox clock', 'migrate', 'sweep', 'verify', 'doctor'],
  ])
    assert.match(stdout, new RegExp(`^  ${name}\\b`, 'm'))
})
