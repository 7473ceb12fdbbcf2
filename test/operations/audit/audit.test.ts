import assert from 'node:assert/strict'
import test from 'node:test'
import { setWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { findGuardFaults } from '../../../src/platform/db/ledger-guard.ts'
import { change, payer, plan } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { oneJson } from '../../helpers/service/command-line.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

const service = openedAndVerified(() => startService())
const { run } = commandsOn(service)
const auditOf = (merchantId: number, place = 'cell_0') =>
  service.rows<any>(`select * from ${place}.audit where merchant_id = $1 order by id`, [merchantId])

test('A78: a row says who did what, from where and for which request', async () => {
  const own = await payer(service)
  const request = { 'X-Request-ID': 'req-of-ours' }
  const { status } = await own.api.post('/v1/vending/dispense-secret', {}, request)
  assert.equal(status, 201)
  const [row] = (await auditOf(own.merchantId)).filter(({ action }) => action === 'vending.secret')
  const { actor_kind, actor, origin, request_id, mode, after: left } = row
  assert.deepEqual(
    { actor_kind, request_id, mode, left },
    { actor_kind: 'key', request_id: 'req-of-ours', mode: 'test', left: { rotated: false } },
  )
  assert.equal(actor, `test full key ...${own.merchant.keys.test.slice(-4)}`)
  assert.match(origin, /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)/)
  assert.ok(!JSON.stringify(row).includes('dsec_'))
})

test('A78: a command leaves its row with the account of the machine, before and after, masked', async () => {
  const own = await payer(service)
  const { handle } = own.merchant
  oneJson(await run('withdrawals', 'number', handle, '--phone', '0772000111', '--json'))
  oneJson(await run('withdrawals', 'number', handle, '--phone', '0772000222', '--json'))
  const rows = (await auditOf(own.merchantId)).filter(({ action }) => action === 'withdrawal.number')
  assert.deepEqual(
    rows.map(({ before: was, after: is }) => [was?.phone ?? null, is.phone]),
    [
      [null, '2567*****111'],
      ['2567*****111', '2567*****222'],
    ],
  )
  assert.deepEqual([...new Set(rows.map(({ actor_kind }) => actor_kind))], ['command'])
  assert.match(rows[0].actor, /^command line: ./)
  const made = oneJson(await run('keys', 'create', handle, '--kind', 'test', '--json'))
  const kept = [...(await auditOf(own.merchantId)), ...(await auditOf(own.merchantId, 'directory'))]
  assert.deepEqual(
    kept.filter(({ action }) => action === 'key.create').map(({ after: is }) => is.ends),
    [made.key.slice(-4), made.key.slice(-4)],
    'in the cell with the sealed copy, in the directory with the key',
  )
  assert.ok(!JSON.stringify(kept).includes(made.key))
})

