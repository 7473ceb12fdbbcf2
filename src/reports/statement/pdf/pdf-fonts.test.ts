import assert from 'node:assert/strict'
import PDFDocument from 'pdfkit'
import { test, testFor } from '../../../../test/helpers/service/parts.ts'
import { openFonts } from './pdf-fonts.ts'

const fonts = openFonts(new PDFDocument({ font: '', fontLayoutCache: false }))
const MISSING = '0000'
// A fallback box contains the character that it stands for; so does a run of Arabic, with whole words.
const isBox = (readAs: string | null) => readAs !== null && [...readAs].length === 1

const NAMES = [
  '王小明 进出口有限公司',
  '株式会社 さくら 髙橋',
  '김철수 주식회사',
  'محمد علي للتجارة',
  'አቶ በቀለ',
  'ร้านสมชาย',
  'राम कुमार',
  'Ssemakula & Söhne Ltd',
  'Akello 王 محمد 12',
]
// One of each way to draw: blocks of the fallback, letters that join, plain ones, and all beside each other.
const SHORT = [NAMES[0], NAMES[3], NAMES[7], NAMES[8]]
for (const name of NAMES)
  for (const weight of ['regular', 'bold'] as const)
    testFor(SHORT.includes(name))(`C22: ${name} is drawn in ${weight} without a box`, () => {
      const runs = fonts.runsOf(name, weight)
      assert.ok(runs.every(({ width, glyphs, readAs }) => width > 0 && glyphs !== '' && !isBox(readAs)))
      const glyphs = runs.flatMap((run) => run.glyphs.match(/.{4}/g) ?? [])
      assert.ok(!glyphs.includes(MISSING))
    })

test('C22: Arabic is set from right to left: its first word stands last', () => {
  const [both, first, second] = ['محمد علي', 'محمد', 'علي'].map((text) => fonts.runsOf(text, 'regular'))
  assert.equal(both?.length, 1)
  assert.ok(both?.[0]?.glyphs.startsWith(second?.[0]?.glyphs ?? '-'))
  assert.ok(both?.[0]?.glyphs.endsWith(first?.[0]?.glyphs ?? '-'))
})

test('a character that no font has becomes a box, and can still be copied as itself', () => {
  const [box] = fonts.runsOf('\u{20BB7}', 'regular')
  assert.equal(box?.readAs, '\u{20BB7}')
})
