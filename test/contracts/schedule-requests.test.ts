import assert from 'node:assert/strict'
import test from 'node:test'
import { made, opened, prepare } from '../helpers/opened.ts'
import { change, payer, plan, planned, SCHEDULE, SCHEDULES, scheduleOf } from '../helpers/schedules.ts'
import { type Client, startService } from '../helpers/test-service.ts'
import { assertRefused, badRequest, type Refused } from './refused.ts'
import { stillClock } from './still-clock.ts'

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

test('the list is newest first, by pages, by status, of one merchant and mode', async () => {
  const own = await payer(service)
  const ids: string[] = []
  for (let nth = 0; nth < 7; nth += 1) {
    ids.unshift((await planned(own.api)).id)
    if (nth % 2 === 0) service.pass(1000)
  }
  await change(own.api, ids[0] as string, 'pause')
  await change(own.api, ids[3] as string, 'cancel')
  await planned(service.client(own.merchant.keys.live))
  const list = async (query: string) => (await own.api.get(`${SCHEDULES}${query}`)).body
  const all = await list('')
  assert.deepEqual([all.object, all.has_more, all.next_cursor], ['list', false, null])
  const walked: any[] = []
  for (let cursor = ''; ; ) {
    const page = await list(`?limit=3${cursor}`)
    walked.push(...page.data)
    if (!page.has_more) break
    cursor = `&starting_after=${page.next_cursor}`
  }
  assert.deepEqual(walked, all.data)
  const order = all.data.map((row: any) => `${row.created_at} ${row.id}`)
  assert.deepEqual(order, [...order].sort().reverse())
  assert.deepEqual(all.data.map((row: any) => row.id).sort(), [...ids].sort())
  assert.deepEqual(all.data[0], await scheduleOf(own.api, all.data[0].id), 'rows are whole')
  const statusOf = async (status: string) => (await list(`?status=${status}`)).data.map((row: any) => row.id)
  assert.deepEqual(await statusOf('paused'), [ids[0]])
  assert.deepEqual(await statusOf('cancelled'), [ids[3]])
  assert.equal((await statusOf('active')).length, 5)
})

test('a list that is asked for wrongly is refused', async () => {
  const other = await planned((await payer(service)).api)
  const live = await planned(service.client(shop.merchant.keys.live))
  const cursor = badRequest('invalid starting_after cursor')
  for (const [query, refused] of [
    ['status=succeeded', badRequest('invalid status: succeeded')],
    ['status=Active', badRequest('invalid status: Active')],
    ['limit=0', badRequest('limit must be an integer between 1 and 100')],
    ['limit=101', badRequest('limit must be an integer between 1 and 100')],
    ['created_after=never', badRequest('created_after must be an ISO 8601 datetime')],
    [`starting_after=${other.id}`, cursor],
    [`starting_after=${live.id}`, cursor],
    ['starting_after=x', cursor],
  ] as const)
    assertRefused(await api.get(`${SCHEDULES}?${query}`), refused, { because: query })
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
