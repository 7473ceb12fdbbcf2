import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setPriority } from 'node:os'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SubmitHow } from '../fakes/operator.ts'
import { newPayer } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { openLiveInstallation } from './live-installation.ts'
import { post } from './post.ts'
import { LIVE_PROGRAM, type Running } from './processes.ts'

// Live payouts on a starved machine: other processes take its CPU time, a payroll has waited over a day for its worker, kill -9
// strikes twice, and the operator loses requests, keeps them unanswered and resets connections. In the end every payout stands as
// in the operator's book, none was paid twice, and none was posted after its day.
const PAYOUTS = 40
const HOUR = 3_600_000
const QUESTION_MS = 15_000
const PATIENCE_MS = 120_000
const LAST_PRIORITY = 19
const world = opened(() => openLiveInstallation('starved'))

/** Treats the first request of a payout in this way and accepts later ones. Each repeated request has a new reference. */
function atFirst(how: SubmitHow): () => SubmitHow {
  let times = 0
  return () => {
    times += 1
    return times === 1 ? how : { answer: 'accept' }
  }
}
const HOWS: readonly SubmitHow[] = [
  { answer: 'accept' },
  { answer: 'error', takes: false },
  { answer: 'reset late' },
  { answer: 'accept', afterMs: 1500 },
  { answer: 'refuse to serve' },
]

async function startStarved(role: 'web' | 'all' = 'all'): Promise<Running> {
  const service = world.installation.start({
    role,
    program: { path: LIVE_PROGRAM, args: [world.operator.url, role] },
  })
  setPriority(service.pid, LAST_PRIORITY)
  assert.ok(await service.ready, service.said())
  return service
}

/** Sends it until there is an answer, as a client does when the process dies during its request; returns the last status. */
async function postUntilAnswered(path: string, body: object): Promise<{ status: number; body: any }> {
  const request = { apiKey: world.shop.keys.live, key: randomUUID(), body }
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    const reply = await post(world.installation, path, request).catch(() => null)
    const status = reply?.status ?? 0
    const running = status === 0 || status === 409 || status >= 500
    if (reply && !running) return { status, body: await reply.json() }
    assert.ok(performance.now() < giveUpAt, `no answer to ${path}: ${status}`)
    await sleep(200)
  }
}

const open = async () => {
  const [row] = await world.installation.sql<{ open: number }>(
    `select count(*)::int as open from payouts where mode = 'live' and status in ('pending', 'authorized') and voided_at is null`,
  )
  return row?.open ?? 0
}

const claimed = async () => {
  const [row] = await world.installation.sql<{ claimed: number }>(
    'select count(*)::int as claimed from deliveries where lease_until is not null',
  )
  return row?.claimed ?? 0
}

async function untilPaid(): Promise<void> {
  await postUntilAnswered('/v1/charges', {
    amount: 400_000,
    channel: 'op1_momo',
    customer: { phone: newPayer() },
  })
  for (let funds = 0; funds === 0; await sleep(200)) {
    world.installation.advance(QUESTION_MS)
    const [row] = await world.installation.sql<{ available: number }>(
      `select sum(available)::int as available from ledger_heads where mode = 'live'`,
    )
    funds = row?.available ?? 0
  }
}

test("M12: live payouts on a starved machine with two kill -9: each ends as in the operator's book, and is paid once", async () => {
  let service = await startStarved()
  await untilPaid()
  const phones = Array.from({ length: PAYOUTS }, () => newPayer())
  for (const [nth, phone] of phones.entries())
    world.operator.onSubmit(atFirst(HOWS[nth % HOWS.length] as SubmitHow), phone)
  const [single, bulk] = [phones.slice(0, 10), phones.slice(10)]
  await service.kill()
  service = await startStarved('web')
  const payroll = bulk.map((phone) => ({ amount: 1000, phone, reference: phone }))
  const { body: stored } = await postUntilAnswered('/v1/payouts/bulk', { payouts: payroll })
  assert.equal(stored.accepted, bulk.length, JSON.stringify(stored))
  await service.kill()
  world.installation.advance(25 * HOUR)
  service = await startStarved()
  const answers = single.map((phone) => postUntilAnswered('/v1/payouts', { amount: 1000, recipient: { phone } }))
  const submits = world.operator.submits()
  for (const more of [5, 20]) {
    while (world.operator.submits() < submits + more) await sleep(5)
    await service.kill()
    world.installation.advance(HOUR / 60)
    service = await startStarved()
  }
  for (const { status, body } of await Promise.all(answers)) assert.equal(status, 201, JSON.stringify(body))
  const giveUpAt = performance.now() + PATIENCE_MS
  for (let step = 0; (await open()) > 0; step += 1) {
    assert.ok(performance.now() < giveUpAt, `still open: ${JSON.stringify(await stillOpen())}`)
    // First short steps, for the questions of the first minutes, then whole hours, so that late steps of the ladder come due too.
    world.installation.advance(step < 20 ? QUESTION_MS : HOUR)
    await sleep(300)
  }
  await assertAsTheOperator(phones)
  // The clock has moved by hours while webhooks were under way: killed now, their claims would count as claims that nobody ends.
  const endedBy = performance.now() + PATIENCE_MS
  while ((await claimed()) > 0) {
    assert.ok(performance.now() < endedBy, 'webhooks are claimed still')
    await sleep(50)
  }
  await service.kill()
  const verified = await world.installation.command(['verify'])
  assert.equal(verified.code, 0, JSON.stringify(verified.json))
})

const stillOpen = () =>
  world.installation.sql(
    `select p.kind, p.status, p.follow_at, a.state, a.sends, a.reposts, a.first_sent_at, a.not_found_count, a.question_count
     from payouts p join rail_attempts a on a.subject = p.id where p.status in ('pending', 'authorized') and p.voided_at is null`,
  )

async function assertAsTheOperator(phones: readonly string[]): Promise<void> {
  const rows = await world.installation.sql<{
    reference: string
    status: string
    late: boolean
    phone: string
  }>(
    `select p.rail_reference as reference, p.status, p.recipient_phone as phone, exists (
       select 1 from rail_evidence e where e.attempt_id = a.id and e.operation = 'submit'
         and e.at > a.first_sent_at + interval '24 hours 1 minute') as late
     from payouts p join rail_attempts a on a.subject = p.id where p.mode = 'live' and p.voided_at is null`,
  )
  assert.deepEqual(rows.map(({ phone }) => phone).sort(), [...phones].sort(), 'one payout for each phone')
  for (const { reference, status, late } of rows) {
    assert.equal(status, 'succeeded')
    assert.equal(world.operator.movements().get(reference), 1)
    assert.equal(late, false)
  }
  assert.equal(world.operator.movements().size, phones.length + 1, 'and the charge; nothing else has moved')
}
