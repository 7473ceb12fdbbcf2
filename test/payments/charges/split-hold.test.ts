import assert from 'node:assert/strict'
import test from 'node:test'
import { settleLedger } from '../../../src/payments/charges/settle-charges.ts'
import { balanceOf, postingsOf } from '../../helpers/database/money-rows.ts'
import {
  addSubaccounts,
  balanceOfSubaccount,
  setStatus,
  settlementsOf,
  splitOf,
} from '../../helpers/payments/splits.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService())

const REST = 'platform_residual'

/** A merchant whose test money is held for 24 hours of its test clock. */
async function shop(...names: string[]) {
  const merchant = await service.merchant()
  await service.set(merchant, { testHold: 'realistic' })
  const api = service.client(merchant.keys.test)
  return { merchant, api, ids: await addSubaccounts(api, ...names) }
}

async function follow(): Promise<void> {
  service.pass(2000)
  await service.run('follow-charges')
}

test('with a hold every party waits, and each is released once by the sweep with its own record', async () => {
  const { api, ids } = await shop('A', 'B')
  const [A = '', B = ''] = ids
  const requests = [
    [{ subaccount: A, amount: 1000 }],
    [
      { subaccount: B, amount: 500 },
      { subaccount: A, bps: 2500 },
    ],
  ]
  const charges = []
  for (const split of requests) charges.push((await api.charge({ split })).body.id)
  await api.charge()
  await follow()
  assert.deepEqual(await balanceOf(api), { available: 0, pending: 3 * 4800 - 2700 })
  assert.deepEqual(await balanceOfSubaccount(api, A), [0, 2200])
  assert.deepEqual(await balanceOfSubaccount(api, B), [0, 500])
  assert.deepEqual(await settlementsOf(api), [])
  assert.deepEqual(await postingsOf(service, charges[1]), [
    'charge_net rail:op1_momo pending 3100',
    'charge_fee rail:op1_momo fees 200',
    `split_share rail:op1_momo sub_pending:${B} 500`,
    `split_share rail:op1_momo sub_pending:${A} 1200`,
  ])
  const { body: held } = await api.get(`/v1/charges/${charges[1]}`)
  assert.equal(held.settled, false)
  assert.deepEqual(splitOf(held), [`${B} 500 pending`, `${A} 1200 pending`, `${REST} 3100 pending`])

  service.pass(DAY - 60_000)
  assert.equal(await service.run('settle-charges'), 0, 'the hold is not over yet')
  service.pass(60_000)
  assert.equal(await service.run('settle-charges'), 6, 'three charges and three shares')
  assert.equal(await service.run('settle-charges'), 0)
  assert.deepEqual(await balanceOf(api), { available: 3 * 4800 - 2700, pending: 0 })
  assert.deepEqual(await balanceOfSubaccount(api, A), [2200, 0])
  assert.deepEqual(await balanceOfSubaccount(api, B), [500, 0])
  assert.deepEqual(
    await settlementsOf(api),
    ['sweep 11700 3 null', `split_sweep 2200 2 ${A}`, `split_sweep 500 1 ${B}`].sort(),
  )
  const { body: released } = await api.get(`/v1/charges/${charges[1]}`)
  assert.deepEqual(splitOf(released), [`${B} 500 available`, `${A} 1200 available`, `${REST} 3100 available`])
  for (const row of released.split) assert.ok(row.settled_at >= held.available_on)
  const { data } = (await api.get('/v1/settlements')).body
  for (const one of data.filter(({ kind }: any) => kind === 'split_sweep'))
    assert.deepEqual(await postingsOf(service, one.id), [
      `split_release sub_pending:${one.subaccount} sub_available:${one.subaccount} ${one.amount}`,
    ])
})

test('a held split charge that leaves the merchant nothing is settled without a record', async () => {
  const { api, ids } = await shop('A')
  const [A = ''] = ids
  const { body } = await api.charge({ split: [{ subaccount: A, bps: 10_000 }] })
  await follow()
  assert.deepEqual(await balanceOf(api), { available: 0, pending: 0 })
  service.pass(DAY)
  assert.equal(await service.run('settle-charges'), 2, 'found although nothing of the merchant is pending')
  const { body: released } = await api.get(`/v1/charges/${body.id}`)
  assert.equal(released.settled, true)
  assert.deepEqual(splitOf(released), [`${A} 4800 available`, `${REST} 0 available`])
  assert.deepEqual(await settlementsOf(api), [`split_sweep 4800 1 ${A}`])
  assert.deepEqual(await balanceOfSubaccount(api, A), [4800, 0])
})

test('a charge with a remainder and one without are released together, and the record counts only the first', async () => {
  const { api, ids } = await shop('A')
  const [A = ''] = ids
  await api.charge({ split: [{ subaccount: A, bps: 10_000 }] })
  await api.charge({ split: [{ subaccount: A, amount: 800 }] })
  await follow()
  service.pass(DAY)
  assert.equal(await service.run('settle-charges'), 4)
  assert.deepEqual(await settlementsOf(api), [`split_sweep 5600 2 ${A}`, 'sweep 4000 1 null'])
})

test('a subaccount that becomes inactive during the hold is still released: its share was credited at success', async () => {
  const { merchant, api, ids } = await shop('A')
  const [A = ''] = ids
  await api.charge({ split: [{ subaccount: A, amount: 1000 }] })
  await follow()
  await setStatus(service, merchant, { id: A, status: 'inactive' })
  service.pass(DAY)
  await service.run('settle-charges')
  assert.deepEqual(await balanceOfSubaccount(api, A), [1000, 0])
})

test('a subaccount that is inactive at success gets nothing with a hold either', async () => {
  const { merchant, api, ids } = await shop('A', 'B')
  const [A = '', B = ''] = ids
  const { body } = await api.charge({
    split: [
      { subaccount: A, amount: 1000 },
      { subaccount: B, amount: 200 },
    ],
  })
  await setStatus(service, merchant, { id: A, status: 'inactive' })
  await follow()
  assert.deepEqual(await balanceOf(api), { available: 0, pending: 4600 })
  service.pass(DAY)
  await service.run('settle-charges')
  assert.deepEqual(await settlementsOf(api), [`split_sweep 200 1 ${B}`, 'sweep 4600 1 null'])
  const { body: released } = await api.get(`/v1/charges/${body.id}`)
  assert.deepEqual(splitOf(released), [`${A} 1000 reversed`, `${B} 200 available`, `${REST} 4600 available`])
})

test('more shares than one transaction takes are all released, and several sweeps at once release each once', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `Farm ${index}`)
  const { merchant, api, ids } = await shop(...names)
  const split = ids.map((subaccount) => ({ subaccount, amount: 10 }))
  await Promise.all(Array.from({ length: 10 }, () => api.charge({ split })))
  await follow()
  service.pass(DAY)
  const [row] = await service.rows<{ id: string }>('select id from cell_0.merchants where public_id = $1', [
    merchant.id,
  ])
  const ledger = { merchantId: Number(row?.id), mode: 'test' as const }
  const counts = await Promise.all([1, 2, 3, 4].map(() => settleLedger(service.app, BY_HAND, ledger)))
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    10 + 200,
  )
  for (const id of ids) assert.deepEqual(await balanceOfSubaccount(api, id), [100, 0])
  assert.deepEqual(await balanceOf(api), { available: 10 * 4600, pending: 0 })
})