test('A78: act and row are one commit: neither is there without the other', async () => {
  const own = await payer(service)
  const numberOf = () => service.rows('select phone from withdrawal_numbers where merchant_id = $1', [own.merchantId])
  await service.rows(
    `create function cell_0.no_audit() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
  )
  await service.rows(
    'create trigger no_audit before insert on cell_0.audit for each row execute function cell_0.no_audit()',
  )
  const place = { merchantId: own.merchantId, phone: '0772000111' }
  await assert.rejects(setWithdrawalNumber(service.app, BY_HAND, place), /no room/)
  await service.rows('drop trigger no_audit on cell_0.audit')
  assert.deepEqual(await numberOf(), [])
  const count = async () => (await auditOf(own.merchantId)).length
  const rows = await count()
  assert.equal((await run('withdrawals', 'request', own.merchant.handle, '--amount', '5000')).code, 1)
  await assert.rejects(setWithdrawalNumber(service.app, BY_HAND, { ...place, phone: 'none' }))
  assert.equal(await count(), rows, 'what was refused leaves no row')
  await setWithdrawalNumber(service.app, BY_HAND, place)
  assert.deepEqual([await numberOf(), await count()], [[{ phone: '256772000111' }], rows + 1])
})

test('A78: each payout, bulk call, schedule and refund leaves one row, a repeat none, a refusal none', async () => {
  const own = await payer(service, 1_000_000)
  const recipient = { phone: '0772000123' }
  const pay = (reference: string, headers = {}) =>
    own.api.post('/v1/payouts', { amount: 1000, recipient, reference }, headers)
  const together = await Promise.all(['a', 'b', 'c'].map((reference) => pay(reference)))
  const key = { 'idempotency-key': 'one payout', 'x-request-id': 'the-first' }
  const first = await pay('d', key)
  assert.equal((await pay('d', { ...key, 'x-request-id': 'the-second' })).body.id, first.body.id)
  assert.equal((await own.api.post('/v1/payouts', { amount: 999_999_999, recipient })).status, 400)
  const bulk = await own.api.post('/v1/payouts/bulk', {
    payouts: [
      { amount: 700, phone: '0772000123' },
      { amount: 800, phone: '0772000124' },
    ],
  })
  assert.equal(bulk.status, 200, bulk.text)
  const { id: schedule } = (await plan(own.api)).body
  for (let time = 0; time < 2; time += 1) await change(own.api, schedule, 'pause')
  const charge = (await own.api.charge()).body.id
  service.pass(2000)
  await service.run('follow-charges')
  assert.equal((await own.api.post(`/v1/charges/${charge}/refund`)).status, 202)
  assert.equal((await own.api.post(`/v1/charges/${charge}/refund`)).status, 400)
  const rows = (await auditOf(own.merchantId)).filter(({ actor_kind }) => actor_kind === 'key')
  const payouts = rows.filter(({ action }) => action === 'payout.create')
  assert.deepEqual(payouts.map(({ subject }) => subject).sort(), [...together, first].map(({ body }) => body.id).sort())
  assert.deepEqual(payouts[0].after, { amount: 1000, fee: first.body.fee, phone: '2567*****123' })
  assert.equal(payouts.find(({ subject }) => subject === first.body.id).request_id, 'the-first')
  assert.deepEqual(
    rows.filter(({ action }) => action !== 'payout.create').map(({ action, subject }) => [action, subject]),
    [
      ['payout.bulk', bulk.body.id ?? bulk.body.batch_id],
      ['schedule.create', schedule],
      ['schedule.change', schedule],
      ['charge.refund', charge],
    ],
  )
  assert.deepEqual(rows.find(({ action }) => action === 'payout.bulk').after, { items: 2, amount: 1500 })
})

test('a collections key is refused before anything else, and leaves no row', async () => {
  const own = await payer(service)
  const rows = (await auditOf(own.merchantId)).length
  const api = service.client(own.merchant.keys.test_collections)
  const { status, body } = await api.post('/v1/vending/dispense-secret', {})
  assert.deepEqual([status, body.code], [403, 'forbidden'])
  assert.equal((await auditOf(own.merchantId)).length, rows)
})

test('A18: nobody changes the audit or its seals: not the service, and not the owner by mistake', async () => {
  await payer(service)
  await service.run('seal-audit')
  const faults = await findGuardFaults(service.app.db, ['cell_0', 'directory'])
  assert.deepEqual(
    faults.filter((fault) => /audit/.test(fault)),
    [],
  )
  for (const place of ['cell_0', 'directory'])
    for (const table of ['audit', 'audit_seals'])
      for (const change of [
        `update ${place}.${table} set ${table === 'audit' ? 'actor' : 'audit_id'} = default`,
        `delete from ${place}.${table}`,
        `truncate ${place}.${table}`,
      ]) {
        await assert.rejects(service.rows(change), /is append-only|can only be updated to DEFAULT/, change)
        await assert.rejects(
          service.app.db.query({ name: change, text: change }),
          /permission denied|is append-only/,
          change,
        )
      }
})
