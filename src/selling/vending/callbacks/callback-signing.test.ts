import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCallbackReport, parseMachineCallback } from './callback-body.ts'
import { buildSignedBases, computeSignature, findSigner, parseMembers } from './callback-signing.ts'

const SECRET = 's3cr3t'
const basesOf = (json: string) => buildSignedBases(parseMembers(json))
const readText = (json: string) => parseMachineCallback(Buffer.from(json))
const SIGN = 'a'.repeat(32)
const form = (fields: string) => `{"sign":"${SIGN}","timestamp":1724750000${fields && `,${fields}`}}`

// The examples of contract.md 6.4, as a supplier would send them.
const GOLDEN = [
  {
    timestamp: '1724750000000',
    json: `{"tkje":0,"status":"1","shbh":"M1","paytype":"forwardPayCode","jqbh":"M-1","dsfjybh":"txn_1","ddbh":"lnk_1",
      "key":"k","timestamp":1724750000000,"sign":"x","splist":[{"spbh":"1","chsl":1}]}`,
    bases: ['ddbh=lnk_1&dsfjybh=txn_1&jqbh=M-1&paytype=forwardPayCode&shbh=M1&status=1&tkje=0'],
    signs: ['76f1052260991e085a760105a41e8ef9'],
  },
  {
    timestamp: '1724750000',
    json: `{"ddbh":"lnk_2","dsfjybh":"txn_2","dsfshdh":99,"jqbh":"M-2","state":"finished","tkje":null,"timestamp":"1724750000"}`,
    bases: [
      'ddbh=lnk_2&dsfjybh=txn_2&dsfshdh=99&jqbh=M-2&state=finished&tkje=',
      'ddbh=lnk_2&dsfjybh=txn_2&dsfshbh=99&jqbh=M-2&status=finished&tkje=',
    ],
    signs: ['71641d823cb158871d32653a40a3c693', 'a064099d9d8f0c79a71b2afdcb2dea84'],
  },
]

test('the test vectors of the contract are matched digit by digit, and each verifies', () => {
  for (const { json, timestamp, bases, signs } of GOLDEN) {
    assert.deepEqual(basesOf(json), bases)
    assert.deepEqual(
      bases.map((base) => computeSignature(SECRET, { timestamp, base })),
      signs,
    )
    for (const sign of [...signs, ...signs.map((sign) => sign.toUpperCase())])
      assert.equal(findSigner(['other', SECRET, SECRET], { sign, timestamp, bases }), 1)
  }
})

test('values are signed as they are written in the JSON, not as a parser would read them', () => {
  const cases: [string, string][] = [
    ['{"a":1.0}', 'a=1.0'],
    ['{"a":-0}', 'a=-0'],
    ['{"a":1e3}', 'a=1e3'],
    ['{"a":1E+2}', 'a=1E+2'],
    ['{"a":181213189900000003}', 'a=181213189900000003'],
    ['{"a" : 0.10 , "b":7}', 'a=0.10&b=7'],
    ['{"a":null}', 'a='],
    ['{"a":true,"b":false}', 'a=1&b=0'],
    ['{"a":""}', 'a='],
    ['{"a":" x "}', 'a= x '],
    ['{"a":"\\u00e9\\"\\\\/\\/"}', 'a=é"\\//'],
    ['{"a":"{\\"b\\":1}"}', 'a={"b":1}'],
    ['{"a":{"b":1,"c":[2,{"d":3}]},"e":[],"f":4}', 'f=4'],
    ['{"a":[{"sign":"x"}],"b":{},"c":"1"}', 'c=1'],
    ['{"b":2,"a":1,"B":3,"_":4,"a1":5}', 'B=3&_=4&a=1&a1=5&b=2'],
    ['{"\\u0061":1}', 'a=1'],
    ['{"sign":"s","key":"k","timestamp":1,"splist":"text"}', ''],
    ['{}', ''],
  ]
  for (const [json, base] of cases) assert.deepEqual(basesOf(json), [base], json)
})

