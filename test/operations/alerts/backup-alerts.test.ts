import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { oneJson, runInside, settingsOf } from '../../helpers/service/command-line.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const person = opened(() => startReceiver())
const service = opened(() =>
  startService({
    env: {
      ...{ ALERT_WEBHOOK: person.url, METRICS_TOKEN: 'look' },
      BACKUP_DIR: join(tmpdir(), 'backups-of-nobody'),
    },
  }),
)

/** Looks after this time; what the alerts of this kind say then, and whether they are open. */
async function told(kind: string, afterMs: number): Promise<string[]> {
  service.pass(afterMs)
  const before = person.received.length
  await service.run('raise-alerts')
  const posted = person.received.slice(before).map(({ event }) => event)
  return posted
    .filter((one) => one?.kind === kind)
    .flatMap(({ alerts }) => alerts.map((alert: any) => `${alert.state}: ${alert.says}`))
}

const taken = (kind: string) =>
  service.rows(
    `insert into directory.backup_runs (kind, run_by, begun_at, ended_at, label, place, bytes, timeline)
     values ($1, 'test', $2, $2, 'full-1', '/backups', $3, 1)`,
    [kind, service.clock.now(), kind === 'drill' ? null : 10],
  )

test('the metrics say what is late, and that nothing receives the WAL', async () => {
  const scraped = await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer look' } })
  const text = await scraped.text()
  assert.match(text, /^backup_faults 1$/m)
  assert.match(text, /^wal_stream_silent 1$/m)
})

test('a backup that was never taken is told, then that nobody has restored it, and both are over', async () => {
  assert.match((await told('backup_late', 0)).join(), /opened: backups are configured and no full one was ever taken/)
  await taken('full')
  const later = (await told('backup_late', 11 * MINUTE)).join()
  assert.match(later, /closed: .*no full one/)
  assert.match(later, /opened: nobody has ever restored a backup/)
  const settings = { ...settingsOf(service), TEST_HOOKS: '1' }
  const drilled = oneJson(await runInside(['backup', 'drilled', '--restored', 'full-1', '--json'], settings))
  assert.equal(drilled.restored, 'full-1')
  assert.match((await told('backup_late', 11 * MINUTE)).join(), /closed: nobody has ever restored/)
  const acts = await service.rows(`select subject from directory.audit where action = 'backup.record'`)
  assert.deepEqual(acts, [{ subject: 'full-1' }])
})

test('a backup is late after a day and two hours, and a drill after 35 days', async () => {
  await taken('full')
  assert.deepEqual(await told('backup_late', 25 * HOUR), [])
  assert.match(
    (await told('backup_late', 2 * HOUR)).join(),
    /the last backup \(full-1\) ended at .*, over 26 hours ago/,
  )
  await taken('incremental')
  assert.match((await told('backup_late', 11 * MINUTE)).join(), /closed: the last backup/)
  await taken('drill')
  service.pass(36 * DAY)
  await taken('full')
  assert.match(
    (await told('backup_late', 11 * MINUTE)).join(),
    /the last restore of a backup was tried at .*, over 35 days ago/,
  )
})

test('WAL that nobody receives is told after two minutes, because a restart is none', async () => {
  await told('wal_stream_silent', 11 * MINUTE)
  const found = await service.rows(`select says from directory.alerts where kind = 'wal_stream_silent'`)
  const says = found.map((row) => row.says).join()
  assert.match(says, /the WAL of this server was never streamed to BACKUP_DIR since .*: what is acknowledged/)
})
