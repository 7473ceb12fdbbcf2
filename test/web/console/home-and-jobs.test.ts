import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProcessReporter, type ProcessReporter } from '../../../src/operations/jobs/process-reporter.ts'
import { readServiceFigures } from '../../../src/operations/overview/service-figures.ts'
import type { SweepRun } from '../../../src/platform/batches/sweep.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const service = opened(() => startLiveService())

/** A worker that runs a task when it is asked to, and tells as a process does. */
function workerOf(): {
  told: ProcessReporter
  work(sweep: string, run?: Partial<SweepRun>): void
  woken: string[]
} {
  const woken: string[] = []
  const told = makeProcessReporter(service.gateway, {
    role: 'worker',
    wake: (cell, sweep) => void woken.push(`${cell} ${sweep}`),
  })
  const work = (sweep: string, run: Partial<SweepRun> = {}) =>
    told.ran(service.app, {
      sweep: { name: sweep, everyMs: MINUTE, runOnce: async () => 0 },
      ...{ startedAt: service.clock.now(), ms: 12, handled: 0, error: null },
      ...run,
    })
  return { told, work, woken }
}

const rowOf = (text: string, sweep: string) =>
  text
    .split('<tr')
    .find((row) => row.includes(`>${sweep}</code>`))
    ?.replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ') ?? ''

test('the page of jobs says what each task did, how long it took, and how far it is behind', async () => {
  const operator = await operatorSignedIn(service, 'support')
  assert.match(mainOf(await operator.get('/console/jobs')), /No worker has been heard for a minute/)
  const { told, work } = workerOf()
  work('settle-charges', { handled: 7, ms: 1234 })
  work('settle-charges', { handled: 0 })
  work('run-schedules', { handled: null, error: new Error('the phone 0772123456 was in the way') })
  await told.beat()
  const { text } = await operator.get('/console/jobs')
  assert.doesNotMatch(text, /No worker has been heard/)
  assert.match(rowOf(text, 'settle-charges'), /cell_0 .*works .*12 ms 7 /)
  assert.match(rowOf(text, 'run-schedules'), /fails 1 times in a row/)
  assert.doesNotMatch(text, /0772123456/)
  assert.doesNotMatch(text, /Run now/, 'only admins run tasks')
  service.pass(10 * MINUTE)
  const late = await operator.get('/console/jobs')
  assert.match(rowOf(late.text, 'settle-charges'), /late .*8 min|late .*9 min/)
  assert.match(mainOf(late), /No worker has been heard for a minute/)
  await told.stop()
})

test('run now is done by a worker, once, with its result on the page and a row of the audit', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const { told, work, woken } = workerOf()
  work('prune')
  await told.beat()
  const page = await admin.get('/console/jobs')
  const path = '/console/jobs/cell_0.prune/run'
  const sent = await admin.send(page, path)
  assert.equal(sent.status, 303)
  assert.deepEqual(woken, [], 'the request itself runs nothing')
  const again = await admin.send(await admin.get('/console/jobs'), path)
  assert.equal(again.status, 400)
  assert.match(mainOf(again), /this task is asked for already; a worker takes it up/)
  await told.beat()
  await told.beat()
  assert.deepEqual(woken, ['cell_0 prune'], 'taken up once')
  service.pass(1000)
  work('prune', { handled: 3 })
  await told.beat()
  const [asked] = await service.rows<{ handled: number; error: string | null; asked_by: string }>(
    'select handled, error, asked_by from sweep_requests where ended_at is not null',
  )
  assert.deepEqual([Number(asked?.handled), asked?.error], [3, null])
  const audited = await service.rows(
    `select 1 from directory.audit where action = 'sweep.run' and subject = 'cell_0 prune' and actor_kind = 'operator'`,
  )
  assert.equal(audited.length, 1)
  await told.stop()
})

test('only an admin asks for a run, and only of a task that there is', async () => {
  const support = await operatorSignedIn(service, 'support')
  const csrf = /name="csrf" value="([^"]+)"/.exec((await support.get('/console/jobs')).text)?.[1]
  const refused = await support.post('/console/jobs/cell_0.prune/run', csrf === undefined ? {} : { csrf })
  assert.equal(refused.status, 403)
  const admin = await operatorSignedIn(service, 'admin')
  const page = await admin.get('/console/jobs')
  const unknown = await admin.post('/console/jobs/cell_0.nothing/run', {
    csrf: /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
  })
  assert.equal(unknown.status, 400)
  assert.match(mainOf(unknown), /no worker has run this task yet/)
  assert.deepEqual(
    await service.rows(`select 1 from sweep_requests where sweep in ('nothing') or ended_at is null`),
    [],
  )
})

test('a request that a dead worker had taken up is taken up again after ten minutes', async () => {
  const admin = await operatorSignedIn(service, 'admin')
  const [dead, next] = [workerOf(), workerOf()]
  dead.work('tend-addresses')
  await dead.told.beat()
  const page = await admin.get('/console/jobs')
  await admin.send(page, '/console/jobs/cell_0.tend-addresses/run')
  await dead.told.beat()
  await next.told.beat()
  assert.deepEqual(next.woken, [])
  service.pass(11 * MINUTE)
  await next.told.beat()
  assert.deepEqual(next.woken, ['cell_0 tend-addresses'])
  next.work('tend-addresses')
  await next.told.beat()
  await Promise.all([dead, next].map(({ told }) => told.stop()))
})