test('a second spelling is tried for the two names that have one, but never where both were sent', () => {
  assert.deepEqual(basesOf('{"state":1,"tkje":0}'), ['state=1&tkje=0', 'status=1&tkje=0'])
  // Sorted anew under the other name.
  assert.deepEqual(basesOf('{"dsfshdh":1,"dsfshc":2}'), ['dsfshc=2&dsfshdh=1', 'dsfshbh=1&dsfshc=2'])
  assert.deepEqual(basesOf('{"state":1,"status":2}'), ['state=1&status=2'])
  assert.deepEqual(basesOf('{"status":1,"dsfshbh":2}'), ['dsfshbh=2&status=1'])
  assert.deepEqual(basesOf('{"state":{"a":1},"b":1}'), ['b=1'])
  assert.deepEqual(basesOf('{"toString":1}'), ['toString=1'])
})

test('only the exact secret, time and text verify', () => {
  const [base] = GOLDEN[0]?.bases ?? []
  const timestamp = '1724750000000'
  const right = {
    sign: computeSignature(SECRET, { timestamp, base: base as string }),
    timestamp,
    bases: [base as string],
  }
  assert.equal(findSigner([SECRET], right), 0)
  assert.equal(findSigner([], right), null)
  assert.equal(findSigner(['S3cr3t', 's3cr3t '], right), null)
  assert.equal(findSigner([SECRET], { ...right, timestamp: '1724750000001' }), null)
  assert.equal(findSigner([SECRET], { ...right, bases: [`${base}1`] }), null)
  for (const sign of ['', 'x', `${right.sign}0`, right.sign.slice(1), 'é'.repeat(32)])
    assert.equal(findSigner([SECRET], { ...right, sign }), null, sign)
})

test('moving digits from the time into the first name gives the same bytes but another message: refused', () => {
  // Signed at 1724750000123 over `ddbh=...`, read as signed at 1724750000 over `123ddbh=...`.
  const base = 'ddbh=lnk_1&jqbh=M-1&status=1'
  const sign = computeSignature(SECRET, { timestamp: '1724750000123', base })
  assert.equal(findSigner([SECRET], { sign, timestamp: '1724750000', bases: [`123${base}`] }), 0)
  const shifted = `{"123ddbh":"lnk_1","jqbh":"M-1","status":"1","timestamp":1724750000,"sign":"${sign}"}`
  assert.throws(() => readText(shifted), /^Error: malformed field 123ddbh$/)
  // The reverse would need a name that no supplier has; a short number in front changes nothing.
  assert.equal(readText(form('"12a":1')).bases[0], '12a=1')
  assert.equal(readText(form('"123a":1').replace('1724750000', '1724750000123')).bases[0], '123a=1')
})

test('ids cannot hide a second field; other texts may hold anything but control characters', () => {
  for (const name of ['ddbh', 'dsfjybh', 'jqbh', 'status', 'state']) {
    for (const value of ['"a&b"', '"a=b"', '"&"', '"="', '{"a":1}', '["a"]', '[]'])
      assert.throws(() => readText(form(`"${name}":${value}`)), new RegExp(`malformed field ${name}$`), value)
    for (const value of ['"a b"', '""', 'null', '7']) readText(form(`"${name}":${value}`))
  }
  assert.equal(readText(form('"memo":"a&b=c"')).bases[0], 'memo=a&b=c')
  for (const control of ['\\u0000', '\\n', '\\t', '\\r', '\\u007f', '\\u0080', '\\u009f', '\x7f'])
    assert.throws(() => readText(form(`"memo":"a${control}"`)), /malformed field memo$/, control)
  for (const name of ['', 'a b', 'a-b', 'é', 'a=b', 'a&b', 'a\\u0000'])
    assert.throws(() => readText(form(`"${name}":1`)), /malformed field/, name)
  assert.throws(() => readText(form('"a":1,"\\u0061":2')), /malformed field a$/)
  // Fields inside an object are not signed, and not refused.
  assert.equal(readText(form('"splist":[{"a b":"\\n"}],"__proto__":{"jqbh":"x"}')).machine, null)
})

test('a body that is not a JSON object is reported as such', () => {
  const bodies = ['', ' ', '[]', '"a"', '1', 'null', '{', '{"a":1}}', 'a=1&b=2', '{"a":01}', "{'a':1}"]
  for (const body of bodies) assert.throws(() => readText(body), /empty or non-JSON body/, body)
  assert.throws(() => parseMachineCallback(Buffer.from([0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d])), /non-JSON/)
})

