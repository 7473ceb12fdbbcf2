import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LEAST_OWN_AMOUNT, readOwnAmount } from './own-amount.ts'

const most = 1_000_000_000
const read = (text: string) => readOwnAmount(text, { least: LEAST_OWN_AMOUNT, most })

const READ: [text: string, amount: number | null][] = [
  ['500', 500],
  ['499', null],
  ['1000000000', 1_000_000_000],
  ['1000000001', null],
  ['12,500', 12_500],
  ['12 500', 12_500],
  ['12\u00a0500', 12_500],
  ['1,000,000', 1_000_000],
  ['1 000 000', 1_000_000],
  [' 5000 ', 5000],
  ['', null],
  [' ', null],
  ['0', null],
  ['-5000', null],
  ['+5000', null],
  ['05000', null],
  ['0772123456', null],
  ['5000.00', null],
  ['5000.5', null],
  ['12.500', null],
  ['12,5', null],
  ['1,0000', null],
  ['1234,567', null],
  [',500', null],
  ['5,000,', null],
  ['1,000 000', null],
  ['1  000', null],
  ['5e3', null],
  ['0x1388', null],
  ['5_000', null],
  ['５０００', null],
  ['٥٠٠٠', null],
  ['UGX 5000', null],
  ['5000\0', null],
  ['9'.repeat(400), null],
  [`1${',000'.repeat(200)}`, null],
]

for (const [text, amount] of READ)
  test(`an amount typed as ${JSON.stringify(text.slice(0, 30))} is read as ${amount}`, () => {
    assert.equal(read(text), amount)
  })
