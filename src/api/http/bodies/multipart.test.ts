import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { sized } from '../../../../test/helpers/service/parts.ts'
import { parseMultipartFile, parseMultipartForm } from './multipart.ts'

const seed = randomInt(2 ** 31)
console.log(`multipart.test.ts seed ${seed}`)

const TYPE = 'multipart/form-data; boundary=xyz'
const END = '--xyz--\r\n'
const part = (disposition: string, content: string, more = '') =>
  `--xyz\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`
const FILE = part('name="payouts"; filename="july.csv"', 'phone,amount\r\n', 'Content-Type: text/csv\r\n')
const TEXT = part('name="file"', 'phone,amount\r\n', 'Content-Type: text/plain\r\n')
const FIELD = part('name="note"', 'july')
const read = async (body: string, type = TYPE) => (await parseMultipartFile(Buffer.from(body), type)).toString()
const refused = (problem: string) => ({
  status: 400,
  code: 'bad_request',
  stored: false,
  message: `invalid request: ${problem}`,
})

const READ: [string, string, string, string?][] = [
  ['one file', FILE + END, 'phone,amount\r\n'],
  ['a file between fields', FIELD + FILE + FIELD + END, 'phone,amount\r\n'],
  ['a file under another name', FILE.replace('payouts', 'x') + END, 'phone,amount\r\n'],
  ['a file without a name of its own', FILE.replace('july.csv', '') + END, 'phone,amount\r\n'],
  ['a file known by its type alone', part('name="f"', 'a', 'Content-Type: application/octet-stream\r\n') + END, 'a'],
  ['a text named file instead of one', FIELD + TEXT + END, 'phone,amount\r\n'],
  ['a long text named file', TEXT.replace('phone', 'p'.repeat(100_000)) + END, `${'p'.repeat(100_000)},amount\r\n`],
  ['a file beside a text named file', TEXT.replace('phone', 'x') + FILE + END, 'phone,amount\r\n'],
  ['an empty file', part('name="f"; filename="a"', '') + END, ''],
  ['text around the parts', `preamble\r\n${FILE}${END}epilogue`, 'phone,amount\r\n'],
  ['no line end at the very end', `${FILE}--xyz--`, 'phone,amount\r\n'],
  ['what looks like a boundary inside', part('name="f"; filename="a"', 'a\r\n--xy\r\n-xyz') + END, 'a\r\n--xy\r\n-xyz'],
  ['a quoted boundary', FILE + END, 'phone,amount\r\n', 'Multipart/Form-Data; charset=utf-8; boundary="xyz"'],
]

for (const [name, body, expected, type] of READ)
  test(`a form with ${name} gives its file`, async () => equal(await read(body, type), expected))

const NOT_ONE = 'multipart body must hold exactly one file'
const CUT = 'multipart body is malformed or cut short'
const REFUSED: [string, string, string][] = [
  ['no parts', END, NOT_ONE],
  ['only fields', FIELD + END, NOT_ONE],
  ['two texts named file', TEXT + TEXT + END, NOT_ONE],
  ['two files', FILE + FILE + END, NOT_ONE],
  ['two files under two names', FILE + FILE.replace('payouts', 'x') + END, NOT_ONE],
  ['a part without headers', `--xyz\r\n\r\nphone,amount\r\n${END}`, NOT_ONE],
  ['a part that is no form data', `${FILE.replace('form-data', 'attachment')}${END}`, NOT_ONE],
  ['no end', FILE, CUT],
  ['an end that is cut', `${FILE}--xyz-`, CUT],
  ['a file that is cut', FILE.slice(0, -8), CUT],
  ['a header that is cut', FILE.slice(0, 30), CUT],
  ['another boundary', (FILE + END).replaceAll('xyz', 'zyx'), CUT],
  ['bare line feeds', (FILE + END).replaceAll('\r\n', '\n'), CUT],
  ['no boundary in it', 'phone,amount\n', CUT],
  ['21 parts', FIELD.repeat(20) + FILE + END, 'multipart body has too many parts'],
]

for (const [name, body, problem] of REFUSED)
  test(`a form with ${name} is refused: ${problem}`, () => rejects(read(body), refused(problem)))

test('a form that names no boundary is refused', async () => {
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary', 'multipart/form-data;'])
    await rejects(read(FILE + END, type), refused('multipart body has no boundary in its Content-Type'))
})

test('a form gives its fields and its file with the name alone, and a field that came twice is refused', async () => {
  const form = (body: string) => parseMultipartForm(Buffer.from(body), TYPE)
  const named = FILE.replace('july.csv', '../../etc/july.csv')
  deepEqual({ ...(await form(FIELD + named + END)).fields }, { note: 'july' })
  await rejects(
    form(FIELD + named + FIELD.replace('july', 'august') + END),
    refused('multipart body has a field twice'),
  )
  deepEqual((await form(FIELD + named + END)).file, {
    name: 'july.csv',
    bytes: Buffer.from('phone,amount\r\n'),
  })
  equal((await form(FIELD + END)).file, null)
  deepEqual(Object.keys((await form(FIELD.replace('note', '__proto__') + END)).fields), ['__proto__'])
  await rejects(form(FILE + FILE + END), refused(NOT_ONE))
  const long = part('name="note"', 'a'.repeat(16 * 1024 + 1))
  await rejects(form(long + END), refused('multipart body has a field that is too long'))
})

test('a file of 4 MiB is returned byte for byte', async () => {
  const content = Buffer.alloc(sized(1, 4) * 1024 * 1024 - 200, '\r\n--xy\u00ff', 'latin1')
  const [head, tail] = part('name="f"; filename="a"', '|').split('|') as [string, string]
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(tail + END)])
  deepEqual(await parseMultipartFile(body, TYPE), content)
})

test('4 MiB of nothing but boundaries are given up early', async () => {
  const bodies = ['--xyz\r\n', '--xyz\r\n\r\n', FIELD].map((one) => one.repeat((4 * 1024 * 1024) / one.length))
  for (const body of bodies) {
    const started = performance.now()
    await rejects(read(body), refused('multipart body has too many parts'))
    // Milliseconds if it stops early, minutes if not: a crowded machine cannot change the result.
    ok(performance.now() - started < 20_000)
  }
})

test('parsing ends, whatever the bytes', { timeout: 60_000 }, async () => {
  const pieces = ['--xyz', '--xyz--', '\r\n', '\r\n\r\n', '--', ':', 'a', FILE, FIELD, 'filename="a"']
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 })
  const known = [NOT_ONE, CUT].map((problem) => `invalid request: ${problem}`)
  await fc.assert(
    fc.asyncProperty(soup, async (parts) => {
      const end = await read(parts.join('')).catch((error: Error) => error)
      ok(typeof end === 'string' || known.includes(end.message), String(end))
    }),
    { seed, numRuns: sized(300, 2000) },
  )
})
