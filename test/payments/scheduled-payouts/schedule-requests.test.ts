import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, type Refused } from '../../api/http/refused.ts'
import { stillClock } from '../../api/rate-limits/still-clock.ts'
import { change, payer, plan, planned, SCHEDULE, scheduleOf } from '../../helpers/payments/schedules.ts'
import { made, opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

let api: Client
const service = opened(() => startService({ clock: stillClock(), env: { RATE_LIMIT_SCHEDULES: '0' } }))
const shop = made(() => payer(service))
prepare(async () => {
  api = shop.api
})

const CHANGES = ['pause', 'resume', 'cancel'] as const
const conflict = (error: string): Refused => ({ status: 409, code: 'conflict', error })

test('the moves of a schedule are those of the table, whoever asks again changes nothing', async () => {
  const made = await planned(api, { start_at: new Date(service.clock.nowMs() + 60_000).toISOString() })
  const act = async (what: (typeof CHANGES)[number]) => (await change(api, made.id, what)).body
  assert.deepEqual(await act('resume'), made, 'active already')
  const paused = await act('pause')
  assert.deepEqual(paused, { ...made, status: 'paused' })
  assert.deepEqual(await act('pause'), paused)
  assert.deepEqual(await scheduleOf(api, made.id), paused, 'what is answered is what is stored')
  assert.deepEqual(await act('resume'), made)
  const cancelled = await act('cancel')
  const cancelled_at = service.clock.now().toISOString()
  assert.deepEqual(cancelled, { ...made, status: 'cancelled', next_run_at: null, cancelled_at })
  service.pass(5000)
  assert.deepEqual(await act('cancel'), cancelled)
  assert.deepEqual(await scheduleOf(api, made.id), cancelled)
  const before = await service.digest()
  assertRefused(await change(api, made.id, 'pause'), conflict('a cancelled schedule cannot be paused'))
  assertRefused(await change(api, made.id, 'resume'), conflict('a cancelled schedule cannot be resumed'))
  assert.equal(await service.digest(), before, 'zero writes')
})

test('creations and each of the three changes are counted apart, per merchant and mode', async () => {
  const strict = await startService({ clock: stillClock(), env: { RATE_LIMIT_SCHEDULES: '2' } })
  try {
    const { merchant, api: own } = await payer(strict)
    const { id } = await planned(own)
    assert.equal((await plan(own, { amount: 0 })).status, 400, 'a refusal gives its place back')
    await planned(own)
    const full: Refused = { status: 429, code: 'rate_limited', error: '' }
    const tooMuch = (reply: Awaited<ReturnType<Client['post']>>) => {
      const seconds = reply.headers.get('retry-after') ?? ''
      const error = `rate limit exceeded - retry in ${seconds} seconds`
      assertRefused(reply, { ...full, error }, { retryAfter: seconds })
      return Number(seconds)
    }
    const wait = tooMuch(await plan(own))
    for (const what of CHANGES) {
      assert.equal((await change(own, id, what)).status, 200)
      assert.equal((await change(own, id, what)).status, 200)
      tooMuch(await change(own, id, what))
    }
    assert.equal((await plan(strict.client(merchant.keys.live))).status, 201)
    strict.pass(wait * 1000)
    assert.equal((await plan(own, SCHEDULE)).status, 201)
  } finally {
    await strict.close()
  }
})
