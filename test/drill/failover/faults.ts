import { BOTH_GONE } from './both-gone.ts'
import type { Cluster } from './cluster.ts'
import type { Host } from './hosts.ts'
import { type Taking, untilOneTakesWrites } from './writers.ts'

/** What a fault has brought: since when another host took writes, where one did. In ms of this process. */
type FaultOutcome = { faultAt: number; taking: Taking | null }
export type Fault = {
  says: string
  /** Whether payments must be complete again within the bar after a new primary takes writes. */
  isBarred: boolean
  /** Does it, and returns when another host takes writes, with the function that puts the cluster right again. */
  run(cluster: Cluster): Promise<FaultOutcome & { mend(): void }>
}

// Longer than a time to live, a start of PostgreSQL and a rewind take.
const TAKES_OVER_MS = 90_000
const ETCD_AWAY_MS = 35_000
const AFTER_SECOND_MS = 5000

const others = (cluster: Cluster, ...without: Host[]) => cluster.hosts.filter((host) => !without.includes(host))
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Something happens to the host of the primary, and another host takes over. */
const toPrimary =
  (happens: (primary: Host) => void, mends: (primary: Host) => void): Fault['run'] =>
  async (cluster) => {
    const { primary } = await cluster.whole()
    const faultAt = performance.now()
    happens(primary)
    const taking = await untilOneTakesWrites(others(cluster, primary), TAKES_OVER_MS)
    return { faultAt, taking, mend: () => mends(primary) }
  }

/** Every fault by its name, in the order in which they are tried. */
export const FAULTS = {
  kill: {
    ...{ says: 'kill -9 of the host of the primary', isBarred: true },
    run: toPrimary(
      (host) => host.kill(),
      (host) => host.start(),
    ),
  },
  freeze: {
    ...{ says: 'the host of the primary stands still (SIGSTOP), and wakes later', isBarred: true },
    run: toPrimary(
      (host) => host.freeze(),
      (host) => host.wake(),
    ),
  },
  switch: {
    ...{ says: 'planned switch to the standby', isBarred: true },
    run: async (cluster) => {
      const { primary, standby } = await cluster.whole()
      const faultAt = performance.now()
      const [, taking] = await Promise.all([
        switchOver(primary, standby),
        untilOneTakesWrites(others(cluster, primary), TAKES_OVER_MS),
      ])
      return { faultAt, taking, mend: () => {} }
    },
  },
  cut: {
    ...{ says: 'the host of the primary is cut off, and comes back later', isBarred: false },
    run: toPrimary(
      (host) => host.cutOff(),
      (host) => host.joinAgain(),
    ),
  },
  etcd: {
    ...{ says: `etcd is away for ${ETCD_AWAY_MS / 1000} s`, isBarred: false },
    run: async (cluster) => {
      await cluster.whole()
      const faultAt = performance.now()
      cluster.etcd.kill()
      await pause(ETCD_AWAY_MS)
      cluster.etcd.start()
      return { faultAt, taking: null, mend: () => {} }
    },
  },
  twice: {
    ...{ says: 'kill -9 of the primary, and of the one that took over', isBarred: false },
    run: async (cluster) => {
      const { primary } = await cluster.whole()
      primary.kill()
      await untilOneTakesWrites(others(cluster, primary), TAKES_OVER_MS)
      const next = await cluster.wholeWithout(primary)
      const faultAt = performance.now()
      next.primary.kill()
      // The last one has nobody to wait for, and so acknowledges nothing, until one of the others is back.
      setTimeout(() => primary.start(), AFTER_SECOND_MS)
      const taking = await untilOneTakesWrites(others(cluster, primary, next.primary), TAKES_OVER_MS)
      return { faultAt, taking, mend: () => next.primary.start() }
    },
  },
  gone: BOTH_GONE,
} satisfies Record<string, Fault>

export type FaultName = keyof typeof FAULTS

async function switchOver({ place }: Host, to: Host): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${place.rest}/switchover`, {
    method: 'POST',
    signal: AbortSignal.timeout(TAKES_OVER_MS),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: place.name, candidate: to.place.name }),
  })
  if (!answer.ok) throw new Error(`the switch was refused: ${answer.status} ${await answer.text()}`)
}
