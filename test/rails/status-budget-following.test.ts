import assert from 'node:assert/strict'
import { stillClock } from '../api/rate-limits/still-clock.ts'
import { startOperator } from '../fakes/operator.ts'
import { FIRST_INSTALLATION, SECOND_CONTRACT } from '../helpers/service/http-rail.ts'
import { newPayer, type Shop, startBeside, startLiveService } from '../helpers/service/live-service.ts'
import { opened, openedAndVerified, prepare } from '../helpers/service/opened.ts'
import { longTest, test } from '../helpers/service/parts.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const STEP_MS = 25
// The default of an operator that is asked at most 10 times a second.
const PER_SECOND = 8

const service = openedAndVerified(() => startLiveService({ clock: stillClock() }))
const other = opened(() => startOperator({ pays: 'when told' }))
const beside = opened(() => startBeside(service))
let shop: Shop
prepare(async () => {
  service.rail.addInstallation(SECOND_CONTRACT, other.url)
  service.rail.limit(PER_SECOND)
  shop = await service.shop()
})

const TRIES = 50

const liveCharges = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, () => liveCharge()))

/** A crowded machine refuses some of many at once, which leaves nothing of them; they are sent again, as a client would. */
async function liveCharge(): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const { status, body } = await shop.live.charge({ customer: { phone: newPayer() } })
    if (status === 201) return body.id
    assert.ok([502, 503].includes(status) && tries < TRIES, `refused with ${status} after ${tries} tries`)
  }
}

/** Ends everything that is open, so that the next test begins with nothing due. */
async function endAll() {
  service.rail.limit(null)
  for (const { phone } of service.operator.book.values()) service.operator.pays(phone)
  for (const { phone } of other.book.values()) other.pays(phone)
  service.pass(30 * MINUTE)
  for (let run = 0; run < 20 && (await service.run('follow-charges')) > 0; run += 1);
  service.rail.limit(PER_SECOND)
}

type Asked = { atMs: number; externalId: string }

/** Runs the follower of every process again and again while time goes by; answers who was asked about, and when. */
async function follow(seconds: number, processes: readonly { run(sweep: string): Promise<number> }[]) {
  const asked: Asked[] = []
  let seen = service.operator.journal.length
  for (let ms = 0; ms < seconds * SECOND; ms += STEP_MS) {
    await Promise.all(processes.map((process) => process.run('follow-charges')))
    for (const { what, reference } of service.operator.journal.slice(seen))
      if (what === 'question')
        asked.push({
          atMs: service.clock.nowMs(),
          externalId: service.operator.book.get(reference)?.external_id ?? '',
        })
    seen = service.operator.journal.length
    service.pass(STEP_MS)
  }
  return asked
}

const mostInASecond = (asked: readonly Asked[]) =>
  Math.max(...asked.map(({ atMs }) => asked.filter((one) => one.atMs >= atMs && one.atMs < atMs + SECOND).length))

longTest(
  '72: two processes with 200 due charges ask 8 times a second, and never more than 10 in any second',
  async () => {
    const ids = await liveCharges(200)
    for (const id of ids) service.operator.pays(id)
    service.pass(6 * SECOND)
    const asked = await follow(15, [service, beside])
    assert.ok(asked.length >= 114 && asked.length <= 122, `${asked.length} questions in 15 seconds`)
    assert.ok(mostInASecond(asked) <= 10, `${mostInASecond(asked)} in one second`)
    assert.equal(new Set(asked.map(({ externalId }) => externalId)).size, asked.length, 'nobody was asked twice')
    const open = await service.rows('select 1 from charges where follow_at > $1 and id = any($2)', [
      service.clock.now(),
      ids,
    ])
    assert.deepEqual(open, [], 'nothing is claimed that may not be asked')
    await endAll()
  },
)

test('72: a contract whose bucket is empty holds up neither submits nor another contract', async () => {
  await liveCharges(60)
  service.rail.activate(SECOND_CONTRACT)
  const [last] = await liveCharges(1)
  service.rail.activate(FIRST_INSTALLATION)
  other.pays(last as string)
  service.pass(6 * SECOND)
  await service.run('follow-charges')
  const { body } = await shop.live.get(`/v1/charges/${last}`)
  assert.equal(body.status, 'succeeded', 'it was due last, and asked at once')
  const [submitted] = await liveCharges(1)
  assert.equal((await shop.live.get(`/v1/charges/${submitted}`)).body.status, 'authorized')
  await endAll()
})

longTest('72: hurried ones are asked first, then the young ones, and the old ones are not starved', async () => {
  const old = await liveCharges(60)
  service.pass(20 * MINUTE)
  const young = await liveCharges(150)
  service.pass(6 * SECOND)
  const hurried = [old[59], young[149]] as string[]
  await service.rows('update rail_attempts set hurried = true where subject = any($1)', [hurried])
  await service.rows('update charges set follow_at = $1 where id = any($2)', [service.clock.now(), hurried])
  const asked = await follow(10, [service])
  // The credit of the old ones may put one of them in front.
  const first = asked.slice(0, 3).map(({ externalId }) => externalId)
  assert.deepEqual(
    hurried.filter((id) => !first.includes(id)),
    [],
    'both are among the first three',
  )
  const rest = asked.map(({ externalId }) => externalId).filter((id) => !hurried.includes(id))
  const ofOld = rest.filter((id) => old.includes(id)).length
  assert.ok(ofOld >= 6 && ofOld <= 10, `${ofOld} old ones among ${rest.length}`)
  const marks = await service.rows('select 1 from rail_attempts where hurried')
  assert.deepEqual(marks, [], 'the answer clears the mark')
  await endAll()
})
