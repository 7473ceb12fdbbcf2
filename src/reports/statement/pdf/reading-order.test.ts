import assert from 'node:assert/strict'
import test from 'node:test'
import { mayRunRightToLeft } from '../../../platform/text/text.ts'
import { directionOf, splitIntoStretches } from './reading-order.ts'

/** A line as somebody sees it, character by character from the left. */
const seen = (line: string): string =>
  splitIntoStretches(line, directionOf(line))
    .map(({ text, direction }) => (direction === 'rtl' ? [...text].reverse().join('') : text))
    .join('')
const back = (text: string): string => [...text].reverse().join('')

// The line as it is stored, and as it is seen from the left to the right.
const CASES: [what: string, line: string, seen: string][] = [
  ['Arabic digits behind a word', 'فاتورة ١٢٣٤', `١٢٣٤ ${back('فاتورة')}`],
  ['Persian digits before a word', '۱۲۳۴ رسید', `${back('رسید')} ۱۲۳۴`],
  ['Arabic digits with a slash', '١٢/٣٤', '١٢/٣٤'],
  ['a number between two words', 'مطعم 24 كمبالا', `${back('كمبالا')} 24 ${back('مطعم')}`],
  ['an amount with a comma', 'דמי 12,500 ש', `ש 12,500 ${back('דמי')}`],
  ['Hebrew', 'מסעדת קמפלה', back('מסעדת קמפלה')],
  ['Hebrew and a number in a Latin line', 'Cafe שלום 12', `Cafe 12 ${back('שלום')}`],
  ['Latin in a Hebrew line', 'שלום MTN 12', `MTN 12 ${back('שלום')}`],
  ['Syriac', 'ܫܠܡܐ 7', `7 ${back('ܫܠܡܐ')}`],
  ['Thaana', 'ދިވެހި 7', `7 ${back('ދިވެހި')}`],
  ["N'Ko", 'ߒߞߏ 7', `7 ${back('ߒߞߏ')}`],
  ['Samaritan', 'ࠀࠁࠂ 7', `7 ${back('ࠀࠁࠂ')}`],
  ['Adlam, beyond the first plane', '𞤀𞤣𞤤𞤢𞤥 7', `7 ${back('𞤀𞤣𞤤𞤢𞤥')}`],
  ['an emoji between two words', 'שלום 🍲 קמפלה', back('שלום 🍲 קמפלה')],
  ['Latin alone', 'Café 12 (a)', 'Café 12 (a)'],
]
for (const [what, line, expected] of CASES)
  test(`a line stands in its reading order: ${what}`, () => assert.equal(seen(line), expected))

test('marks that somebody writes into a text turn nothing', () => {
  assert.equal(seen('pay \u202e1234\u202c ש'), 'pay 1234 ש')
  assert.equal(seen('\u2067pay\u2069 12 ש'), 'pay 12 ש')
})

test('texts of scripts that run from left to right are not judged at all', () => {
  for (const text of ['Ssemakula & Söhne', '王小明 12', 'राम कुमार', 'አቶ በቀለ', 'ร้านสมชาย', 'Ελλάδα', 'Кампала'])
    assert.equal(mayRunRightToLeft(text), false, text)
})
