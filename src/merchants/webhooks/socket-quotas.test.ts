import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { DueMerchant } from './claim-deliveries.ts'
import { allotSockets, newSockets, SOCKETS_BY_SPEED } from './socket-quotas.ts'

const NOW = Date.UTC(2026, 0, 1)
const IDLE = { lanes: { fast: 0, slow: 0 }, merchants: new Map<number, number>() }

const due = (merchantId: number, facts: Partial<DueMerchant> = {}): DueMerchant => ({
  merchantId,
  oldest: new Date(NOW),
  lane: 'fast',
  goodInARow: 0,
  lastSuccessAt: null,
  looked: 1,
  ...facts,
})
const many = (count: number, facts: Partial<DueMerchant> = {}, from = 1) =>
  Array.from({ length: count }, (_, index) => due(from + index, facts))
const places = (shares: ReturnType<typeof allotSockets>, lane: 'fast' | 'slow') =>
  shares.filter((share) => share.lane === lane).reduce((sum, share) => sum + share.take, 0)

test('a merchant has four places, sixteen after twenty quick answers in a row, one in the slow lane', () => {
  const take = (facts: Partial<DueMerchant>) => allotSockets([due(1, facts)], IDLE, NOW)
  assert.deepEqual(take({})[0], { merchantId: 1, lane: 'fast', take: 4, which: 'first' })
  assert.equal(take({ goodInARow: 19 })[0]?.take, 4)
  assert.equal(take({ goodInARow: 20 })[0]?.take, 16)
  assert.deepEqual(take({ lane: 'slow', goodInARow: 20 }), [{ merchantId: 1, lane: 'slow', take: 1, which: 'any' }])
})

test('later attempts always run in the slow lane', () => {
  const shares = allotSockets([due(1)], IDLE, NOW)
  assert.deepEqual(
    shares.map(({ lane, which }) => [lane, which]),
    [
      ['fast', 'first'],
      ['slow', 'retries'],
    ],
  )
})

test("attempts in progress count towards a merchant's places", () => {
  const underWay = (count: number) => ({ lanes: { fast: count, slow: 0 }, merchants: new Map([[1, count]]) })
  assert.equal(allotSockets([due(1)], underWay(3), NOW)[0]?.take, 1)
  assert.deepEqual(allotSockets([due(1)], underWay(4), NOW), [])
  assert.equal(allotSockets([due(2)], underWay(4), NOW)[0]?.take, 4, 'of others it does not')
})

test('a quarter of the fast places is kept for receivers that answered within the last hour', () => {
  const strangers = allotSockets(many(1000), IDLE, NOW)
  assert.equal(places(strangers, 'fast'), SOCKETS_BY_SPEED.fast * 0.75)
  const good = { lastSuccessAt: new Date(NOW - 3_599_000) }
  assert.equal(
    places(allotSockets([...many(1000), ...many(100, good, 5000)], IDLE, NOW), 'fast'),
    SOCKETS_BY_SPEED.fast,
  )
  const longAgo = { lastSuccessAt: new Date(NOW - 3_601_000) }
  assert.equal(places(allotSockets(many(1000, longAgo), IDLE, NOW), 'fast'), SOCKETS_BY_SPEED.fast * 0.75)
})

test('a crowd of dead receivers leaves the fast lane alone', () => {
  const shares = allotSockets([...many(500, { lane: 'slow' }), due(9000)], IDLE, NOW)
  assert.equal(places(shares, 'slow'), SOCKETS_BY_SPEED.slow)
  assert.deepEqual(
    shares.filter(({ merchantId }) => merchantId === 9000).map(({ lane, take }) => [lane, take]),
    [['fast', 4]],
  )
})

test('the delivery that has waited longest is served first', () => {
  const shares = allotSockets(many(200), { ...IDLE, lanes: { fast: 500, slow: SOCKETS_BY_SPEED.slow } }, NOW)
  assert.deepEqual(shares, [])
  const good = { lastSuccessAt: new Date(NOW) }
  const few = allotSockets(many(200, good), { ...IDLE, lanes: { fast: 500, slow: SOCKETS_BY_SPEED.slow } }, NOW)
  assert.deepEqual(
    few.map(({ merchantId }) => merchantId),
    [1, 2, 3],
  )
})

