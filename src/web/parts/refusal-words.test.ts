import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayRefusal } from './refusal-words.ts'

test('a refusal is said with separators and a next step, and what is no amount stays as it is', () => {
  const say = (message: string, code = 'none', hint: string | null = null) => sayRefusal({ code, message, hint })
  const cases = [
    [
      say('insufficient balance: have 106316350, need 900005000 for 1 recipient(s)', 'insufficient_balance'),
      'insufficient balance: have 106,316,350, need 900,005,000 for 1 recipient(s). Send less, or wait until more has come in.',
    ],
    [say('amount exceeds the maximum of 1000000000'), 'amount exceeds the maximum of 1,000,000,000'],
    [say('256772123456 is no customer of 0772123456'), '256772123456 is no customer of 0772123456'],
    [
      say('reference "20261130" was used on 2026-11-30 at 10:00:1234'),
      'reference "20261130" was used on 2026-11-30 at 10:00:1234',
    ],
    [say('txn_1234567 costs 5000.'), 'txn_1234567 costs 5,000.'],
    [say('no', 'insufficient_balance', 'Ask us.'), 'no. Ask us.'],
  ] as const
  for (const [said, wanted] of cases) assert.equal(said, wanted)
})
