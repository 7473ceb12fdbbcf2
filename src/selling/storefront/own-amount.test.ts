import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownAmountBounds, parseOwnAmount } from './own-amount.ts'

const most = 1_000_000_000
const read = (text: string) => {
  const own = parseOwnAmount(text, { least: 500, most })
  return own.kind === 'amount' ? own.amount : own.kind
}

const READ: [text: string, amount: number | 'none' | 'too_much'][] = [
  ['500', 500],
  ['499', 'none'],
  ['1000000000', 1_000_000_000],
  ['1000000001', 'too_much'],
  ['12,500', 12_500],
  ['12 500', 12_500],
  ['12\u00a0500', 12_500],
  ['1,000,000', 1_000_000],
  ['1 000 000', 1_000_000],
  [' 5000 ', 5000],
  ['', 'none'],
  [' ', 'none'],
  ['0', 'none'],
  ['-5000', 'none'],
  ['+5000', 'none'],
  ['05000', 'none'],
  ['0772123456', 'none'],
  ['5000.00', 'none'],
  ['5000.5', 'none'],
  ['12.500', 'none'],
  ['12,5', 'none'],
  ['1,0000', 'none'],
  ['1234,567', 'none'],
  [',500', 'none'],
  ['5,000,', 'none'],
  ['1,000 000', 'none'],
  ['1  000', 'none'],
  ['5e3', 'none'],
  ['0x1388', 'none'],
  ['5_000', 'none'],
  ['５０００', 'none'],
  ['٥٠٠٠', 'none'],
  ['UGX 5000', 'none'],
  ['5000\0', 'none'],
  ['9'.repeat(400), 'too_much'],
  [`1${',000'.repeat(200)}`, 'too_much'],
]

for (const [text, amount] of READ)
  test(`an amount typed as ${JSON.stringify(text.slice(0, 30))} is read as ${amount}`, () => {
    assert.equal(read(text), amount)
  })

test('a customer may choose what the product, the account and the operator allow', () => {
  const limits = { amountMax: 1_000_000_000, railCollectMin: 500, railCollectMax: 5_000_000 }
  for (const [chargeLimit, config, least, highest] of [
    [null, limits, 500, 5_000_000],
    [20_000, limits, 500, 20_000],
    [null, { ...limits, railCollectMin: 1 }, 500, 5_000_000],
    [null, { ...limits, railCollectMin: 1000 }, 1000, 5_000_000],
    [null, { ...limits, amountMax: 70_000 }, 500, 70_000],
  ] as const)
    assert.deepEqual(ownAmountBounds({ chargeLimit }, config), { least, most: highest })
})