test('verify runs in the night of Kampala, once over all workers, and its result stands on the pages', async () => {
  const { told, work } = workerOf()
  work('verify')
  await told.beat()
  await service.rows('delete from verify_runs')
  const toNight = () => {
    const hour = new Date(service.clock.nowMs() + 3 * HOUR).getUTCHours()
    service.pass(((27 - hour) % 24) * HOUR)
  }
  toNight()
  const [first, second] = await Promise.all([service.run('verify'), service.run('verify')])
  assert.deepEqual([first, second].sort(), [0, 1])
  assert.equal(await service.run('verify'), 0, 'once a night')
  const [run] = await service.rows<{
    run_by: string
    violations: number
    looked: number
    error: string | null
  }>('select run_by, violations, looked, error from verify_runs')
  assert.deepEqual([run?.run_by, Number(run?.violations), run?.error], ['night', 0, null])
  assert.ok(Number(run?.looked) > 0)
  const operator = await operatorSignedIn(service, 'risk')
  assert.match(mainOf(await operator.get('/console/jobs')), /the night .*holds/s)
  service.pass(4 * HOUR)
  assert.equal(await service.run('verify'), 0, 'not by day')
  service.pass(23 * HOUR)
  assert.equal(await service.run('verify'), 1, 'a night without a worker is caught up')
  await told.stop()
})

test('the first page shows live money by age, what is wrong, workers, webhooks and the last verify', async () => {
  const operator = await operatorSignedIn(service, 'finance')
  const { live, merchant } = await service.shop()
  await live.charge({ amount: 7000, customer: { phone: newPayer() } })
  service.pass(10 * MINUTE)
  await live.charge({ amount: 4000, customer: { phone: newPayer() } })
  await service.rows(
    `insert into exceptions (merchant_id, id, mode, kind, severity, subject, details, opened_at)
     select id, 'exc_home', 'live', 'mismatch', 'critical', 'txn_home', '{}', $2 from cell_0.merchants where public_id = $1`,
    [merchant.id, service.clock.now()],
  )
  await service.run('raise-alerts')
  const { told, work } = workerOf()
  work('settle-charges', { handled: 1 })
  await told.beat()
  const page = await operator.get('/console')
  const main = mainOf(page)
  assert.match(main, /Charges 1 UGX 4,000 – 1 UGX 7,000 – – 10 min/)
  assert.match(main, /Payouts – – – – – –/)
  assert.match(main, /Open exceptions 1 critical/)
  assert.match(main, /Open alerts \d+ /)
  assert.match(main, /Workers heard \d+ s ago one process does background work/)
  assert.match(main, /Webhooks \d+ wait/)
  assert.match(main, /Verify everything held \d+ (?:s|min|h|days) ago/)
  for (const path of ['/alerts', '/jobs', '/parked', '/reconciliation/exceptions', '/jobs#verify'])
    assert.ok(page.text.includes(`href="/console${path}"`), path)
  await service.rows(`update exceptions set closed_at = $1, note = 'planted' where id = 'exc_home'`, [
    service.clock.now(),
  ])
  service.pass(MINUTE)
  assert.match(mainOf(await operator.get('/console')), /Open exceptions none/)
  await told.stop()
})

test('the figures of the first page are read once in five seconds, however many look', async () => {
  const look = () => readServiceFigures(service.gateway)
  service.pass(MINUTE)
  const [first, second] = await Promise.all([look(), look()])
  assert.equal(first, second)
  assert.equal(await look(), first)
  service.pass(MINUTE)
  assert.notEqual(await look(), first)
})

const openOf = async (kind: string) =>
  (await service.rows<{ says: string }>('select says from alerts where kind = $1 and closed_at is null', [kind])).map(
    ({ says }) => says,
  )

test('three payments without an answer are more than 5 % of a quiet hour, and wake a person', async () => {
  const { live } = await service.shop()
  for (let nth = 0; nth < 3; nth += 1) await live.charge({ amount: 3000, customer: { phone: newPayer() } })
  await service.run('raise-alerts')
  assert.deepEqual(await openOf('parked_money'), [])
  service.pass(16 * MINUTE)
  await service.run('raise-alerts')
  const [parked] = await openOf('parked_money')
  assert.match(parked ?? '', /^\d+ live charges of \d+ UGX together/)
})

test('money that a run of the release left, and a verify that does not come, wake a person', async () => {
  const { live, merchant } = await service.shop()
  const { body } = await live.charge({ amount: 9000, customer: { phone: newPayer() } })
  service.operator.pays(body.id)
  service.pass(MINUTE)
  await service.run('follow-charges')
  service.pass(25 * HOUR)
  const { told, work } = workerOf()
  await service.run('raise-alerts')
  assert.deepEqual(await openOf('release_stopped'), [], 'no run of the release has passed it by yet')
  work('settle-charges')
  work('verify')
  await told.beat()
  await service.run('raise-alerts')
  const [stopped] = await openOf('release_stopped')
  assert.ok(stopped?.startsWith(`held money of ${merchant.id} fell due at `), stopped)
  await service.run('settle-charges')
  await service.run('raise-alerts')
  assert.deepEqual(await openOf('release_stopped'), [])
  service.pass(37 * HOUR)
  await service.run('raise-alerts')
  assert.match((await openOf('verify_late'))[0] ?? '', /^verify of cell_0 has not ended well since/)
  await told.stop()
})
