import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import test from 'node:test'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { CHARGE, type Reply, startService } from '../../helpers/service/test-service.ts'
import { stillClock } from '../rate-limits/still-clock.ts'
import { assertRefused, badRequest, type Refused } from './refused.ts'

const clock = stillClock()
const SECOND = Math.floor(clock.nowMs() / 1000)
let key: string
const service = opened(() => startService({ clock }))
prepare(async () => {
  key = (await service.merchant()).keys.test
})

const REQUIRED = badRequest('X-Timestamp header required. Send the current Unix time in seconds.')
const NO_INTEGER = badRequest('X-Timestamp must be an integer Unix timestamp')
const AHEAD = badRequest('request timestamp is too far in the future - check your system clock')
const old = (age: number) => badRequest(`request timestamp is ${age}s old - max allowed skew is 300s`)

const GOOD: [string, string][] = [
  ['now', `${SECOND}`],
  ['300 s old', `${SECOND - 300}`],
  ['60 s ahead', `${SECOND + 60}`],
  ['now in milliseconds', `${SECOND}000`],
  ['the last millisecond of a second 300 s ago', `${SECOND - 300}999`],
  ['the last millisecond of a second 60 s ahead', `${SECOND + 60}999`],
  ['blanks around it', `  ${SECOND}  `],
  ['zeros before it', `00${SECOND}`],
]

for (const [name, value] of GOOD)
  test(`a timestamp that is ${name} passes`, async () => {
    assert.equal((await charge(value)).status, 201)
  })

const BAD: [string, string | undefined, Refused][] = [
  ['missing', undefined, REQUIRED],
  ['empty', '', REQUIRED],
  ['blank', '   ', REQUIRED],
  ['301 s old', `${SECOND - 301}`, old(301)],
  ['301 s old in milliseconds', `${SECOND - 301}999`, old(301)],
  ['a day old', `${SECOND - 86_400}`, old(86_400)],
  ['0', '0', old(SECOND)],
  ['-0', '-0', old(SECOND)],
  ['before 1970', '-5', old(SECOND + 5)],
  ['eleven digits, thus seconds', '99999999999', AHEAD],
  ['twelve digits, thus milliseconds', '100000000000', old(SECOND - 100_000_000)],
  ['61 s ahead', `${SECOND + 61}`, AHEAD],
  ['61 s ahead in milliseconds', `${SECOND + 61}000`, AHEAD],
  ['in microseconds', `${SECOND}000000`, AHEAD],
  ['+ and now', `+${SECOND}`, NO_INTEGER],
  ['1e9', '1e9', NO_INTEGER],
  ['0x1', '0x1', NO_INTEGER],
  ['1.5', '1.5', NO_INTEGER],
  ['now with a fraction', `${SECOND}.0`, NO_INTEGER],
  ['a minus alone', '-', NO_INTEGER],
  ['two minus', `--${SECOND}`, NO_INTEGER],
  ['17 digits', `${SECOND}0000000`, NO_INTEGER],
  ['20 digits', '12345678901234567890', NO_INTEGER],
  ['in full-width digits', '１７００００００００', NO_INTEGER],
  ['in Arabic digits', '١٧٠٠٠٠٠٠٠٠', NO_INTEGER],
  ['twice in one header', `${SECOND}, ${SECOND}`, NO_INTEGER],
  ['in two parts', `${SECOND} 1`, NO_INTEGER],
  ['a date', '2026-07-01T09:30:00Z', NO_INTEGER],
  ['a word', 'now', NO_INTEGER],
  ['NaN', 'NaN', NO_INTEGER],
  ['Infinity', 'Infinity', NO_INTEGER],
  ['with thousands', '1,700,000,000', NO_INTEGER],
  ['behind a hard blank', `\u00a0${SECOND}`, NO_INTEGER],
]

for (const [name, value, expected] of BAD)
  test(`a timestamp that is ${name} is refused and leaves the Idempotency-Key free`, async () => {
    const before = await service.digest()
    const idempotencyKey = randomUUID()
    assertRefused(await charge(value, idempotencyKey), expected)
    assert.equal(await service.digest(), before, 'zero writes')
    const charged = await charge(`${SECOND}`, idempotencyKey)
    assert.equal(charged.status, 201)
    assert.equal(charged.headers.get('idempotent-replayed'), null)
  })

test('the very request that passed is refused five minutes and a second later, and its key replays until then', async () => {
  const idempotencyKey = randomUUID()
  const first = await charge(`${SECOND}`, idempotencyKey)
  service.pass(300_000)
  const again = await charge(`${SECOND}`, idempotencyKey)
  assert.equal(again.text, first.text)
  service.pass(1000)
  assertRefused(await charge(`${SECOND}`, idempotencyKey), old(301))
  service.pass(-301_000)
})

/** A charge whose timestamp goes out in UTF-8 as it stands. */
function charge(timestamp: string | undefined, idempotencyKey: string = randomUUID()): Promise<Reply> {
  const { hostname, port } = new URL(service.url)
  const headers = {
    authorization: `Bearer ${key}`,
    'idempotency-key': idempotencyKey,
    ...(timestamp === undefined ? {} : { 'x-timestamp': Buffer.from(timestamp).toString('latin1') }),
  }
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method: 'POST', path: '/v1/charges', headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      const answered = new Headers(response.headers as Record<string, string>)
      resolve({ status: response.statusCode ?? 0, headers: answered, text, body: JSON.parse(text) })
    })
    sent.on('error', reject).end(JSON.stringify(CHARGE))
  })
}
