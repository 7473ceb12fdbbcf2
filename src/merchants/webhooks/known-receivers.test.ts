import assert from 'node:assert/strict'
import test from 'node:test'
import type { PostAttempt } from '../../platform/outbound/attempt.ts'
import type { ClaimedDelivery, DueMerchant, SocketQuota } from './claim-deliveries.ts'
import { KnownReceivers } from './known-receivers.ts'

const NOW = Date.UTC(2026, 0, 1)
const URL = 'https://shop.invalid/hook'
const GOOD: PostAttempt = { kind: 'answered', status: 200, elapsedMs: 999 }

const claimedOf = (merchantId: number, which: SocketQuota['which'] = 'first'): ClaimedDelivery => ({
  ...{ merchantId, eventId: 'evt_1', body: '{}', attempts: 0, url: URL, lane: 'fast', which, createdAt: new Date(NOW) },
  ...{ mode: 'live', dueAt: new Date(NOW) },
})
const due = (merchantId: number, lane: DueMerchant['lane'] = 'fast'): DueMerchant => ({
  ...{ merchantId, oldest: new Date(NOW), lane, goodInARow: 1, lastSuccessAt: new Date(NOW), looked: 1 },
})
const quota = (take: number, which: SocketQuota['which'] = 'first'): SocketQuota => ({
  ...{ merchantId: 1, lane: 'fast', take, which },
})
const goodOnes = (receivers: KnownReceivers, url = URL, nowMs = NOW): number | null =>
  receivers.find({ merchantId: 1, url, nowMs })?.goodInARow ?? null

function known(): KnownReceivers {
  const receivers = new KnownReceivers()
  receivers.heard(claimedOf(1), GOOD, new Date(NOW))
  return receivers
}

test('a receiver is known by its good answers to one address within the last hour', () => {
  const receivers = known()
  assert.equal(goodOnes(receivers), 1)
  receivers.heard(claimedOf(1), GOOD, new Date(NOW))
  assert.equal(goodOnes(receivers), 2)
  assert.equal(goodOnes(receivers, 'https://shop.invalid/other'), null)
  assert.equal(goodOnes(receivers, URL, NOW + 3_599_999), 2)
  assert.equal(goodOnes(receivers, URL, NOW + 3_600_000), null)
  receivers.heard({ ...claimedOf(1), url: 'https://shop.invalid/new' }, GOOD, new Date(NOW))
  assert.equal(goodOnes(receivers, 'https://shop.invalid/new'), 1, 'a new address starts again')
})

for (const [what, attempted] of [
  ['answered after a second', { ...GOOD, elapsedMs: 1000 }],
  ['answered 500', { ...GOOD, status: 500 }],
  ['did not answer', { kind: 'failed', error: 'timeout', status: null, elapsedMs: 5000 }],
  ['may not be called', { kind: 'refused_target', why: 'private', elapsedMs: 0 }],
] as [string, PostAttempt][])
  test(`a receiver that ${what} is unknown, and no other is`, () => {
    const receivers = known()
    receivers.heard(claimedOf(2), GOOD, new Date(NOW))
    receivers.heard(claimedOf(1), attempted, new Date(NOW))
    assert.equal(goodOnes(receivers), null)
    assert.ok(receivers.find({ merchantId: 2, url: URL, nowMs: NOW }))
  })

test('a receiver that another process found slow is unknown', () => {
  const receivers = known()
  const look = receivers.beginLook()
  look.found([due(1, 'slow')])
  look.claimed([quota(1, 'any')], [])
  assert.equal(goodOnes(receivers), null)
})

test('what waits is over when a look that began after it finds nothing more', () => {
  const receivers = known()
  const before = receivers.beginLook()
  receivers.addWaiting(1)
  before.found([])
  assert.equal(goodOnes(receivers), null, 'that look may have come too early')
  receivers.beginLook().found([])
  assert.equal(goodOnes(receivers), 1)
})

test('a merchant with due deliveries waits until a claim has taken all of them', () => {
  const receivers = known()
  const first = receivers.beginLook()
  first.found([due(1)])
  assert.equal(goodOnes(receivers), null, 'while they are claimed')
  first.claimed([quota(1)], [claimedOf(1)])
  assert.equal(goodOnes(receivers), null, 'there may be more than it had sockets for')
  const second = receivers.beginLook()
  second.found([due(1)])
  second.claimed([quota(2), quota(2, 'retries')], [claimedOf(1), claimedOf(1, 'retries')])
  assert.equal(goodOnes(receivers), 1, 'later attempts delay nothing')
})

test('what is stored while a claim is under way waits for the next look', () => {
  const receivers = known()
  const look = receivers.beginLook()
  look.found([due(1)])
  receivers.addWaiting(1)
  look.claimed([quota(4)], [claimedOf(1)])
  assert.equal(goodOnes(receivers), null)
})

test('a merchant without a free socket waits, and so does one whose look has failed', () => {
  const receivers = known()
  const look = receivers.beginLook()
  look.found([due(1)])
  look.claimed([], [])
  assert.equal(goodOnes(receivers), null)
  receivers.beginLook()
  assert.equal(goodOnes(receivers), null)
})

test('of more receivers than are kept, the one that was silent longest is forgotten', () => {
  const receivers = known()
  for (let merchantId = 2; merchantId <= 20_000; merchantId += 1)
    receivers.heard(claimedOf(merchantId), GOOD, new Date(NOW))
  assert.equal(goodOnes(receivers), 1)
  receivers.heard(claimedOf(1), GOOD, new Date(NOW))
  receivers.heard(claimedOf(20_001), GOOD, new Date(NOW))
  assert.equal(goodOnes(receivers), 2)
  assert.equal(receivers.find({ merchantId: 2, url: URL, nowMs: NOW }), null)
})
