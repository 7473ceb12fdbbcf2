import { connect, type Socket } from 'node:net'
import type { Driver } from './drive.ts'
import { rounded } from './figures.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import { untilLanded } from './payments.ts'
import { atLeast, atMost } from './report.ts'
import type { BenchMerchant, Stage } from './stage.ts'

const WITHOUT_LIMITS = { RATE_LIMIT_CHARGES: '1000000', RATE_LIMIT_ALL: '1000000' }
// The last answers come a second after the end, and connections are opened before: long steps make that a small part.
// Rates that are tried one after the other: the last one at which payments are complete at that rate, with a p99 below this, is the
// capacity.
const RATES = [800, 1200, 1600, 2000, 2400, 2800, 3200, 3600, 4000, 4400, 4800]
const STEADY_MS = 250
const REACHED = 0.95
const TRIES = 2
const LASTS_MS = { step: 8000, flood: 20_000, tenTimes: 15_000, recovery: 10_000, usual: 10_000 }
const REPORTS = { connections: 20, perSecond: 40 }
const IDLE_CONNECTIONS = 4000
const BESIDE = { connections: 16, perSecond: 100 }

/** reliability.md 6.4, O1 to O3: more than the service can do, sent by everybody at once. */
export async function measureFloods(stage: Stage, merchants: readonly BenchMerchant[]) {
  await stage.restart(WITHOUT_LIMITS)
  const tokens = merchants.map(({ token }) => token)
  const send = (perSecond: number, ms: number, more: Partial<LoadOrder> = {}) => {
    // Enough connections that the times of the requests do not depend on the answers.
    const connections = Math.ceil(Math.min(4000, Math.max(64, perSecond)))
    return stage.driver.run({ port: stage.service.port, tokens, connections, perSecond, ms, ...more })
  }
  await send(RATES[1] as number, LASTS_MS.step)
  const { capacity, normal } = await findCapacity(stage, send)
  const twice = await completing(stage, () => send(2 * capacity, LASTS_MS.flood))
  const ten = await send(10 * capacity, LASTS_MS.tenTimes)
  await send(capacity / 2, LASTS_MS.recovery)
  const after = await send(capacity / 2, LASTS_MS.usual)
  const repeating = await send(1.5 * capacity, LASTS_MS.flood, { repeat: true })
  await send(0.8 * capacity, LASTS_MS.flood, { repeat: true })
  const repeated = await send(0.8 * capacity, LASTS_MS.usual, { repeat: true })
  await untilLanded(stage)
  const useful = twice.completedPerSecond / capacity
  stage.say(
    `capacity ${capacity}/s; at twice that ${rounded(useful, 2)} of it completed, p99 ${rounded(twice.acceptedP99Ms, 0)} ms, refusals ${rounded(twice.refusedP99Ms, 1)} ms`,
  )
  return {
    scenarios: {
      floods: {
        capacity_per_second: capacity,
        normal: told(normal),
        twice: told(twice),
        ten_times: told(ten),
        after_ten_times: told(after),
        repeating: told(repeating),
        after_repeating: told(repeated),
      },
    },
    bars: [
      atLeast('o1_useful_work_vs_capacity', 0.9, rounded(useful, 2)),
      atMost('o1_accepted_p99_vs_normal', 2, rounded(twice.acceptedP99Ms / normal.p99Ms, 2)),
      atMost('o1_refusal_p99_ms', 20, rounded(twice.refusedP99Ms, 1)),
      atMost('o2_p99_vs_normal_ten_seconds_after', 1, rounded(after.p99Ms / normal.p99Ms, 2)),
      atMost('o3_refused_thirty_seconds_after', 0, repeated.statuses['503'] ?? 0),
    ],
  }
}

type Send = (perSecond: number, ms: number) => Promise<LoadResult>

async function findCapacity(stage: Stage, send: Send): Promise<{ capacity: number; normal: LoadResult }> {
  let found: { capacity: number; normal: LoadResult } | null = null
  for (const rate of RATES) {
    const load = await steadyAt(stage, rate, send)
    if (load === null) break
    found = { capacity: rate, normal: load }
  }
  if (found === null) throw new Error('not even the lowest rate was steady')
  return found
}

/** Null when none of the tries was steady: in one of them the machine may have done something else. */
async function steadyAt(stage: Stage, rate: number, send: Send): Promise<LoadResult | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const load = await completing(stage, () => send(rate, LASTS_MS.step))
    if (load.p99Ms < STEADY_MS && load.completedPerSecond >= rate * REACHED) return load
  }
  return null
}

/** With how many payments a second were complete, until the last of them was: what is accepted is not done yet. */
async function completing(stage: Stage, work: () => Promise<LoadResult>) {
  const startedAt = performance.now()
  const load = await work()
  await untilLanded(stage)
  return { ...load, completedPerSecond: (accepted(load) * 1000) / (performance.now() - startedAt) }
}

const accepted = ({ statuses }: LoadResult) => statuses['201'] ?? 0
const perSecond = (load: LoadResult) => accepted(load) / load.seconds

const told = (load: LoadResult) => ({
  accepted_per_second: rounded(perSecond(load), 0),
  heard: load.statuses,
  accepted_p99_ms: rounded(load.acceptedP99Ms, 1),
  refused_p99_ms: rounded(load.refusedP99Ms, 1),
})

/** O5 and O6: what one merchant's reports, and connections that say nothing, do to others at their usual pace. */
export async function measureBeside(stage: Stage, second: Driver, merchants: readonly BenchMerchant[]) {
  const [one, ...others] = merchants as [BenchMerchant, ...BenchMerchant[]]
  const tokens = others.map(({ token }) => token)
  const { port } = stage.service
  const watch = () => stage.driver.run({ port, tokens, ...BESIDE, ms: LASTS_MS.usual })
  const usual = [await watch()]
  const asked = { port, tokens: [one.token], ...REPORTS, ms: LASTS_MS.usual }
  const month = new Date(performance.timeOrigin + performance.now()).toISOString().slice(0, 7)
  const [reports, flood] = await Promise.all([watch(), second.run({ ...asked, path: `/v1/statements/${month}.pdf` })])
  usual.push(await watch())
  const idle = await besideIdle(port, watch)
  usual.push(await watch())
  // The slowest of the three includes what the machine itself adds.
  const usualMs = Math.max(...usual.map(({ p99Ms }) => p99Ms))
  stage.say(
    `p99 ${rounded(usualMs, 1)} ms; beside reports ${rounded(reports.p99Ms, 1)}, beside idle connections ${rounded(idle.p99Ms, 1)}`,
  )
  return {
    scenarios: {
      beside: {
        usual: usual.map(told),
        reports: told(reports),
        flood_of_reports: told(flood),
        idle_connections: told(idle),
      },
    },
    bars: [
      atMost('o5_reports_others_p99_vs_usual', 1.1, rounded(reports.p99Ms / usualMs, 2)),
      atMost('o6_idle_connections_others_p99_vs_usual', 1.1, rounded(idle.p99Ms / usualMs, 2)),
    ],
  }
}

/** Keeps many connections open that send only a part of a request's head. Each one that is closed is opened again. */
async function besideIdle(port: number, work: () => Promise<LoadResult>): Promise<LoadResult> {
  const sockets = new Set<Socket>()
  let open = true
  const start = () => {
    if (!open) return
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /v1/charges HTTP/1.1\r\nHost: slow\r\n'))
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      start()
    })
  }
  for (let nth = 0; nth < IDLE_CONNECTIONS; nth += 1) start()
  try {
    return await work()
  } finally {
    open = false
    for (const socket of sockets) socket.destroy()
  }
}
