import assert from 'node:assert/strict'
import test from 'node:test'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf, type Page } from '../../../helpers/web/browser.ts'
import { mainOf, type Planted, signedInAs, tillOf } from '../../../helpers/web/dashboard.ts'
import { download } from '../../../helpers/web/downloads.ts'
import { sendFiles } from '../../../helpers/web/sending-files.ts'
import { workbook } from '../../../helpers/web/workbooks.ts'

const service = openedAndVerified(() => startPayingService())
const BASE = '/dashboard/bulk'

async function upload(person: Planted, bytes: Buffer, name = 'wages.csv'): Promise<Page> {
  const { fields, action } = formOf(await person.get(BASE), '/upload')
  return sendFiles(person, action, { fields, files: [{ name, bytes }] })
}

const utf8 = (text: string) => Buffer.from(text)
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
const bigEndian = (text: string) => utf16(text).swap16()
const latin = (text: string) => Buffer.from(text, 'latin1')
const [P1, P2] = [newPayer(), newPayer()]
const both = (head: string, between: string) =>
  `${head}\r\n${P1}${between}5000${between}Ann\r\n${P2}${between}7000${between}Zo\u00e9\r\n`

const FORMS: readonly (readonly [name: string, bytes: Buffer, amount?: string])[] = [
  ['with semicolons', utf8(both('phone;amount;name', ';'))],
  ['with tabs', utf8(both('Phone\tAmount\tName', '\t'))],
  ['with pipes', utf8(both('Phone|Amount|Name', '|'))],
  ['with a line sep=;', utf8(`sep=;\r\n${both('Phone;Amount;Name', ';')}`)],
  ['of Excel as Unicode text', utf16(both('Phone Number\tAmount (UGX)\tFull name', '\t'))],
  ['in UTF-16 of the other order', bigEndian(both('Phone;Amount;Name', ';'))],
  ['in Windows-1252', latin(both('Mobile No.;Amount;Name', ';'))],
  ['with a byte order mark', utf8(`\ufeff${both('MSISDN,UGX,Names', ',')}`)],
  ['in Luganda', utf8(both("Ennamba y'essimu,Omuwendo,Erinnya", ','))],
  ['in Swahili', utf8(both('Namba ya simu;Kiasi;Jina', ';'))],
  ['without headings', utf8(`${P1},5000\n${P2},7000\n`)],
  ['without headings, amount first', utf8(`"UGX 5,000/=";${P1}\n7000.00;${P2}\n`)],
  ['with a title above', utf8(`Wages of July,,\r\n,,\r\n${both('Phone,Amount,Name', ',')}`)],
  ['with empty rows', utf8(both('Phone,Amount,Name', ',').replace('\r\n', '\r\n,,\r\n,,\r\n'))],
  [
    'of Excel',
    workbook({
      Pay: [
        ['Phone', 'Amount', 'Name'],
        [Number(P1), 5000, 'Ann'],
        [P2, '7,000', 'Zo\u00e9'],
      ],
    }),
  ],
]

for (const [name, bytes] of FORMS)
  test(`a list ${name} goes straight to what it would do`, async () => {
    const anna = await signedInAs(service, (await richShop(service)).merchant)
    const uploaded = await upload(anna, bytes)
    assert.equal(uploaded.status, 303, mainOf(uploaded))
    assert.match(uploaded.location, /\/bulk\/drafts\/bdr_\w+$/)
    const preview = await anna.follow(uploaded)
    assert.equal(preview.status, 200, preview.location)
    assert.match(mainOf(preview), /Would be paid 2 Amount UGX 12,000 .*Would be refused 0/)
    if (bytes.includes('Ann')) assert.match(mainOf(preview), /Ann .*Zo\u00e9/)
  })

