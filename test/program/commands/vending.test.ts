import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { readVendingProfile } from '../../../src/selling/vending/suppliers/suppliers.ts'
import { findSupplierAccess } from '../../../src/selling/vending/suppliers/vending-settings.ts'
import { startSupplier } from '../../fakes/supplier.ts'
import { assertRefused, type Ran } from '../../helpers/service/command-line.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'

const supplier = opened(() => startSupplier())
const service = openedAndVerified(() => startService())
const { run, json } = commandsOn(service, { more: () => ({ SUPPLIER_ALLOW_PRIVATE: supplier.place }) })
const access = () => {
  const { baseUrl, key, secret, shbh } = supplier.access
  return ['--base-url', baseUrl, '--key', key, '--secret', secret, '--shbh', shbh]
}

async function shop() {
  const { id } = await service.merchant({ vending: true })
  const { merchant } = await getMerchantNamed(service.gateway, id)
  const { handle } = merchant
  return {
    handle,
    merchant,
    machines: (verb: string, ...rest: string[]) => json('machines', verb, handle, ...rest),
    set: (...rest: string[]) => json('vending', 'set', handle, ...rest),
  }
}
const auditOf = (merchantId: number) =>
  service.rows<any>(
    "select action, subject, after from audit where merchant_id = $1 and action ~ '^(machine|vending)' order by id",
    [merchantId],
  )

test('machines are added, listed and removed, each with a row of audit', async () => {
  const { handle, merchant, machines } = await shop()
  const made = await machines('add', '--machine', 'M-1', '--name', 'Main gate')
  assert.deepEqual([made.machine, made.name, made.registered], ['M-1', 'Main gate', true])
  assert.deepEqual(await machines('add', '--machine', 'M-1'), made, 'said twice it is one machine')
  assert.equal((await machines('add', '--machine', 'M-2')).name, 'M-2')
  assert.deepEqual(
    (await machines('list')).map(({ machine }: any) => machine),
    ['M-2', 'M-1'],
  )
  assert.equal((await run('machines', 'list', handle)).stdout, 'M-2  M-2\nM-1  Main gate\n')
  const removed = await machines('remove', '--machine', 'M-1')
  assert.deepEqual([removed.name, removed.registered], ['Main gate', false])
  await machines('remove', '--machine', 'M-2')
  assert.deepEqual(await machines('list'), [])
  assert.equal((await run('machines', 'list', handle)).stdout, 'no machines\n')
  assert.deepEqual(
    (await auditOf(merchant.id)).map(({ action, subject }) => `${action} ${subject}`),
    ['add M-1', 'add M-1', 'add M-2', 'remove M-1', 'remove M-2'].map((act) => `machine.${act}`),
  )
})

test('the supplier is set once and never shown again; what is not said stays', async () => {
  const { merchant, set, machines } = await shop()
  const place = { base_url: supplier.url, shbh: 'M1' }
  const given = await set(...access())
  assert.deepEqual(given, { ...place, profile: 'default', accept_api_secret: true })
  assert.deepEqual(await findSupplierAccess(service.app, merchant.id), supplier.access)
  await set('--profile', 'optimistic')
  const refused = await set('--accept-api-secret', 'false')
  assert.deepEqual(refused, { ...place, profile: 'optimistic', accept_api_secret: false })
  assert.deepEqual(await readVendingProfile(service.app, merchant.id), {
    profile: 'optimistic',
    acceptApiSecret: false,
  })
  const [row] = await service.rows<any>('select * from vending_suppliers where merchant_id = $1', [merchant.id])
  for (const stored of [JSON.stringify(await auditOf(merchant.id)), row.key_ciphertext, row.secret_ciphertext])
    assert.ok(!stored.toString('latin1').match(/supplier-key|supplier-s3cr3t/), 'sealed, and in no audit')
  supplier.answers('machines', { code: '1', data: [{ jqbh: 'S-1', jqmc: 'Synced' }, { jqmc: 'none' }] })
  const done = { listed: 1, added: 1, updated: 0, inactive: 0, ignored: 1 }
  assert.deepEqual(await machines('sync'), done)
  assert.equal((await machines('list'))[0].name, 'Synced')
  assert.deepEqual((await auditOf(merchant.id)).at(-1), {
    action: 'machine.sync',
    subject: null,
    after: done,
  })
})

