import assert from 'node:assert/strict'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { made, openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { formOf } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'
import { sendFiles } from '../../../helpers/web/sending-files.ts'
import { sheetXml, workbook, workbookFiles, workbookWith, zip } from '../../../helpers/web/workbooks.ts'

const service = openedAndVerified(() => startPayingService())
const owner = made(async () => signedInAs(service, (await richShop(service)).merchant))
const MB = 1024 * 1024
const SHEET = 'xl/worksheets/sheet1.xml'
const SHARED = 'xl/sharedStrings.xml'
const TOO_LARGE = /the Excel workbook is too large to read: keep the list alone in it, or save it as CSV/
const ROWS = /more than 1,020 rows|too large to read/
const UNREADABLE = /the Excel workbook cannot be read: open it in Excel, save it once more/

const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('')
const laughs = `<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY l0 "lol">${entities}]><sst><si><t>&l9;</t></si><si><t>Amount</t></si></sst>`

const BOMBS: readonly (readonly [name: string, make: () => Buffer, says: RegExp])[] = [
  ['a workbook of 100 MB of zeros', () => workbookWith(SHEET, { bytes: Buffer.alloc(100 * MB) }), TOO_LARGE],
  ['one that says it is small', () => workbookWith(SHEET, { bytes: Buffer.alloc(100 * MB), says: 900 }), UNREADABLE],
  ['one that says nothing', () => workbookWith(SHEET, { bytes: Buffer.alloc(100 * MB), says: 0 }), UNREADABLE],
  [
    'texts that say they are small',
    () => workbookWith(SHARED, { bytes: Buffer.alloc(90 * MB), says: 5000 }),
    UNREADABLE,
  ],
  [
    'an archive within an archive',
    () => zip([{ name: 'xl/a.xlsx', bytes: workbook({ Pay: [['a', 'b']] }) }]),
    UNREADABLE,
  ],
  [
    'two thousand files',
    () => zip(Array.from({ length: 2000 }, (_, at) => ({ name: `xl/${at}.xml`, bytes: 'x' }))),
    TOO_LARGE,
  ],
  ['a million rows', () => workbookWith(SHEET, { bytes: sheetXml('<row><c><v>1</v></c></row>'.repeat(MB)) }), ROWS],
  ['a million empty rows', () => workbookWith(SHEET, { bytes: sheetXml('<row/>'.repeat(MB)) }), ROWS],
  [
    'four million cells in a row',
    () => workbookWith(SHEET, { bytes: sheetXml(`<row>${'<c/>'.repeat(4 * MB)}</row>`) }),
    /too large|columns|cannot be read/,
  ],
  [
    'a cell in the last column',
    () => workbookWith(SHEET, { bytes: sheetXml('<row r="1"><c r="XFD1"><v>1</v></c></row>') }),
    /more than 40 columns/,
  ],
  [
    'a line beyond the last',
    () => workbookWith(SHEET, { bytes: sheetXml('<row r="9e99"><c r="A1"><v>1</v></c></row>') }),
    TOO_LARGE,
  ],
  [
    'a text of 20 MB',
    () => workbookWith(SHARED, { bytes: `<sst><si><t>${'x'.repeat(20 * MB)}</t></si></sst>` }),
    TOO_LARGE,
  ],
  [
    'a million tags within each other',
    () => workbookWith(SHARED, { bytes: `<sst><si>${'<r><t>'.repeat(MB)}` }),
    /too large|cannot be read/,
  ],
  ['no sheets', () => zip(workbookFiles({ Pay: [] }).slice(0, 3)), /is empty|cannot be read/],
  ['a torn archive', () => workbook({ Pay: [['Phone', 'Amount']] }).subarray(0, -30), UNREADABLE],
  ['a line of 2 MB', () => Buffer.from(`phone,amount\n${'9'.repeat(2 * MB - 100)}`), /a row of more than 65,536 bytes/],
  ['a million lines', () => Buffer.from('7,8\n'.repeat(MB / 2)), /too many lines \(max 1,000\)/],
  ['separators alone', () => Buffer.from(';'.repeat(2 * MB - 100)), /a row of more than/],
  [
    'UTF-16 without end',
    () => Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.alloc(2 * MB - 100, 0x41)]),
    /a row of more than/,
  ],
  ['more than 2 MB', () => Buffer.alloc(2 * MB + MB, 0x41), /This form carries too much/],
]

for (const [name, make, says] of BOMBS)
  longTest(`${name}: told in a sentence, and others are served meanwhile`, async () => {
    const bytes = make()
    const { fields, action } = formOf(await owner.get('/dashboard/bulk'), '/upload')
    const begun = performance.now()
    let longest = 0
    let over = false
    const watch = (async () => {
      while (!over) {
        const asked = performance.now()
        await fetch(`${service.url}/healthz`).then((answer) => answer.text())
        longest = Math.max(longest, performance.now() - asked)
      }
    })()
    const refused = await sendFiles(owner, action, { fields, files: [{ name: 'bomb.xlsx', bytes }] })
    over = true
    await watch
    assert.ok(refused.status === 400 || refused.status === 413, `${refused.status} ${mainOf(refused)}`)
    assert.match(mainOf(refused), says)
    // The test and the service share a process; a bomb would take minutes, and the memory of the machine.
    assert.ok(performance.now() - begun < 60_000)
    assert.ok(longest < 20_000, `somebody waited ${Math.round(longest)} ms`)
  })

test('an entity that stands for a billion laughs is a text like another', async () => {
  const { fields, action } = formOf(await owner.get('/dashboard/bulk'), '/upload')
  const files = [{ name: 'laughs.xlsx', bytes: workbookWith(SHARED, { bytes: laughs }) }]
  const step = await owner.follow(await owner.follow(await sendFiles(owner, action, { fields, files })))
  assert.match(mainOf(step), /1 &l9; Amount/)
})
