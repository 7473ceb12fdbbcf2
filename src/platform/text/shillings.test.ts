import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseShillings } from './shillings.ts'

test('whole shillings are read as people and spreadsheets write them, and a part of one never', () => {
  const cases: readonly [text: string, amount: number | null][] = [
    ...(['5000', '5,000', '5 000', '5.000', '5_000', 'UGX 5,000', 'ugx5000', '5000.00', '5.000,00'] as const).map(
      (text): [string, number] => [text, 5000],
    ),
    ...(['5,000/=', 'UGX 5,000/-', 'Shs. 5,000', '5000 shs', '5,000='] as const).map((text): [string, number] => [
      text,
      5000,
    ]),
    ['0', 0],
    ['9007199254740991', 2 ** 53 - 1],
    ['9007199254740993', null],
    ...['', '-5000', '5000.5', '7,50', '5e3', '0x10', '50 00', '5,00,000', 'five', '١٢'].map((text): [string, null] => [
      text,
      null,
    ]),
  ]
  for (const [text, amount] of cases) assert.equal(parseShillings(text), amount, text)
})