test('sign and timestamp have one form each', () => {
  const with_ = (sign: string, timestamp: string) => `{"sign":${sign},"timestamp":${timestamp}}`
  const good = `"${SIGN}"`
  for (const sign of [
    '""',
    'null',
    '1',
    `"${SIGN}a"`,
    `"${SIGN.slice(1)}"`,
    `"${SIGN.slice(1)}g"`,
    '{}',
    `["${SIGN}"]`,
  ])
    assert.throws(() => readText(with_(sign, '1724750000')), /invalid signature/, sign)
  assert.throws(() => readText('{"timestamp":1}'), /invalid signature/)
  for (const timestamp of ['""', 'null', '172475000', '17247500000', '172475000.0', '1.72475e9', '-172475000', 'true'])
    assert.throws(() => readText(with_(good, timestamp)), /timestamp must be 10 or 13 digits/, timestamp)
  for (const timestamp of ['" 1724750000"', '"172475000x"', '"１７２４７５００００"', '{}', '[1724750000]'])
    assert.throws(() => readText(with_(good, timestamp)), /timestamp must be 10 or 13 digits/, timestamp)
  for (const timestamp of ['1724750000', '"1724750000"', '1724750000000', '"1724750000000"'])
    assert.equal(readText(with_(good, timestamp)).sentAtMs, 1_724_750_000_000)
})

test("the supplier's key is not stored", () => {
  const body = form('"key":"very secret","a":{"key":1}')
  assert.equal(readText(body).kept, body.replace('"very secret"', '0'))
})

test("a machine's report is understood in every form that suppliers use", () => {
  const says = (fields: string) => parseCallbackReport(readText(form(`"jqbh":"M-1",${fields}`)))
  const one = '"splist":[{"spbh":"1","chsl":1}]'
  for (const done of ['"1"', '1', '1.0', '"finish"', '"FINISHED"', '" Finished "'])
    for (const name of ['status', 'state']) assert.equal(says(`"${name}":${done},${one}`).kind, 'done', done)
  for (const other of ['"0"', '0', '2', '"busy"', '"11"', '"finish ed"', '1.5'])
    assert.equal(says(`"status":${other},${one}`).kind, 'not_finished', other)
  assert.equal(says(`"status":"0","state":"1",${one}`).kind, 'not_finished')
  assert.equal(says(`"status":"","state":"1",${one}`).kind, 'done')
  for (const missing of ['"status":""', '"status":null', '"status":true', '"a":1'])
    assert.throws(() => says(`${missing},${one}`), /^Error: status is required$/, missing)
  assert.throws(() => parseCallbackReport(readText(form('"status":1'))), /^Error: jqbh is required$/)
  const units = (list: string) => {
    const report = says(`"status":1,"splist":${list}`)
    return report.kind === 'done' ? report.units : null
  }
  for (const [list, sum] of [
    ['[{"chsl":1},{"chsl":"2"}]', 3],
    ['[{"chsl":0}]', 0],
    ['[{"chsl":"0"}]', 0],
    ['[{"chsl":1.0}]', 1],
  ] as const)
    assert.equal(units(list), sum, list)
  for (const list of [
    '[]',
    '{}',
    '"1"',
    'null',
    '1',
    '[1]',
    '[null]',
    '[[]]',
    '[{}]',
    '[{"chsl":-1}]',
    '[{"chsl":"-1"}]',
    '[{"chsl":1.5}]',
    '[{"chsl":"1.5"}]',
    '[{"chsl":""}]',
    '[{"chsl":true}]',
    '[{"chsl":1},{}]',
    '[{"chsl":1e9}]',
    '[{"chsl":[1]}]',
  ])
    assert.throws(() => units(list), /^Error: splist is required$/, list)
  assert.deepEqual(says('"status":1,"splist":[{"spbh":7,"chsl":"1","spmc":"So\\u0000da","x":1},{"chsl":0}]'), {
    kind: 'done',
    units: 1,
    result: [
      { spbh: '7', chsl: 1, spmc: 'Soda' },
      { spbh: '', chsl: 0 },
    ],
  })
})
