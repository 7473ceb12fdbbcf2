import assert from 'node:assert/strict'
import { payer } from '../../helpers/payments/schedules.ts'
import { monthNow } from '../../helpers/payments/statements.ts'
import { opened } from '../../helpers/service/opened.ts'
import { testFor } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Glyph, glyphsOf, readPdf, textOf } from '../../helpers/web/pdf-text.ts'

const service = opened(() => startService())
const back = (text: string): string => [...text].reverse().join('')

// A reference as it is stored, and its glyphs from the left to the right.
const REFERENCES: [script: string, reference: string, drawn: string][] = [
  ['Arabic', 'فاتورة ١٢٣٤', `١٢٣٤ ${back('فاتورة')}`],
  ['Persian', '۱۲۳۴ رسید', `${back('رسید')} ۱۲۳۴`],
  ['Arabic with Latin and a number', 'مطعم 24 MTN', `MTN 24 ${back('مطعم')}`],
  ['Hebrew', 'מסעדת קמפלה 1,250', `1,250 ${back('מסעדת קמפלה')}`],
  ['Hebrew in Latin', 'Cafe שלום (7)', `Cafe (7) ${back('שלום')}`],
  ['Hebrew in brackets', 'שלום (קמפלה)', `(${back('קמפלה')}) ${back('שלום')}`],
  ['Syriac', 'ܫܠܡܐ 7', `7 ${back('ܫܠܡܐ')}`],
  ["N'Ko", 'ߒߞߏ 7', `7 ${back('ߒߞߏ')}`],
  ['Thaana', 'ދވހ 7', `7 ${back('ދވހ')}`],
  ['Latin', 'Ssemakula & Söhne 12', 'Ssemakula & Söhne 12'],
  ['Greek', 'Ελλάδα 12', 'Ελλάδα 12'],
  ['Cyrillic', 'Кампала 12', 'Кампала 12'],
  ['Devanagari', 'राम 12', 'राम 12'],
  ['Ethiopic', 'አቶ በቀለ 12', 'አቶ በቀለ 12'],
  ['Thai', 'รานสมชาย 12', 'รานสมชาย 12'],
  ['Chinese', '王小明 12', '王小明 12'],
  ['Korean', '김철수 12', '김철수 12'],
]

// The font of last resort, which has all other scripts, takes seconds to be cut down to what a document needs.
const WITH_FONTS_OF_THEIR_OWN = [
  'Arabic',
  'Persian',
  'Arabic with Latin and a number',
  'Latin',
  'Greek',
  'Cyrillic',
  'Devanagari',
]

for (const ofTheirOwn of [true, false])
  testFor(ofTheirOwn)(
    `C22: references in ${ofTheirOwn ? 'common scripts' : 'all others'} stand glyph by glyph in their reading order, and are copied as they were given`,
    async () => {
      const own = await payer(service, 5_000_000)
      const references = REFERENCES.filter(([script]) => WITH_FONTS_OF_THEIR_OWN.includes(script) === ofTheirOwn)
      for (const [, reference] of references)
        await own.api.post('/v1/payouts', { amount: 1000, reference, recipient: { phone: '0772000111' } })
      service.pass(3000)
      await service.run('send-payouts')
      const ask = () =>
        fetch(`${service.url}/v1/statements/${monthNow(service)}.pdf`, {
          headers: { authorization: `Bearer ${own.merchant.keys.test}` },
        })
      let response = await ask()
      // A crowded machine may tell one to come back.
      for (let tries = 1; response.status === 503 && tries < 10; tries += 1) response = await ask()
      assert.equal(response.status, 200)
      const bytes = Buffer.from(await response.arrayBuffer())
      const drawn = glyphsOf(bytes).map(fromTheLeft)
      const copied = textOf(readPdf(bytes))
      for (const [script, reference, expected] of references) {
        assert.ok(drawn.includes(asDigits(expected)), `${script}: ${expected}`)
        assert.ok(copied.includes(reference), script)
      }
    },
  )

function fromTheLeft(glyphs: readonly Glyph[]): string {
  const sorted = [...glyphs].sort((a, b) => a.x - b.x)
  return asDigits(sorted.map(({ of }) => of).join(''))
}

/** One and the same glyph stands for a digit of Arabic and of Persian: both are compared as what they count. */
const asDigits = (text: string) =>
  text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.charCodeAt(0) & 0xf) % 10))