test('the lines are numbered as in the file, and each fault is told in words of its own', async () => {
  const { merchant, live } = await richShop(service, 100_000)
  const anna = await signedInAs(service, merchant)
  const lines: [cells: string, says: RegExp | null][] = [
    [`${P1},7500.00,Ann`, /is paid/],
    [`${P2},7500.50,Ben`, /7500.50 has a part of a shilling/],
    [`${P2},-500,Cy`, /the amount -500 is below zero/],
    [',,', null],
    [`${P2},,Di`, /the amount is empty/],
    [
      '2.56772E+11,500,Ed',
      /2.56772E\+11 is the short form in which Excel shows a long number.*format the column as Text/,
    ],
    [`${P2},2.5E+05,Fay`, /2.5E\+05 is the short form/],
    [`${P2},#REF!,Gus`, /#REF! is a fault of a formula/],
    ['772123456,600,Hal', /is paid/],
    ['0772123456/0701123456,600,Ida', /more than one phone number/],
    [',600,Jo', /the phone is empty/],
    [`${P1},"UGX 5,000/=",Kim`, /is paid/],
    [`${P1},600,Lu,x`, /row has 4 cells, the line of headings has 3/],
  ]
  const text = `Phone,Amount,Name\r\n${lines.map(([cells]) => cells).join('\r\n')}`
  const uploaded = await upload(anna, utf8(text))
  const preview = await anna.follow(uploaded)
  const main = mainOf(preview)
  assert.match(main, /One number has lost the zero at the front/)
  assert.match(main, /Would be paid 3 Amount UGX 13,100/)
  assert.match(main, /Would be refused 9/)
  assert.match(main, /4 [\d ]+ Cy -500 – the amount -500 is below zero/)
  for (const [at, [, says]] of lines.entries()) {
    const row = new RegExp(`data-title="Line"[^>]*>line ${at + 2}<.*?</tr>`, 'gs')
    const shown = [...preview.text.matchAll(row)].map(([html]) => mainOf({ text: html } as Page)).join(' ')
    if (says === null) assert.equal(shown, '', 'an empty row is no payout')
    else assert.match(shown, says)
  }
  const sent = await anna.send(preview, '/send')
  const batch = await anna.follow(sent)
  assert.match(mainOf(batch), /3 [\d ]+ Ben 7500.50 .* 7500.50 has a part of a shilling/)
  assert.match(mainOf(batch), /Line 13|13 [\d ]+ Kim UGX 5,000/)
  assert.equal(await availableOf(live), 100_000 - 13_100 - 3 * 200)
})

test('a workbook gives the values of its formulas, and says which sheet was read', async () => {
  const anna = await signedInAs(service, (await richShop(service)).merchant)
  const bytes = workbook({
    Notes: [],
    'Wages & more': [
      ['Wages of July'],
      [],
      ['Name', 'Tel', 'Days', 'Net pay'],
      ['Ann', Number(P1), 10, { xml: '<c><f>C4*500</f><v>5000</v></c>' }],
      ['Ben', `'${P2}`.slice(1), 2, { xml: '<c><f>0.1+0.2</f><v>7000.000000000001</v></c>' }],
      ['Cy', newPayer(), 2, { xml: '<c t="e"><v>#REF!</v></c>' }],
    ],
    Old: [['x']],
  })
  const preview = await anna.follow(await upload(anna, bytes, 'wages.xlsx'))
  const main = mainOf(preview)
  assert.match(main, /Read is the sheet Wages & more . Not read: Notes, Old/)
  assert.match(main, /Would be paid 2 Amount UGX 12,000/)
  assert.match(main, /6 [\d ]+ Cy #REF! .*fault of a formula/)
})

test('columns that are not certain are asked for, and the next list with the same headings is understood', async () => {
  const { merchant } = await richShop(service)
  const [anna, books] = [
    await signedInAs(service, merchant),
    await signedInAs(service, merchant, { role: 'accountant' }),
  ]
  const list = (amount: number) =>
    utf8(`Who;Where;How much;Paid last\n${'Ann'};${P1};${amount};100\nBen;${P2};700;200\n`)
  const uploaded = await upload(anna, list(600))
  const step = await anna.follow(await anna.follow(uploaded))
  assert.match(mainOf(step), /What is in these columns\?.*Line A B C D.*Column B: Where.*Column C: How much/)
  assert.match(mainOf(step), /line 2: Ann/)
  const { fields, action } = formOf(step, '/columns')
  assert.deepEqual([fields.c1, fields.c2, fields.first], ['name', 'phone', '2'], 'what is in them is offered')
  assert.equal((await anna.get(uploaded.location)).status, 303, 'there is nothing to see before')
  for (const [given, says] of [
    [{ c1: 'name', c2: 'phone', c3: 'ignore', c4: 'ignore' }, /say which column is the amount/],
    [{ c1: 'name', c2: 'phone', c3: 'amount', c4: 'amount' }, /only one column can be the amount/],
    [{ c1: 'name', c2: 'phone', c3: 'amount', c4: 'ignore', first: '99' }, /Choose one of the options|no lines to pay/],
    [{ c1: 'name', c2: 'phone', c3: 'amount', c4: 'cash' }, /Choose one of the options/],
  ] as const) {
    const refused = await anna.post(action, { ...fields, ...given })
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), says)
  }
  const chosen = { c1: 'name', c2: 'phone', c3: 'amount', c4: 'ignore' }
  const preview = await anna.follow(await anna.send(step, '/columns', chosen))
  assert.match(mainOf(preview), /Would be paid 2 Amount UGX 1,300/)
  const again = await books.follow(await upload(books, list(900)))
  assert.match(mainOf(again), /Would be paid 2 Amount UGX 1,600/, 'another person of the business is not asked')
  const other = await signedInAs(service, (await richShop(service)).merchant)
  assert.match((await other.follow(await upload(other, list(900)))).location, /\/columns$/, 'another business is')
  const changed = await anna.get(`${uploaded.location}/columns`)
  const first = await anna.follow(await anna.send(changed, '/columns', { ...chosen, first: '3' }))
  assert.match(mainOf(first), /Would be paid 1 Amount UGX 700/)
  await anna.send(first, '/send')
  assert.equal((await anna.get(`${uploaded.location}/columns`)).status, 400)
})

