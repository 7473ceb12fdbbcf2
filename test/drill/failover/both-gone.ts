import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { account } from '../debian-servers.ts'
import { askHost } from './cluster.ts'
import type { Fault } from './faults.ts'
import type { Host } from './hosts.ts'
import { PATRONI, SCOPE } from './settings.ts'
import { untilOneTakesWrites } from './writers.ts'

const CAUGHT_UP_MS = 30_000
const COMMAND_MS = 60_000
const LOOK_MS = 100
// From the forced promotion: a host without anything copies all of it before one write is acknowledged.
const TAKES_WRITES_MS = 120_000
// When the lock of the dead primary has run out, and Patroni has looked twice.
const ALONE_MS = (PATRONI.ttl + 2 * PATRONI.loop_wait) * 1000

const run = promisify(execFile)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * "Both are gone" of docs/operating.md: the primary and its synchronous standby lose their disks, and the third host is
 * promoted by hand. The standby stands still first, so that nothing is acknowledged that the third one lacks.
 */
export const BOTH_GONE: Fault = {
  ...{ says: 'the primary and its standby lose their disks; the third host is promoted by hand', isBarred: false },
  async run(cluster) {
    const { primary, standby } = await cluster.whole()
    const third = cluster.hosts.find((host) => host !== primary && host !== standby) as Host
    standby.freeze()
    await untilCaughtUp(third, primary)
    const faultAt = performance.now()
    for (const host of [primary, standby]) host.loseDisk()
    await pause(ALONE_MS)
    if (!(await isStandby(third))) throw new Error('Patroni promoted a host that may lack acknowledged payments')
    await promote(third)
    primary.start()
    const taking = await untilOneTakesWrites([third], TAKES_WRITES_MS)
    return { faultAt, taking, mend: () => standby.start() }
  },
}

async function untilCaughtUp(third: Host, primary: Host): Promise<void> {
  const giveUpAt = performance.now() + CAUGHT_UP_MS
  // What is written from here on is acknowledged to nobody: the standby stands still.
  const [{ wal }] = (await askHost(primary, 'select pg_current_wal_flush_lsn()::text as wal')) as [{ wal: string }]
  const caughtUp = `select pg_last_wal_replay_lsn() >= '${wal}' as done`
  while ((await askHost(third, caughtUp))[0]?.done !== true) {
    if (performance.now() > giveUpAt) throw new Error(`${third.place.name} does not catch up with ${wal}`)
    await pause(LOOK_MS)
  }
}

const isStandby = async (host: Host) => (await askHost(host, 'select pg_is_in_recovery() as yes'))[0]?.yes === true

async function promote({ place }: Host): Promise<void> {
  const words = ['-c', join(place.folder, 'patroni.yml'), 'failover', SCOPE, '--candidate', place.name, '--force']
  const own = account()
  await run('patronictl', words, {
    ...(own === null ? {} : { uid: own.uid, gid: own.gid }),
    ...{ timeout: COMMAND_MS, cwd: '/', env: { ...process.env, HOME: '/nonexistent' } },
  })
}
