import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { CsvFile } from '../../../api/http/bodies/body-content.ts'
import { parseBulkContent } from './bulk-body.ts'
import { CSV_EXAMPLE } from './bulk-csv.ts'

const MIB = 1024 * 1024
const read = async (csv: string | Buffer) => (await parseBulkContent(new CsvFile(Buffer.from(csv as string)))).items
const refused = (message: string) => ({ status: 400, code: 'bad_request', message, stored: false })
const invalid = (problem: string) => refused(`invalid request: ${problem}`)
const PLAIN = { amount: 5000, phone: '256700000000', name: null, channel: 'op1_momo', reference: null }
const item = (index: number, more: object = {}) => ({ ok: true, index, ...PLAIN, ...more })
const failed = (index: number, problem: string, reference: string | null = null) => ({
  ok: false,
  index,
  reference,
  error: `invalid item: ${problem}`,
})

const HEADERS: [string, string][] = [
  ['as it is described', 'phone,amount\n0700000000,5000'],
  ['in another order', 'amount,phone\n5000,0700000000'],
  ['in capitals', 'PHONE,Amount\n0700000000,5000'],
  ['with spaces around its names', ' phone , amount\t\n0700000000,5000'],
  ['in quotes', '"phone","amount"\n0700000000,5000'],
  ['with msisdn', 'msisdn,amount\n0700000000,5000'],
  ['with number', 'Number,amount\n0700000000,5000'],
  ['with columns that nobody knows', 'id,phone,note,amount,note,\n1,0700000000,"a\nb",5000,\u0000,'],
  ['behind a byte order mark', '\ufeffphone,amount\n0700000000,5000'],
  ['behind blank lines', '\n \r\nphone,amount\n\n0700000000,5000\n\n'],
  ['with CRLF', 'phone,amount\r\n0700000000,5000\r\n'],
  ['with names of Object', 'constructor,phone,amount,__proto__\nx,0700000000,5000,y'],
]

for (const [name, csv] of HEADERS)
  test(`a header ${name} is understood`, async () => deepEqual(await read(csv), [item(0)]))

test('all columns of a row are read, and each row is an item', async () => {
  const csv = 'ref,channel,name,amount,phone\nr-1,card,"Akello, Grace","10,000",+256 700 000 001\n , ,,1,0700000000\n'
  const first = {
    amount: 10_000,
    phone: '256700000001',
    name: 'Akello, Grace',
    channel: 'card',
    reference: 'r-1',
  }
  deepEqual(await read(csv), [item(0, first), item(1, { amount: 1 })])
})

test('the example of the description is valid', async () => {
  deepEqual(
    (await read(CSV_EXAMPLE)).map((bulkItem) => bulkItem.ok && bulkItem.amount),
    [5000, 10_000],
  )
})

