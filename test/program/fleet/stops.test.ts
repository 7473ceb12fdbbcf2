import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fleet, isThere, startFleet } from '../../helpers/service/fleet.ts'
import { assertVerified, eventually } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { type Sent, startSteadyLoad } from '../../helpers/service/steady-load.ts'
import { startService } from '../../helpers/service/test-service.ts'

const ENOUGH = 40
const STOP_MS = 3000
const service = opened(() => startService({}))
const shop = made(() => service.merchant())

const listens = (fleet: Fleet) =>
  fetch(`${fleet.url}/livez`).then(
    () => true,
    () => false,
  )

async function withFleet(env: Record<string, string>, work: (fleet: Fleet) => Promise<void>): Promise<void> {
  const fleet = await startFleet({ databaseUrl: service.database.url, env })
  try {
    await work(fleet)
  } finally {
    await fleet.end()
  }
}

/** Every payment that was answered is stored, and none twice. */
async function assertKept(sent: readonly Sent[]): Promise<void> {
  const answered = sent.filter(({ status }) => status === 201).map(({ id }) => id as string)
  assert.ok(answered.length >= ENOUGH)
  assert.equal(new Set(answered).size, answered.length)
  const stored = await service.rows('select 1 from charges where id = any($1)', [answered])
  assert.equal(stored.length, answered.length)
}

test('a SIGTERM under load ends all within three seconds with 0, and loses nothing that was answered', () =>
  withFleet({ DRAIN_SECONDS: '0' }, async (fleet) => {
    const children = fleet.children()
    const load = startSteadyLoad(fleet.url, shop.keys.test)
    await eventually('payments are made', () => load.sent.length > ENOUGH)
    const stoppedAt = performance.now()
    fleet.signal('SIGTERM')
    assert.deepEqual(await fleet.ended, { code: 0, signal: null })
    const tookMs = performance.now() - stoppedAt
    const sent = await load.stop()
    await assertKept(sent)
    assert.deepEqual(
      sent.filter(({ status }) => status !== 201 && status !== null),
      [],
    )
    assert.ok(tookMs < STOP_MS, `${Math.round(tookMs)} ms`)
    assert.deepEqual(children.filter(isThere), [])
    assert.equal(fleet.lines().at(-1)?.msg, 'stopped')
  }))

test('a second SIGTERM ends all at once with 1', () =>
  withFleet({ DRAIN_SECONDS: '60' }, async (fleet) => {
    const children = fleet.children()
    fleet.signal('SIGTERM')
    await eventually('it is not ready any more', async () => (await fetch(`${fleet.url}/readyz`)).status === 503)
    fleet.signal('SIGTERM')
    assert.deepEqual(await fleet.ended, { code: 1, signal: null })
    await eventually('all are gone', () => !children.some(isThere))
    assert.equal(await listens(fleet), false)
  }))

test('when a supervisor signals every process of the group, it is one stop', () =>
  withFleet({ DRAIN_SECONDS: '0' }, async (fleet) => {
    process.kill(-fleet.pid, 'SIGTERM')
    assert.deepEqual(await fleet.ended, { code: 0, signal: null })
  }))

test('when the parent is killed the others finish what is under way and end, and nobody keeps the port', () =>
  withFleet({}, async (fleet) => {
    const children = fleet.children()
    const load = startSteadyLoad(fleet.url, shop.keys.test)
    await eventually('payments are made', () => load.sent.length > ENOUGH)
    fleet.signal('SIGKILL')
    await eventually('nobody listens', async () => !(await listens(fleet)))
    await eventually('all are gone', () => !children.some(isThere))
    await assertKept(await load.stop())
  }))

test('afterwards every invariant holds', async () => {
  await service.run('follow-charges')
  await assertVerified(service)
})