test('a column called Number that counts the lines is not taken for phones', async () => {
  const anna = await signedInAs(service, (await richShop(service)).merchant)
  const uploaded = await upload(anna, utf8(`Number,Amount,Wallet of\n1,500,${P1}\n2,600,${P2}\n`))
  assert.match((await anna.follow(uploaded)).location, /\/columns$/)
})

const NO_LISTS: readonly (readonly [name: string, bytes: Buffer, says: RegExp])[] = [
  ['PDF', utf8('%PDF-1.7 x'), /this is a PDF/],
  ['picture', Buffer.from('89504e470d0a1a0a', 'hex'), /this is a picture/],
  [
    'old workbook',
    Buffer.from('d0cf11e0a1b11ae100', 'hex'),
    /Excel workbook of the old kind \(\.xls\), or one with a password/,
  ],
  ['text', utf8('Dear Sir\nplease pay\n'), /the list has one column, and begins with "Dear Sir"/],
  ['workbook with nothing in it', workbook({ One: [], Two: [[]] }), /the Excel workbook is empty/],
  ['list of headings', utf8('Phone,Amount\n'), /there are no lines to pay/],
]

for (const [name, bytes, says] of NO_LISTS)
  test(`a ${name} is refused beside the field, with what to do`, async () => {
    const anna = await signedInAs(service, (await richShop(service)).merchant)
    const refused = await upload(anna, bytes)
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), says)
    assert.match(refused.text, /class="wrong"/)
  })

test('the templates come back as lists, and strangers, tills and roles without payouts see neither them nor the columns', async () => {
  const { merchant } = await richShop(service)
  const anna = await signedInAs(service, merchant)
  for (const kind of ['csv', 'xlsx']) {
    const bytes = await download(service, anna, `${BASE}/template.${kind}`)
    assert.ok(bytes.length > 0)
    assert.match(mainOf(await upload(anna, bytes, `payouts.${kind}`)), /there are no lines to pay/)
  }
  const uploaded = await upload(anna, utf8(`a;b;c\n${P1};500;600\n`))
  const step = await anna.follow(await anna.follow(uploaded))
  const paths = [`${uploaded.location}/columns`, `${BASE}/template.csv`, `${BASE}/template.xlsx`]
  const stranger = await signedInAs(service, (await richShop(service)).merchant)
  assert.equal((await stranger.get(`${uploaded.location}/columns`)).status, 404)
  const { fields, action } = formOf(step, '/columns')
  const own = formOf(await stranger.get(BASE), '/paste').fields.csrf ?? ''
  const said = { ...fields, c1: 'phone', c2: 'amount', c3: 'ignore' }
  assert.equal((await stranger.post(action, { ...said, csrf: own })).status, 404)
  for (const role of ['developer', 'cashier', 'viewer', 'till'] as const) {
    const person = role === 'till' ? await tillOf(service, merchant) : await signedInAs(service, merchant, { role })
    for (const path of paths) assert.equal((await person.get(path)).status, 403, `${role} ${path}`)
  }
})
