import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../fakes/receiver.ts'
import { FIRST_INSTALLATION } from '../helpers/service/http-rail.ts'
import { eventually, newPayer, type Shop, startLiveService } from '../helpers/service/live-service.ts'
import { opened, prepare } from '../helpers/service/opened.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const ENV = { FOLLOW_LADDER: '7,40;900:100;86400', STUCK_HOURS: '2' }

const person = opened(() => startReceiver())
const service = opened(() => startLiveService({ env: { ...ENV, ALERT_WEBHOOK: person.url } }))
let shop: Shop
let planted = 0
prepare(async () => {
  shop = await service.shop()
})

async function liveCharge(answer: 'accept' | 'reset late' = 'accept'): Promise<string> {
  const phone = newPayer()
  service.operator.onSubmit({ answer }, phone)
  return (await shop.live.charge({ customer: { phone } })).body.id
}

/** In how many seconds, from now, it is asked next. */
async function nextIn(id: string): Promise<number> {
  const [row] = await service.rows<{ at: Date }>('select follow_at as at from charges where id = $1', [id])
  return ((row?.at.getTime() ?? 0) - service.clock.nowMs()) / SECOND
}
const assertAbout = (seconds: number, wanted: number, spread: number) =>
  assert.ok(Math.abs(seconds - wanted) <= spread, `in ${seconds} s, not in about ${wanted} s`)

/** So many movements of this contract have ended, each with a callback before its last question or without one. */
async function ended(count: number, calledBack: boolean): Promise<void> {
  planted += 1
  const [{ id: merchantId }] = (await service.rows('select id from merchants limit 1')) as [{ id: number }]
  const plant = (operation: string, answer: string) =>
    service.rows(
      `insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms, installation)
       select $1, $7 || ' ' || n, $2, $3, $4, 'answered', 1, $5 from generate_series(1, $6::int) n`,
      [merchantId, service.clock.now(), operation, answer, FIRST_INSTALLATION, count, planted],
    )
  if (calledBack) await plant('callback', 'callback')
  await plant('status', 'succeeded')
}

test('live movements are asked at the ages of FOLLOW_LADDER, and told as stuck after STUCK_HOURS', async () => {
  const id = await liveCharge()
  assertAbout(await nextIn(id), 7, 1)
  service.pass(8 * SECOND)
  await service.run('follow-charges')
  assertAbout(await nextIn(id), 32, 8)
  service.pass(41 * SECOND)
  await service.run('follow-charges')
  assertAbout(await nextIn(id), 100, 21)
  service.pass(HOUR + 50 * MINUTE)
  await service.run('raise-alerts')
  const stuck = () => person.received.map(({ event }) => event).filter(({ kind }) => kind === 'stuck_money')
  assert.deepEqual(stuck(), [])
  service.pass(11 * MINUTE)
  await service.run('raise-alerts')
  assert.match(stuck()[0].alerts[0].says, /have waited for the operator's answer for more than 2 hours/)
})

test('with thinLadder accepted movements are asked less often while callbacks come reliably, and it falls back by itself', async () => {
  const firstIn = async (answer?: 'reset late') => nextIn(await liveCharge(answer))
  const settles = async (seconds: number) => {
    service.pass(MINUTE + SECOND)
    await eventually(`the first question is in ${seconds} s`, async () => {
      return Math.abs((await firstIn()) - seconds) < 2
    })
  }
  await ended(200, true)
  service.pass(MINUTE)
  assertAbout(await firstIn(), 7, 1)
  service.rail.thin()
  await settles(30)
  assertAbout(await firstIn('reset late'), 7, 1)
  await ended(20, false)
  await settles(30)
  await ended(1, false)
  await settles(7)
})