test('another supplier replaces the first whole, and ends with no slash', async () => {
  const { merchant, set } = await shop()
  await set(...access())
  const other = ['--base-url', `${supplier.url}/deep/`, '--key', 'k2', '--secret', 's2', '--shbh', '2']
  assert.equal((await set(...other)).base_url, `${supplier.url}/deep`)
  assert.deepEqual(await findSupplierAccess(service.app, merchant.id), {
    baseUrl: `${supplier.url}/deep`,
    key: 'k2',
    secret: 's2',
    shbh: '2',
  })
})

test('what may not be is refused with exit code 1, wrong usage with 2', async () => {
  const { handle, merchant, machines } = await shop()
  await machines('add', '--machine', 'gone')
  await machines('remove', '--machine', 'gone')
  const set = ['vending', 'set', handle]
  const reachedAt = (baseUrl: string) => [...set, ...access().with(1, baseUrl)]
  const unreachable = /^this address is not reachable from the public internet\n(?:for a trial .*\n)?$/
  const cases: [string[], number, RegExp][] = [
    ...[
      'http://supplier.shop.ug',
      'https://10.0.0.7',
      'https://127.0.0.1:1',
      'https://localhost',
      'https://supplier.shop.ug/?a=1',
      'https://user@supplier.shop.ug',
      'ftp://supplier.shop.ug',
      'nothing',
    ].map((url): [string[], number, RegExp] => [reachedAt(url), 1, unreachable]),
    [[...set, ...access().with(7, 'x'.repeat(65))], 1, /shbh must be 1 to 64 characters/],
    [['machines', 'remove', handle, '--machine', 'gone'], 1, /^machine not registered to this merchant\n$/],
    [['machines', 'sync', handle], 1, /^machine supplier is not configured for this merchant\n$/],
    [['machines', 'add', handle, '--machine', 'x'.repeat(65)], 1, /machine must be 1 to 64 characters/],
    [['machines', 'list', 'nobody'], 1, /no merchant called nobody/],
    [set, 2, /nothing to change/],
    [[...set, '--key', 'k'], 2, /give all four/],
    [[...set, '--profile', 'hopeful'], 2, /--profile must be one of default, optimistic/],
    [[...set, '--accept-api-secret', 'yes'], 2, /--accept-api-secret must be one of true, false/],
    [['machines', 'add', handle], 2, /--machine is required/],
    [['machines', 'remove', handle], 2, /--machine is required/],
  ]
  const ran = await Promise.all(cases.map(([args]) => run(...args)))
  for (const [at, [, code, says]] of cases.entries()) assertRefused(ran[at] as Ran, { code, says })
  assert.equal(await findSupplierAccess(service.app, merchant.id), null)
  const { stdout } = await run('doctor')
  assert.match(stdout, /SUPPLIER_ALLOW_PRIVATE lets machine suppliers be private addresses/)
})

test('the supplier of the tests runs as a process of its own, and says how', async () => {
  const program = join(import.meta.dirname, '..', '..', 'fakes', 'supplier-main.js')
  const start = (...args: string[]) => spawn(process.execPath, [program, ...args], { stdio: 'pipe' })
  const help = start('--help')
  const [usage] = await once(help.stdout, 'data')
  assert.match(String(usage), /^usage: npm run supplier/)
  await once(help, 'exit')
  const child = start('--port', '0', '--machine', '*=refuse', '--machine', 'M=accept')
  try {
    const [line] = await once(child.stdout, 'data')
    const url = /http:\S+[0-9]/.exec(String(line))?.[0]
    const asked = await fetch(`${url}/service-api/api/queryMachine`, {
      method: 'POST',
      body: '{"shbh":"M1"}',
    })
    assert.deepEqual(await asked.json(), { code: '1', data: [] })
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})
