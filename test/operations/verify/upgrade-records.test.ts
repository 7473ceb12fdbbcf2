import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { INVARIANTS } from '../../../src/operations/verify/invariants/invariants.ts'
import { verifySnapshot } from '../../../src/operations/verify/verify.ts'
import { setWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { ROOT } from '../../../src/platform/processes/root.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { connect } from './rolled-back.ts'

// An upgrade meets rows whose acts said less, or were never written: it records what stands, and calls nothing of it a breach.
const service = opened(() => startService())
const owner = opened(async () => {
  const client = await connect(service.database.url)
  return { query: (sql: string, values?: unknown[]) => client.query(sql, values), close: () => client.end() }
})

/** What a migration records, without the index that it makes first. */
async function record(place: 'cell_0' | 'directory', file: string): Promise<void> {
  const text = readFileSync(join(ROOT, 'migrations', file), 'utf8')
  await owner.query(`set search_path = ${place}`)
  await owner.query(`begin; ${text.slice(text.indexOf('lock table'))}; commit`)
  await owner.query('set search_path = cell_0')
}
const past = (sql: string, values?: unknown[]) =>
  owner
    .query('set session_replication_role = replica')
    .then(() => owner.query(sql, values))
    .finally(() => owner.query('set session_replication_role = origin'))
// The others look at money, and would take most of the time.
const OWN = INVARIANTS.filter(({ id }) => /^(?:AC|TE|DE|G3)/.test(id))
const broken = async () =>
  (await service.app.db.snapshot((client) => verifySnapshot(client, service.clock.now(), OWN))).flatMap(
    ({ id, offenders }) => offenders.map(({ offender }) => `${id} ${offender}`),
  )

test('what stood before an upgrade is recorded by it, is no breach, and cannot be changed unseen from then on', async () => {
  const merchant = await service.merchant({ verified: true })
  const person = await signedInAs(service, merchant, { role: 'viewer' })
  const operator = await operatorSignedIn(service, 'support')
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  const { body: sub } = await service
    .client(merchant.keys.test)
    .post('/v1/subaccounts', { name: 'Farm', payout_phone: '0772000111' })
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: row.id, phone: '0772000111' })
  await past('delete from cell_0.audit; delete from directory.audit')
  await past('delete from cell_0.audit_to_seal; delete from directory.audit_to_seal')
  await past('delete from cell_0.audit_seals; delete from directory.audit_seals')
  await record('cell_0', 'cell/0096_what_stands_is_audited.sql')
  await record('directory', 'directory/0040_who_may_act_is_audited.sql')
  assert.deepEqual(await broken(), [])
  const changes: [sql: string, back: string, found: string][] = [
    [
      `update withdrawal_numbers set phone = '256772999111', verified_at = null`,
      `update withdrawal_numbers set phone = '256772000111'`,
      `TE3 the number of merchant ${row.id}`,
    ],
    [
      `update subaccounts set payout_phone = '256772999111'`,
      `update subaccounts set payout_phone = '256772000111'`,
      `TE3 ${sub.id}`,
    ],
    [
      'update merchants set payout_limit = 5',
      'update merchants set payout_limit = null',
      `TE1 payoutLimit of ${merchant.id}`,
    ],
    [
      `update merchants set kyc_status = 'rejected'`,
      `update merchants set kyc_status = 'verified'`,
      `TE2 ${merchant.id}`,
    ],
    [
      `update directory.memberships set role = 'owner' where person_id = ${person.personId}`,
      `update directory.memberships set role = 'viewer' where person_id = ${person.personId}`,
      `AC1 ${await publicIdOf(person.personId)} at ${merchant.id}`,
    ],
    [
      `update directory.people set operator_role = 'admin' where operator_role = 'support'`,
      `update directory.people set operator_role = 'support' where operator_role = 'admin'`,
      `AC2 ${operator.publicId}`,
    ],
    [
      `update directory.merchants set handle = 'thief'`,
      `update directory.merchants set handle = '${row.handle}'`,
      `AC4 ${merchant.id}`,
    ],
    [
      `update directory.api_keys set kind = 'live' where kind = 'live_collections'`,
      `update directory.api_keys k set kind = 'live_collections' where kind = 'live' and id in
        (select id from cell_0.api_keys where kind = 'live_collections')`,
      'AC3',
    ],
  ]
  for (const [sql, back, found] of changes) {
    await owner.query(sql)
    const seen = await broken()
    assert.ok(
      seen.some((one) => one.startsWith(found)),
      `${sql}: ${seen}`,
    )
    await past(back)
    assert.deepEqual(await broken(), [], back)
  }
})

test('what a process of the release before writes after the upgrade is no breach', async () => {
  const merchant = await service.merchant({ verified: true })
  const person = await signedInAs(service, merchant, { role: 'viewer' })
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: row.id, phone: '0772000333' })
  await service.client(merchant.keys.test).post('/v1/subaccounts', { name: 'Shop', payout_phone: '0772000444' })
  // As its rows were: nobody is named, no digests, no row of a new subaccount.
  await past(`update cell_0.audit set after = after - 'digest' where merchant_id = $1`, [row.id])
  await past(`delete from cell_0.audit where action = 'subaccount.create' and merchant_id = $1`, [row.id])
  await past(`update directory.audit set after = after - 'person' - 'keys' where merchant_id = $1`, [row.id])
  assert.deepEqual(await broken(), [])
  await owner.query(`update directory.memberships set role = 'owner' where person_id = $1`, [person.personId])
  assert.deepEqual(await broken(), [`AC1 ${await publicIdOf(person.personId)} at ${merchant.id}`])
  await past(`update directory.memberships set role = 'viewer' where person_id = $1`, [person.personId])
  assert.deepEqual(await broken(), [])
})

async function publicIdOf(personId: number): Promise<string> {
  const { rows } = await owner.query('select public_id from directory.people where id = $1', [personId])
  return rows[0].public_id
}