test('no lane and no merchant gets more than its places, whatever is due and in progress', () => {
  const merchant = fc.record({
    lane: fc.constantFrom('fast' as const, 'slow' as const),
    goodInARow: fc.nat(40),
    lastSuccessAt: fc.option(fc.constantFrom(new Date(NOW), new Date(NOW - 7_200_000))),
    busy: fc.nat(20),
  })
  const lanes = fc.record({ fast: fc.nat(SOCKETS_BY_SPEED.fast), slow: fc.nat(SOCKETS_BY_SPEED.slow) })
  fc.assert(
    fc.property(fc.array(merchant, { maxLength: 400 }), lanes, (merchants, busy) => {
      const underWay = new Map(merchants.map((merchant, index) => [index + 1, merchant.busy]))
      const shares = allotSockets(
        merchants.map((merchant, index) => due(index + 1, merchant)),
        { lanes: busy, merchants: underWay },
        NOW,
      )
      for (const lane of ['fast', 'slow'] as const)
        assert.ok(places(shares, lane) <= SOCKETS_BY_SPEED[lane] - busy[lane])
      for (const { merchantId, take, lane } of shares) {
        const facts = merchants[merchantId - 1]
        const most = facts?.lane === 'slow' ? 1 : (facts?.goodInARow ?? 0) >= 20 ? 16 : 4
        assert.ok(take > 0 && take + (facts?.busy ?? 0) <= most)
        assert.ok(facts?.lane === 'fast' || lane === 'slow', 'a slow merchant never has a fast place')
      }
    }),
  )
})

test('deliveries that skip their claim share the places of their merchant and leave those that are kept', () => {
  const sockets = newSockets({ isWaiting: () => false, wake: () => {} })
  const own = { lane: 'fast', merchantId: 1 } as const
  const four = [1, 2, 3, 4].map(() => sockets.takeSocket(own))
  assert.equal(sockets.hasRoomForOwn(1, { goodInARow: 19 }), false)
  assert.equal(sockets.hasRoomForOwn(1, { goodInARow: 20 }), true, 'sixteen places after twenty good answers')
  assert.equal(sockets.hasRoomForOwn(2, { goodInARow: 1 }), true)
  for (const socket of four) socket.free()
  const kept = SOCKETS_BY_SPEED.fast * 0.75
  const release = sockets.promise([
    { merchantId: 3, lane: 'fast', take: kept, which: 'first' },
    { merchantId: 3, lane: 'slow', take: 100, which: 'retries' },
  ])
  assert.equal(sockets.hasRoomForOwn(1, { goodInARow: 1 }), false, 'a claim that is under way counts')
  release()
  const taken = Array.from({ length: kept - 1 }, (_, nth) => sockets.takeSocket({ lane: 'fast', merchantId: 10 + nth }))
  assert.equal(sockets.hasRoomForOwn(1, { goodInARow: 1 }), true)
  taken.push(sockets.takeSocket({ lane: 'fast', merchantId: 9 }))
  assert.equal(sockets.hasRoomForOwn(1, { goodInARow: 1 }), false)
  for (const socket of taken) socket.free()
  assert.deepEqual(sockets.lanes, { fast: 0, slow: 0 })
})

test('a socket that is freed wakes the sender only where something waits for it', () => {
  let woken = 0
  const wake = () => {
    woken += 1
  }
  const sockets = newSockets({ isWaiting: (merchantId) => merchantId === 2, wake })
  const take = (merchantId: number, count: number) =>
    Array.from({ length: count }, () => sockets.takeSocket({ lane: 'fast', merchantId }))
  for (const socket of take(1, 4)) socket.free()
  for (const socket of take(2, 3)) socket.free()
  assert.equal(woken, 0)
  const [first] = take(2, 4)
  first?.free()
  first?.free()
  assert.equal(woken, 1)
  const [crowded] = take(1, SOCKETS_BY_SPEED.fast)
  crowded?.free()
  assert.equal(woken, 2)
})
