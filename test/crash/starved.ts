// npm run starve -- [--runs MS] [--stops MS] [--kills N]: a machine with too little CPU, and kill -9 on top.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { signalIfThere } from '../../src/platform/embedded-postgres/process-identity.ts'
import { type Operator, type SubmitHow, startOperator } from '../fakes/operator.ts'
import { type Installation, type Merchant, makeInstallation } from './installation.ts'
import { LIVE_PROGRAM, postgresProcesses, type Running } from './processes.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '40' },
    stops: { type: 'string', default: '80' },
    kills: { type: 'string', default: '2' },
  },
})
const CLIENTS = 30
const BETWEEN_KILLS_MS = 12_000
// ID7: counted from the restart of the process, or from when the key was first seen, whichever is later.
const ANSWERED_WITHIN_MS = 60_000
const WATCHED_AT_MOST_MS = 180_000
const LOOK_MS = 1000
// The operator on a bad day: it takes most requests, refuses some, and loses some.
const BAD_DAY: readonly [number, SubmitHow['answer']][] = [
  [17, 'silence'],
  [13, 'refuse to serve'],
  [11, 'reset late'],
  [7, 'refuse'],
]

const installation = await makeInstallation()
const operator = await startOperator()
try {
  process.exitCode = (await soak(installation, operator)) ? 0 : 1
} finally {
  await installation.end()
  await operator.close()
}

async function soak(place: Installation, { url, onSubmit }: Operator): Promise<boolean> {
  onSubmit((nth) => ({
    answer: BAD_DAY.find(([every]) => nth % every === 0)?.[1] ?? 'accept',
    afterMs: (nth % 5) * 300,
  }))
  const shop = await place.merchant('starved', ['--verified'])
  await place.command(['merchants', 'set', shop.handle, '--instant-settlement', 'true'])
  const start = () => place.start({ program: { path: LIVE_PROGRAM, args: [url, 'all'] } })
  let service = start()
  await service.ready
  const load = payWithoutEnd(place, shop)
  const starving = starve(() => [service.pid, ...postgresProcesses(place.dataDir)])
  const keys = watchKeys(place)
  for (let kill = 0; kill < Number(values.kills); kill += 1) {
    await sleep(BETWEEN_KILLS_MS)
    service = await replace(service, start)
    keys.count()
  }
  await sleep(BETWEEN_KILLS_MS)
  await load.end()
  const longestMs = await keys.untilNone()
  await starving.end()
  const { code, json } = await place.command(['verify'])
  const findings = (json?.cells ?? []).flatMap((cell: any) => cell.findings)
  const broken = findings.filter(({ violations }: any) => violations > 0).map(({ id }: any) => id)
  console.log(`${load.said()}; the longest a key ran: ${Math.round(longestMs / 1000)} s; verify: ${broken}`)
  return longestMs <= ANSWERED_WITHIN_MS && code === 0
}

async function replace(service: Running, start: () => Running): Promise<Running> {
  await service.kill()
  const heir = start()
  if (!(await heir.ready)) throw new Error(`the service did not start again: ${heir.said()}`)
  console.log('killed and started again')
  return heir
}

/** Lets all these processes run for a moment and stops them for another, as on an overloaded machine. */
function starve(processes: () => number[]) {
  const signal = (what: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of processes()) signalIfThere(pid, what)
  }
  let going = true
  const loop = (async () => {
    while (going) {
      signal('SIGSTOP')
      await sleep(Number(values.stops))
      signal('SIGCONT')
      await sleep(Number(values.runs))
    }
  })()
  return {
    end: async () => {
      going = false
      await loop
      signal('SIGCONT')
    },
  }
}

/** Charges, payouts and bulk calls; each client sends its next one as soon as the last was answered or cut off. */
function payWithoutEnd({ url, clock }: Installation, { keys }: Merchant) {
  const statuses = new Map<string, number>()
  let nth = 0
  let going = true
  const phone = () => `2567${10_000_000 + nth}`
  const requests: (() => [string, object])[] = [
    () => ['/v1/charges', { amount: 50_000, channel: 'op1_momo', customer: { phone: phone() } }],
    () => ['/v1/payouts', { amount: 500, recipient: { phone: phone() } }],
    () => [
      '/v1/payouts/bulk',
      { payouts: Array.from({ length: 50 }, () => ({ amount: 500, recipient: { phone: phone() } })) },
    ],
  ]
  const clients = Array.from({ length: CLIENTS }, async (_, who) => {
    while (going) {
      nth += 1
      const [path, body] = (requests[who % 6 < 3 ? 0 : who % 6 < 5 ? 1 : 2] as () => [string, object])()
      const headers = {
        authorization: `Bearer ${keys.live}`,
        'content-type': 'application/json',
        'x-timestamp': String(Math.floor(clock.nowMs() / 1000)),
        'idempotency-key': `starved-${nth}`,
      }
      const sent = fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      const status = await sent.then(
        async (response) => response.arrayBuffer().then(() => String(response.status)),
        () => 'cut off',
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await sleep(20)
    }
  })
  return {
    said: () => [...statuses].map(([status, count]) => `${count} x ${status}`).join(', '),
    end: async () => {
      going = false
      await Promise.all(clients)
    },
  }
}

/** Measures how long each key has been running; `count` restarts all counts, because their process has died only now. */
function watchKeys({ sql }: Installation) {
  const since = new Map<string, number>()
  let longestMs = 0
  let left = Number.POSITIVE_INFINITY
  let watching = true
  async function look(): Promise<void> {
    const rows = await sql<{ key: string }>(
      `select k.key from idempotency_keys k left join charges c on c.merchant_id = k.merchant_id and c.id = k.object_id
       where k.status is null or not c.published`,
    )
    const running = new Set(rows.map(({ key }) => key))
    for (const key of [...since.keys()]) if (!running.has(key)) since.delete(key)
    for (const key of running) {
      const seenAt = since.get(key) ?? performance.now()
      since.set(key, seenAt)
      longestMs = Math.max(longestMs, performance.now() - seenAt)
    }
    left = running.size
  }
  const loop = (async () => {
    while (watching) {
      await look()
      await sleep(LOOK_MS)
    }
  })()
  return {
    count: () => since.clear(),
    untilNone: async () => {
      const giveUpAt = performance.now() + WATCHED_AT_MOST_MS
      left = Number.POSITIVE_INFINITY
      while (left > 0 && performance.now() < giveUpAt) await sleep(LOOK_MS)
      watching = false
      await loop
      return longestMs
    },
  }
}
