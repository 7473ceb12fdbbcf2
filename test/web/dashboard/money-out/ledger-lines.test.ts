import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { FloorAccount } from '../../../../src/ledger/accounts.ts'
import { type LedgerLine, type LedgerPage, readLedgerLines } from '../../../../src/ledger/read-lines.ts'
import { pay } from '../../../helpers/payments/payouts.ts'
import { fund, type Payer, payer, sendAll } from '../../../helpers/payments/schedules.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { TEST_HOLD_SECONDS: '60' } }))
const ACCOUNTS: readonly FloorAccount[] = ['available', 'pending', 'in_flight']
const PAYEES = ['0700000000', '0700000001', '0700000002']

type Step = 'fund' | 'charge' | 'pay' | 'send' | 'settle' | 'checkpoint'
const step = fc.constantFrom<Step>('fund', 'charge', 'pay', 'pay', 'send', 'settle', 'checkpoint')

async function play(shop: Payer, one: Step, nth: number): Promise<void> {
  if (one === 'fund') await fund(service, shop, 1000 * nth + 1000)
  else if (one === 'charge') await shop.api.charge({ amount: 1000 + nth })
  else if (one === 'pay') await pay(shop.api, { amount: 500 + nth, recipient: { phone: PAYEES[nth % 3] } })
  else if (one === 'send') {
    await sendAll(service)
    await service.run('follow-charges')
  } else if (one === 'settle') {
    service.pass(90_000)
    await service.run('settle-charges')
  } else {
    await service.rows(
      `insert into ledger_checkpoints (merchant_id, mode, seq, balances, at)
       select $1, 'test', max(seq), (select jsonb_object_agg(account, balance) from (
         select account, sum(amount) as balance from (
           select credit as account, amount from transfers where merchant_id = $1 and mode = 'test'
           union all select debit, -amount from transfers where merchant_id = $1 and mode = 'test') sides
         group by account) sums), $2
       from transfers where merchant_id = $1 and mode = 'test' having max(seq) is not null on conflict do nothing`,
      [shop.merchantId, service.clock.now().toISOString()],
    )
  }
}

const read = (shop: Payer, account: FloorAccount, beyond: object): Promise<LedgerPage> =>
  readLedgerLines(service.app.db, { merchantId: shop.merchantId, mode: 'test' }, { account, limit: 3, ...beyond })

async function allOlder(shop: Payer, account: FloorAccount): Promise<LedgerLine[]> {
  const lines: LedgerLine[] = []
  for (let page = await read(shop, account, {}); ; page = await read(shop, account, { olderThan: page.older })) {
    lines.push(...page.lines)
    if (page.older === null) return lines
  }
}

test('the running balance of every line is the sum of all transfers up to it, whatever happened, and the first is the balance now', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const shop = await payer(service)
      for (const [nth, one] of steps.entries()) await play(shop, one, nth)
      const transfers = await service.rows<{ seq: string; debit: string; credit: string; amount: string }>(
        `select seq, debit, credit, amount from transfers where merchant_id = $1 and mode = 'test' order by seq`,
        [shop.merchantId],
      )
      const [head] = await service.rows<Record<FloorAccount, string>>(
        `select available, pending, in_flight from ledger_heads where merchant_id = $1 and mode = 'test'`,
        [shop.merchantId],
      )
      for (const account of ACCOUNTS) {
        let sum = 0
        const expected = transfers.flatMap(({ seq, debit, credit, amount }) => {
          const change = (credit === account ? Number(amount) : 0) - (debit === account ? Number(amount) : 0)
          sum += change
          return change === 0 ? [] : [[Number(seq), change, sum]]
        })
        const lines = await allOlder(shop, account)
        assert.deepEqual(lines.map(({ seq, change, after }) => [seq, change, after]).reverse(), expected)
        assert.equal(lines[0]?.after ?? 0, Number(head?.[account]))
      }
    }),
    { numRuns: 12 },
  )
})

test('pages lead both ways: what was read going back is read again coming forward', async () => {
  const shop = await payer(service)
  for (let nth = 0; nth < 11; nth += 1) await fund(service, shop, 1000 + nth)
  const pages: LedgerPage[] = [await read(shop, 'available', {})]
  for (let older = pages[0]?.older; older != null; older = pages.at(-1)?.older)
    pages.push(await read(shop, 'available', { olderThan: older }))
  assert.deepEqual(
    pages.map(({ lines }) => lines.length),
    [3, 3, 3, 2],
  )
  assert.equal(pages[0]?.newer, null)
  let at = pages.at(-1)?.newer
  for (const page of pages.slice(0, -1).reverse()) {
    assert.ok(at != null)
    const again = await read(shop, 'available', { newerThan: at })
    assert.deepEqual(again.lines, page.lines)
    at = again.newer
  }
  assert.equal(at, null)
})
