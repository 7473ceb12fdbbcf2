import { deepEqual, equal, notDeepEqual, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { CsvFile, fingerprintContent, fingerprintRequest, parseJsonOrCsv } from './body-content.ts'

const CSV = 'phone,amount\n0700000000,5000\n'
const open = (body: string, type?: string) => parseJsonOrCsv(Buffer.from(body), type)
const form = (boundary: string, content: string): [string, string] => [
  `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n${content}\r\n--${boundary}--\r\n`,
  `multipart/form-data; boundary=${boundary}`,
]

for (const type of ['text/csv', 'text/plain', 'TEXT/CSV', 'text/csv; charset=utf-8', ' text/csv ;header=present'])
  test(`a body that calls itself ${type} is a CSV`, async () => {
    const content = await open(CSV, type)
    ok(content instanceof CsvFile)
    equal(content.bytes.toString(), CSV)
  })

test('a form is the CSV of its file', async () => {
  const content = await open(...form('x', CSV))
  ok(content instanceof CsvFile)
  equal(content.bytes.toString(), CSV)
})

for (const type of [undefined, '', 'application/json', 'text/csvx', 'text/html', 'multipart/mixed; boundary=x', ';'])
  test(`a body that calls itself ${type} is JSON, and a CSV is told its name (C12)`, async () => {
    deepEqual(await open('{"payouts":[1]}', type), { payouts: [1] })
    await rejects(open(CSV, type), {
      message: 'invalid request: body is not valid JSON; is it CSV? then send Content-Type: text/csv',
      stored: false,
    })
    await rejects(open(' {"a":', type), { message: 'invalid request: body is not valid JSON' })
    await rejects(open('{"a":1,"a":2}', type), { message: 'invalid request: duplicate field a' })
  })

test('a missing body is an empty object, whatever its Content-Type', async () => {
  for (const type of [
    undefined,
    'application/json',
    'text/csv',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
  ])
    deepEqual(await open('', type), {})
})

const fingerprint = (content: unknown, path = '/v1/payouts/bulk') => fingerprintContent('POST', path, content)

test('JSON has the same fingerprint as everywhere else', async () => {
  const content = await open('{"b":1, "a":[2]}')
  deepEqual(fingerprint(content), fingerprintRequest('POST', '/v1/payouts/bulk', { a: [2], b: 1 }))
  deepEqual(fingerprint(await open('', 'text/csv')), fingerprintRequest('POST', '/v1/payouts/bulk', {}))
})

test('a CSV has the fingerprint of its bytes, in whatever form it is sent', async () => {
  const plain = fingerprint(await open(CSV, 'text/csv'))
  deepEqual(fingerprint(await open(CSV, 'text/plain; charset=utf-8')), plain)
  deepEqual(fingerprint(await open(...form('one', CSV))), plain)
  deepEqual(fingerprint(await open(...form('another', CSV))), plain)
})

test('another byte, path or kind of body is another request', async () => {
  const plain = fingerprint(await open(CSV, 'text/csv'))
  notDeepEqual(fingerprint(await open(CSV.replace('\n', '\r\n'), 'text/csv')), plain)
  notDeepEqual(fingerprint(await open(CSV, 'text/csv'), '/v1/payouts'), plain)
  notDeepEqual(fingerprint(await open('{}', 'text/csv')), fingerprint(await open('{}')))
})