const UNREADABLE = 'CSV cannot be read; is it JSON? then send Content-Type: application/json'
const names = (found: string) => invalid(`CSV header must name phone and amount; its first line is ${found}`)
const SAVE_AS = 'save it as "CSV UTF-8" and send that'
const ONE_CELL = 'cells are separated by commas, semicolons or tabs'
const REFUSED: [string, string | Buffer, ReturnType<typeof refused>][] = [
  ['without a phone', 'amount\n5000', names(`one cell, "amount"; ${ONE_CELL}`)],
  ['without an amount', 'phone,name\n0700000000,x', names('"phone", "name"')],
  ['without a header', '0700000000,5000\n', names('"0700000000", "5000"')],
  ['of pipes', 'phone|amount\n0700000000|5000', names(`one cell, "phone|amount"; ${ONE_CELL}`)],
  [
    'with other names',
    `${'x'.repeat(60)};b;c;d;e;f;g;h\n`,
    names(`"${'x'.repeat(40)}", "b", "c", "d", "e", "f" and 2 more`),
  ],
  ['with text behind a quote', 'phone,amount,name\n1,2,"a"b', invalid(UNREADABLE)],
  ['that is JSON', '{"payouts":[{"amount":5000,"phone":"0700000000"}]}', invalid(UNREADABLE)],
  ['with phone twice', 'phone,amount,phone\n1,2,3', invalid('CSV header names phone twice')],
  ['with phone under two names', 'phone,amount,MSISDN\n1,2,3', invalid('CSV header names phone twice')],
  ['with amount twice', 'phone,amount,Amount\n1,2,3', invalid('CSV header names amount twice')],
  ['with reference and ref', 'phone,amount,ref,reference\n1,2,3,4', invalid('CSV header names reference twice')],
  [
    'with an open quote',
    'phone,amount\n0700000000,5000\n"0700000001,5000\n',
    invalid('CSV has a quote that is never closed'),
  ],
  [
    'with bytes that are no UTF-8',
    Buffer.from('phone,amount,name\n0700000000,5000,\xe9', 'latin1'),
    invalid(`CSV is not valid UTF-8, perhaps it is Windows-1252; ${SAVE_AS}`),
  ],
  [
    'in UTF-16',
    Buffer.from('\ufeffphone,amount\n0700000000,5000', 'utf16le'),
    invalid(`CSV is UTF-16, which Excel calls Unicode text, not UTF-8; ${SAVE_AS}`),
  ],
  ['that is a workbook', Buffer.from('PK\x03\x04'), invalid(`this is an Excel workbook (.xlsx), not CSV; ${SAVE_AS}`)],
  [
    'that is an old workbook',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    invalid(`this is an Excel workbook (.xls), not CSV; ${SAVE_AS}`),
  ],
  ['without anything', '', refused('no payout items provided (JSON {payouts:[...]} or CSV)')],
  ['of blank lines', '\ufeff\r\n \n', refused('no payout items provided (JSON {payouts:[...]} or CSV)')],
  ['of a header alone', 'phone,amount\n\n', refused('no payout items provided (JSON {payouts:[...]} or CSV)')],
  [
    'of 1,001 rows',
    `phone,amount\n${'0700000000,1\n'.repeat(1001)}`,
    refused('batch too large (max 1000 items per call)'),
  ],
  [
    'of 257 cells in a row (D2)',
    `phone,amount${','.repeat(255)}\n0700000000,1`,
    invalid('CSV has a row of more than 256 cells'),
  ],
  ['of 4 MiB of lone CRs', '\r'.repeat(4 * MIB), refused('no payout items provided (JSON {payouts:[...]} or CSV)')],
  [
    'of 10,001 rows of quotes',
    `phone,amount\n${'"",""\n'.repeat(10_001)}`,
    invalid('CSV has more than 10000 empty rows'),
  ],
  ['that is long JSON', `{"a":[${'1,'.repeat(400)}1]}`, invalid(UNREADABLE)],
  [
    'of 1,001 rows that are all bad',
    `phone,amount\n${'x\n'.repeat(1001)}`,
    refused('batch too large (max 1000 items per call)'),
  ],
]

test('256 cells in a row are not too many (D2)', async () => {
  deepEqual(await read(`phone,amount${','.repeat(254)}\n0700000000,5000${','.repeat(254)}`), [item(0)])
})

for (const [name, csv, refusal] of REFUSED)
  test(`a CSV ${name} is refused: ${refusal.message}`, () => rejects(read(csv), refusal))

test('1,000 rows are not too many, whatever blank lines stand between them', async () => {
  const items = await read(`phone,amount\n${'0700000000,1\n\n'.repeat(1000)}`)
  deepEqual([items.length, items[999]?.index], [1000, 999])
})

const AMOUNTS: [string, number | null][] = [
  ['5000', 5000],
  ['0', 0],
  ['0005', 5],
  ['"5000"', 5000],
  ['"10,000"', 10_000],
  ['"1,234,567"', 1_234_567],
  ['"999,999"', 999_999],
  ['9007199254740993', 9007199254740992],
  ['9'.repeat(400), Number.MAX_VALUE],
  ['', null],
  ['" "', null],
  ['"1,0000"', null],
  ['"10,00"', null],
  ['"1,,000"', null],
  ['",100"', null],
  ['"1000,000"', null],
  ['"1,000,"', null],
  ['"1 000"', null],
  ['-5', null],
  ['+5', null],
  ['5.0', null],
  ['"5,5"', null],
  ['5e3', null],
  ['0x10', null],
  [' 5', 5],
  ['5 ', 5],
  ['UGX 5', null],
  ['5000/=', null],
  ['\u0665', null],
  ['Infinity', null],
  ['5\u0000', null],
]

