import assert from 'node:assert/strict'
import { uuidFor } from '../../../src/platform/text/ids.ts'
import { balanceOf } from '../../helpers/database/money-rows.ts'
import { assertVerified } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService())

const OUTCOMES = [
  ['700000000', null],
  ['700000001', 'insufficient_funds'],
  ['700000002', 'user_cancelled'],
  ['700000003', 'timeout'],
] as const
const CHANNELS = ['op1_momo', 'op2_money', 'card']
const grouped = (nine: string) => `${nine.slice(0, 3)} ${nine.slice(3, 6)} ${nine.slice(6)}`
const FORMS: Record<string, (nine: string) => string> = {
  local: (nine) => `0${nine}`,
  international: (nine) => `256${nine}`,
  'with plus': (nine) => `+256${nine}`,
  'with spaces': (nine) => `+256 ${grouped(nine)}`,
  'with dashes': (nine) => `0${grouped(nine).replaceAll(' ', '-')}`,
  'with brackets': (nine) => `+256 (${nine.slice(0, 3)}) ${nine.slice(3)}`,
  'nine digits': (nine) => nine,
}

for (const channel of CHANNELS)
  test(`on ${channel} the four special numbers behave the same in every written form`, async () => {
    const merchant = await service.merchant()
    const api = service.client(merchant.keys.test)
    const expected = new Map<string, string | null>()
    for (const [nine, reason] of OUTCOMES)
      for (const [form, write] of Object.entries(FORMS)) {
        const { status, body } = await api.charge({ channel, customer: { phone: write(nine) } })
        assert.equal(status, 201, `${form}: ${write(nine)}`)
        assert.equal(body.status, 'authorized')
        expected.set(body.id, reason)
      }
    service.pass(2000)
    while ((await service.run('follow-charges')) > 0);
    for (const [id, reason] of expected) {
      const { body } = await api.get(`/v1/charges/${id}`)
      assert.deepEqual([body.status, body.failure_reason], [reason === null ? 'succeeded' : 'failed', reason])
      assert.equal(body.rail_reference, uuidFor(id))
      assert.equal(body.rail_transaction_id === null, reason !== null)
    }
    const paid = Object.keys(FORMS).length
    assert.deepEqual(await balanceOf(api), { available: paid * 4800, pending: 0 })
  })

for (const seconds of [0, 2, 5])
  test(`with SANDBOX_OUTCOME_SECONDS=${seconds} a charge ends then and not before, also in a process started later`, async () => {
    const own = await startService({ env: { SANDBOX_OUTCOME_SECONDS: String(seconds) } })
    try {
      const merchant = await own.merchant()
      const api = own.client(merchant.keys.test)
      const { body } = await api.charge()
      assert.equal(body.status, 'authorized', 'a 201 is never final')
      if (seconds > 0) {
        own.pass(seconds * 1000 - 1000)
        assert.equal(await own.run('follow-charges'), 0)
        assert.equal((await api.get(`/v1/charges/${body.id}`)).body.status, 'authorized')
        own.pass(1000)
      }
      const later = await startService({
        database: own.database,
        clock: own.clock,
        env: { SANDBOX_OUTCOME_SECONDS: String(seconds) },
      })
      assert.equal(await later.run('follow-charges'), 1)
      await later.close()
      assert.equal((await api.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
      await assertVerified(own)
    } finally {
      await own.close()
    }
  })

test('two workers on the same test charges make one outcome of each', async () => {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  const charges = await Promise.all(Array.from({ length: 60 }, () => api.charge()))
  const second = await startService({ database: service.database, clock: service.clock })
  service.pass(2000)
  await Promise.all([service.run('follow-charges'), second.run('follow-charges'), service.run('follow-charges')])
  await second.close()
  assert.deepEqual(await balanceOf(api), { available: 60 * 4800, pending: 0 })
  const ids = charges.map(({ body }) => body.id)
  const events = await service.rows('select subject from events where subject = any($1)', [ids])
  assert.equal(events.length, 60)
})

longTest('2,000 ordinary numbers: every one succeeds, without any randomness', async () => {
  const merchant = await service.merchant()
  const api = service.client(merchant.keys.test)
  for (let from = 0; from < 2000; from += 100)
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const phone = `0770${String(from + index).padStart(6, '0')}`
        assert.equal((await api.charge({ customer: { phone } })).status, 201)
      }),
    )
  service.pass(2000)
  let handled = 0
  for (let round = await service.run('follow-charges'); round > 0; round = await service.run('follow-charges'))
    handled += round
  assert.equal(handled, 2000)
  const counts = await service.rows(
    `select status, count(*)::int as count from charges c join cell_0.merchants m on m.id = c.merchant_id
     where m.public_id = $1 group by status`,
    [merchant.id],
  )
  assert.deepEqual(counts, [{ status: 'succeeded', count: 2000 }])
  assert.deepEqual(await balanceOf(api), { available: 2000 * 4800, pending: 0 })
})
