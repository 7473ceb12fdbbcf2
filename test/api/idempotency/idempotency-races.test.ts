import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { CHARGE, type Reply, startService, type TestService } from '../../helpers/service/test-service.ts'

const service = opened(() => startService())
const other = opened(() => startService({ database: service.database }))

const IN_FLIGHT = 'a request with this Idempotency-Key is still in flight - retry shortly'
const REUSED = 'idempotency key reused with different request body'
type Shot = { at: TestService; body: object; apiKey: string }

/** One charge over a connection of its own. */
function shoot(agent: Agent, { at, body, apiKey }: Shot): Promise<Reply> {
  const { hostname, port } = new URL(at.url)
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-timestamp': String(Math.floor(at.clock.nowMs() / 1000)),
    'idempotency-key': 'raced for',
  }
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, method: 'POST', path: '/v1/charges', headers }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      const answered = new Headers(answer.headers as Record<string, string>)
      resolve({ status: answer.statusCode ?? 0, headers: answered, text, body: JSON.parse(text) })
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}

async function race(shots: readonly Shot[]): Promise<Reply[]> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY, keepAlive: false })
  try {
    return await Promise.all(shots.map((shot) => shoot(agent, shot)))
  } finally {
    agent.destroy()
  }
}

/** One charge in the database; every 201 has its bytes, all but the first say so, and the rest is `otherwise`. */
async function assertOneCharge(apiKey: string, replies: readonly Reply[], otherwise: readonly string[]) {
  const { body } = await service.client(apiKey).get('/v1/charges')
  assert.equal(body.data.length, 1)
  const made = replies.filter(({ status }) => status === 201)
  assert.equal(made.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1)
  assert.deepEqual([...new Set(made.map(({ text }) => text))].length, 1)
  assert.equal(made[0]?.body.id, body.data[0].id)
  // A machine that is crowded takes some of them at no time: they wrote nothing, as the one charge shows.
  const rest = replies.filter(({ status, body }) => status !== 201 && body.code !== 'unavailable')
  for (const { status, body } of rest) {
    assert.deepEqual([status, body.code], [409, 'conflict'])
    assert.ok(otherwise.includes(body.error), body.error)
  }
  return made
}

const times = (count: number, shot: (nth: number) => Shot) => Array.from({ length: count }, (_, nth) => shot(nth))
const newKey = async () => (await service.merchant()).keys.test

longTest('1,000 requests at once with one key over 1,000 connections make one charge', async () => {
  const apiKey = await newKey()
  const replies = await race(times(1000, () => ({ at: service, body: CHARGE, apiKey })))
  await assertOneCharge(apiKey, replies, [IN_FLIGHT])
  const [again] = await race([{ at: service, body: CHARGE, apiKey }])
  assert.equal(again?.headers.get('idempotent-replayed'), 'true', 'whoever comes later gets the replay')
})

test('50 requests at once with one key make one charge, and no key is left in flight', async () => {
  for (let round = 0; round < 5; round += 1) {
    const apiKey = await newKey()
    await assertOneCharge(apiKey, await race(times(50, () => ({ at: service, body: CHARGE, apiKey }))), [IN_FLIGHT])
    assert.equal(service.app.keysInFlight.count(), 0)
  }
})

longTest('over two services on one database it is still one charge', async () => {
  for (let round = 0; round < 5; round += 1) {
    const apiKey = await newKey()
    const shots = times(60, (nth) => ({ at: nth % 2 === 0 ? service : other, body: CHARGE, apiKey }))
    await assertOneCharge(apiKey, await race(shots), [IN_FLIGHT])
  }
})

test('of two bodies under one key one is charged, and the other only ever hears 409', async () => {
  for (let round = 0; round < 5; round += 1) {
    const apiKey = await newKey()
    const bodies = [CHARGE, { ...CHARGE, amount: 6000 }]
    const shots = times(60, (nth) => ({
      at: nth % 4 < 2 ? service : other,
      body: bodies[nth % 2] as object,
      apiKey,
    }))
    const replies = await race(shots)
    const [made] = await assertOneCharge(apiKey, replies, [IN_FLIGHT, REUSED])
    const loser = bodies.find(({ amount }) => amount !== made?.body.amount) as object
    const [late] = await race([{ at: other, body: loser, apiKey }])
    assert.deepEqual([late?.status, late?.body.error], [409, REUSED])
  }
})

test('a refused request races like a charge: one stored answer, and nothing is written', async () => {
  const apiKey = await newKey()
  const before = await service.digest()
  const shots = times(60, (nth) => ({
    at: nth % 2 === 0 ? service : other,
    body: { ...CHARGE, amount: 1 },
    apiKey,
  }))
  const replies = await race(shots)
  const refused = replies.filter(({ status }) => status === 400)
  assert.equal(refused.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1)
  assert.equal(new Set(refused.map(({ text }) => text)).size, 1)
  for (const { status, body } of replies.filter(({ status }) => status !== 400))
    assert.deepEqual([status, body.error], [409, IN_FLIGHT])
  assert.equal(await service.digest(), before, 'zero writes')
})

test('one key in two modes and at two merchants, all at once, is four keys', async () => {
  const [a, b] = [await service.merchant({ verified: true }), await service.merchant({ verified: true })]
  const keys = [a.keys.test, b.keys.test, a.keys.live, b.keys.live]
  const replies = await race(times(80, (nth) => ({ at: service, body: CHARGE, apiKey: keys[nth % 4] as string })))
  for (const apiKey of [a.keys.test, b.keys.test])
    await assertOneCharge(
      apiKey,
      replies.filter((_, nth) => keys[nth % 4] === apiKey),
      [IN_FLIGHT],
    )
  for (const live of replies.filter((_, nth) => nth % 4 > 1)) assert.ok([502, 409].includes(live.status))
})