for (const [written, amount] of AMOUNTS)
  test(`an amount written ${JSON.stringify(written.slice(0, 20))} is ${amount ?? 'none'}`, async () => {
    const expected = amount === null ? failed(0, 'amount must be an integer') : item(0, { amount })
    deepEqual(await read(`amount,phone\n${written},0700000000\n5000,0700000000`), [expected, item(1)])
  })

const ROWS: [string, string, ReturnType<typeof failed>][] = [
  ['a cell too few', '0700000000,5000,x', failed(1, 'row has 3 cells, the header has 4')],
  ['one cell', '0700000000', failed(1, 'row has 1 cell, the header has 4')],
  ['a cell too many', '0700000000,5000,x,r,', failed(1, 'row has 5 cells, the header has 4')],
  ['thousands without quotes', '0700000000,10,000,x,r', failed(1, 'row has 5 cells, the header has 4')],
  ['a bad phone', '12,5000,x,r', failed(1, 'recipient.phone is not a valid phone number', 'r')],
  ['no phone', ' ,5000,x,r', failed(1, 'recipient.phone is required', 'r')],
  ['a NUL in the name', '0700000000,5000,\u0000,r', failed(1, 'recipient.name contains control characters', 'r')],
  ['a NUL in the phone', '\u0000,5000,x,r', failed(1, 'recipient.phone contains control characters', 'r')],
  ['a line in the reference', '0700000000,5000,x,"r\n"', failed(1, 'reference contains control characters')],
  ['a long reference', `0700000000,5000,x,${'r'.repeat(256)}`, failed(1, 'reference must be at most 255 characters')],
]

for (const [name, row, expected] of ROWS)
  test(`a row with ${name} fails alone: ${expected.error}`, async () => {
    const good = '0700000000,5000,,'
    deepEqual(await read(`phone,amount,name,reference\n${good}\n${row}\r\n${good}`), [item(0), expected, item(2)])
  })

const HEADER = 'phone,amount\n'
const HOSTILE: [string, string][] = [
  ['one huge cell', HEADER + 'a'.repeat(4 * MIB)],
  ['one huge quoted cell', `${HEADER}"${'a'.repeat(4 * MIB)}"`],
  ['a huge phone', `${HEADER}${' '.repeat(4 * MIB)}1,5`],
  ['a huge amount', `${HEADER}0700000000,${'1'.repeat(4 * MIB)}`],
  ['a huge amount with commas', `${HEADER}0700000000,"1${',000'.repeat(MIB)}"`],
  ['a huge name', `name,${HEADER}${'é'.repeat(2 * MIB)},0700000000,5`],
  ['four million commas', HEADER + ','.repeat(4 * MIB)],
  ['a header of commas', ','.repeat(4 * MIB)],
  ['four million quotes', HEADER + '"'.repeat(4 * MIB)],
  ['quotes that never close', HEADER + '"'.repeat(4 * MIB - 1)],
  ['quotes inside cells', HEADER + 'a"'.repeat(2 * MIB)],
  ['empty quoted cells', HEADER + '"",'.repeat(MIB)],
  ['a million rows', HEADER + 'a,b\n'.repeat(MIB)],
  ['four million blank lines', HEADER + '\n'.repeat(4 * MIB)],
  ['four million CRs', HEADER + '\r'.repeat(4 * MIB)],
  ['four million CRs as line ends', 'phone,amount\r'.padEnd(4 * MIB, '\r')],
  ['four million semicolons', 'phone;amount\n'.padEnd(4 * MIB, ';')],
  ['rows of empty quotes', HEADER + '"",""\n'.repeat(MIB / 2)],
  ['a million rows of semicolons', `phone;amount\n${';;;\n'.repeat(MIB)}`],
  ['four million NULs', HEADER + '\u0000'.repeat(4 * MIB)],
]

for (const [name, csv] of HOSTILE)
  test(`4 MiB of CSV with ${name} are soon judged`, async () => {
    const bytes = Buffer.from(csv)
    const begun = process.cpuUsage()
    try {
      ok((await read(bytes)).length <= 1000)
    } catch (error) {
      equal((error as { status?: number }).status, 400)
    }
    // A fraction of a second, by the time of the processor, which a crowded machine hardly changes; anything not linear would take minutes.
    ok(process.cpuUsage(begun).user < 20_000_000)
  })
