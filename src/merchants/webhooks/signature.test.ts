import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import { serviceSignature, standardHeaders } from './signature.ts'

const GOLDEN_BODY = Buffer.from(
  '{"data":{"merchant":"demo-shop","message":"test event","mode":"test","sent_at":"2026-01-01T00:00:00.000Z"},"event":"test.ping","id":"evt_0123456789abcdef","timestamp":1767225600}',
)

test('the test vector of the contract has the signature written there', () => {
  const expected = '3f2632aa664bf5bff99dc22383b37176911567f8ea41c805b792e8d06091c89a'
  assert.equal(serviceSignature('whsec_vector', GOLDEN_BODY), expected)
})

test('the service signature covers bytes, not text', () => {
  const body = Buffer.from([0xff, 0x00, 0xfe])
  const expected = createHmac('sha256', Buffer.from('whsec_a')).update(body).digest('hex')
  assert.equal(serviceSignature('whsec_a', body), expected)
})

test('the published example of the Standard Webhooks has the signature that receivers compute', () => {
  const headers = standardHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1614265330_000),
    body: Buffer.from('{"test": 2432232314}'),
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  })
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

/** Written as a receiver would write it, from the text of the standard alone. */
function expectedSignature(key: Buffer, { id, seconds, body }: { id: string; seconds: number; body: Buffer }) {
  const signed = Buffer.concat([Buffer.from(id), Buffer.from(`.${seconds}.`), body])
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

test('the key is the base64 content after whsec_; text that is not base64 counts as its bytes', () => {
  const bytes = Buffer.alloc(32, 0xa7)
  const cases: [string, Buffer][] = [
    [`whsec_${bytes.toString('base64')}`, bytes],
    ['whsec_vector', Buffer.from('vector')],
    ['whsec_not base64!', Buffer.from('not base64!')],
    ['whsec_url-safe_-_', Buffer.from('url-safe_-_')],
    ['whsec_QQ', Buffer.from('QQ')],
    ['whsec_QQ==', Buffer.from('A')],
    ['whsec_QUI=', Buffer.from('AB')],
    ['QUJD', Buffer.from('ABC')],
  ]
  for (const [secret, key] of cases) {
    const sent = standardHeaders({
      id: 'evt_1',
      at: new Date(1767225600_999),
      body: GOLDEN_BODY,
      secrets: [secret],
    })
    const expected = expectedSignature(key, { id: 'evt_1', seconds: 1767225600, body: GOLDEN_BODY })
    assert.equal(sent['webhook-signature'], expected, secret)
    assert.equal(sent['webhook-timestamp'], '1767225600')
  }
})

test('during the overlap two signatures are sent, the current secret first', () => {
  const [current, previous] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const secrets = [current, previous].map((key) => `whsec_${key.toString('base64')}`)
  const sent = standardHeaders({ id: 'evt_2', at: new Date(0), body: Buffer.from('{}'), secrets })
  const message = { id: 'evt_2', seconds: 0, body: Buffer.from('{}') }
  const both = [expectedSignature(current, message), expectedSignature(previous, message)]
  assert.equal(sent['webhook-signature'], both.join(' '))
})

test('a later attempt has the same bytes and service signature, and a new standard signature', () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
  const at = (seconds: number) =>
    standardHeaders({ id: 'evt_3', at: new Date(seconds * 1000), body: GOLDEN_BODY, secrets: [secret] })
  assert.notEqual(at(1)['webhook-signature'], at(61)['webhook-signature'])
  assert.equal(at(61)['webhook-id'], 'evt_3')
  assert.equal(serviceSignature(secret, GOLDEN_BODY), serviceSignature(secret, Buffer.from(GOLDEN_BODY)))
})
