import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { fund, type Payer, payer } from '../../helpers/payments/schedules.ts'
import { addSubaccounts } from '../../helpers/payments/splits.ts'
import { monthNow, nextMonth, passMonth, statementOf, totalOf } from '../../helpers/payments/statements.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { sized } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService())

const DAY = 86_400_000
const ENDINGS = ['0772000111', '0700000001', '0700000002', '0700000003']

const amount = fc.integer({ min: 201, max: 400_000 })
const phone = fc.constantFrom(...ENDINGS, ENDINGS[0] as string)
const operation = fc.oneof(
  fc.record({ does: fc.constant('charge' as const), amount, phone }),
  fc.record({ does: fc.constant('split' as const), amount, phone, bps: fc.integer({ min: 1, max: 10_000 }) }),
  fc.record({ does: fc.constant('pay' as const), amount, phone }),
  fc.record({ does: fc.constant('pay many' as const), amount, phone }),
  fc.record({ does: fc.constant('refund' as const), which: fc.nat(20) }),
  fc.record({ does: fc.constant('fund' as const), amount }),
  fc.record({ does: fc.constant('follow' as const) }),
  fc.record({ does: fc.constant('settle' as const) }),
  fc.record({ does: fc.constant('hold' as const), on: fc.boolean() }),
  fc.record({ does: fc.constant('read' as const), monthsAgo: fc.nat(3) }),
  fc.record({ does: fc.constant('checkpoint' as const) }),
  fc.record({ does: fc.constant('wait' as const), days: fc.nat(25) }),
  fc.record({ does: fc.constant('wait for midnight' as const), ms: fc.integer({ min: -5, max: 5 }) }),
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never
type World = Payer & { share: string; closed: Map<string, string> }

async function carryOut(world: World, one: Operation): Promise<unknown> {
  const { api, merchant, share, closed } = world
  switch (one.does) {
    case 'charge':
      return api.charge({ amount: one.amount, customer: { phone: one.phone }, reference: `c${one.amount}` })
    case 'split': {
      const split = [{ subaccount: share, bps: one.bps }]
      return api.charge({ amount: one.amount, customer: { phone: one.phone }, split })
    }
    case 'pay':
      return api.post('/v1/payouts', { amount: one.amount, recipient: { phone: one.phone } })
    case 'pay many': {
      const item = { amount: Math.ceil(one.amount / 3), phone: one.phone }
      const payouts = ['a', 'b', 'c'].map((name) => ({
        ...item,
        reference: `${name}${service.clock.nowMs()}`,
      }))
      return api.post('/v1/payouts/bulk', { payouts })
    }
    case 'refund': {
      const { data } = (await api.get('/v1/charges?status=succeeded&limit=100')).body
      return data.length && api.post(`/v1/charges/${data[one.which % data.length].id}/refund`)
    }
    case 'fund':
      return fund(service, world, one.amount)
    case 'follow':
      service.pass(3000)
      await service.run('follow-charges')
      return service.run('send-payouts')
    case 'settle':
      service.pass(DAY)
      return service.run('settle-charges')
    case 'hold':
      return service.set(merchant, { testHold: one.on ? 'realistic' : 'none' })
    case 'checkpoint':
      return service.run('checkpoint-ledgers')
    case 'read': {
      const month = monthNow(service, -one.monthsAgo)
      const { text, body } = await api.get(`/v1/statements/${month}`)
      if (body.complete) assert.equal(text, closed.get(month) ?? text)
      return body.complete && closed.set(month, text)
    }
    case 'wait':
      return service.pass(one.days * DAY)
    case 'wait for midnight':
      return passMonth(service, one.ms)
  }
}

test('for any history each month adds up, begins where the last one ended, and once past stays as it is', async (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  let lines = 0
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 30, maxLength: 60 }), async (operations) => {
      const own = await payer(service, 500_000)
      const [share = ''] = await addSubaccounts(own.api, 'Driver')
      const world: World = { ...own, share, closed: new Map() }
      const first = monthNow(service)
      for (const one of operations) await carryOut(world, one)
      let balance = 0
      for (let month = first; ; month = nextMonth(month)) {
        const statement = await statementOf(own.api, month)
        lines += statement.totals.count_in + statement.totals.count_out + statement.totals.count_adjustments
        assert.equal(statement.opening_balance, balance, `${month} begins where the month before ended`)
        balance = statement.closing_balance
        if (!statement.complete) break
      }
      assert.equal(balance, await totalOf(own.api), 'the running month ends with the balance')
      for (const [month, text] of world.closed)
        assert.equal((await own.api.get(`/v1/statements/${month}`)).text, text, `${month} is what it was`)
    }),
    { seed, numRuns: sized(2, 20), endOnFailure: true },
  )
  context.diagnostic(`${lines} lines`)
  assert.ok(lines > sized(10, 200), 'something happened')
})
