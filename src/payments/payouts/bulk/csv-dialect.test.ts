import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { CsvFile } from '../../../api/http/bodies/body-content.ts'
import { parseBulkContent } from './bulk-body.ts'

const read = async (csv: string) => (await parseBulkContent(new CsvFile(Buffer.from(csv)))).items
const PLAIN = { amount: 5000, phone: '256700000000', name: null, channel: 'op1_momo', reference: null }
const item = (index: number, more: object = {}) => ({ ok: true, index, ...PLAIN, ...more })
const failed = (index: number, problem: string) => ({
  ok: false,
  index,
  reference: null,
  error: `invalid item: ${problem}`,
})

const DIALECTS: [string, string][] = [
  ['with semicolons', 'phone;amount\n0700000000;5000'],
  ['with tabs', 'phone\tamount\n0700000000\t5000'],
  ['with semicolons in quotes, behind a byte order mark', '\ufeff"Phone";"amount"\r\n0700000000;5000\r\n'],
  ['below a line that names the separator', '\ufeffsep=;\r\nphone;amount\r\n0700000000;5000\r\n'],
  ['below a line that names the comma', 'SEP=,\nphone,amount\n0700000000,5000'],
  ['with carriage returns alone', 'phone,amount\r0700000000,5000\r'],
  ['of semicolons and carriage returns', 'sep=;\rphone;amount\r0700000000;5000'],
]

for (const [name, csv] of DIALECTS)
  test(`a file ${name} is understood`, async () => deepEqual(await read(csv), [item(0)]))

const EMPTY_ROWS: [string, string][] = [
  ['of commas', 'phone,amount,,\n0700000000,5000,,\n,,,\n,,,\n'],
  ['of commas and blanks', 'phone,amount,name\n , ,\n0700000000,5000,\n\t,,  \n'],
  ['of empty quotes', 'phone,amount\n"",""\n0700000000,5000\n" ",\n'],
  ['of another width', 'phone,amount\n,,,,\n0700000000,5000\n,\n'],
  ['of semicolons', 'phone;amount\n;\n0700000000;5000\n;;;\n'],
  ['1,247 of them', `phone,amount\n0700000000,5000\n${',\n'.repeat(1247)}`],
]

for (const [name, csv] of EMPTY_ROWS)
  test(`rows whose cells are all empty are skipped: ${name}`, async () => deepEqual(await read(csv), [item(0)]))

test('with semicolons an amount has no commas, because they may part the cents', async () => {
  const csv = 'phone;amount\n0700000000;1,500\n0700000000;5000'
  deepEqual(await read(csv), [failed(0, 'amount must be an integer'), item(1)])
  deepEqual(await read('phone\tamount\n0700000000\t10,000'), [item(0, { amount: 10_000 })])
})
