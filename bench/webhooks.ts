import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { getMerchantNamed, setMerchant } from '../src/merchants/account/set-merchant.ts'
import { BY_HAND } from '../test/helpers/service/actors.ts'
import { atEnd } from './endings.ts'
import { percentile, rounded } from './figures.ts'
import { untilTestLanded } from './payments.ts'
import { readCpu } from './processes.ts'
import type { ReceiversOrder, ReceiversReport } from './receivers.ts'
import { type BenchMerchant, type Stage, withGateway } from './stage.ts'

const HEALTHY = 100
const SILENT = 200
/** How many merchants that takes. */
export const RECEIVING = HEALTHY + SILENT
// Half the load that saturates two cores running the sender, the receivers and the load generator.
const EVENTS_A_SECOND = 150
const MS = 10_000
const FULL_LOAD = { connections: 64, ms: 5000 }
const DELIVERED_WITHIN_MS = 60_000
const RECEIVERS = fileURLToPath(new URL('./receivers.js', import.meta.url))

const WAITING = `select count(*)::int as waiting from deliveries where merchant_id = any($1) and created_at > $2 and attempts = 0`
const CREATED = `select id, extract(epoch from created_at) * 1000 as at from events where merchant_id = any($1) and created_at > $2`

/**
 * Milliseconds from an event's time (just before its commit, so the commit is part of it) to the first attempt at a
 * healthy receiver of these merchants without a past: with healthy receivers alone, and beside twice as many silent ones.
 */
export async function measureWebhooks(stage: Stage, merchants: readonly BenchMerchant[]) {
  const { receivers, ports, allowed } = await openReceivers({ healthy: HEALTHY, silent: SILENT })
  await stage.restart({ WEBHOOK_ALLOW_PRIVATE: allowed.join(',') })
  const healthy = merchants.slice(0, HEALTHY)
  const silent = merchants.slice(HEALTHY)
  await setAddresses(stage, healthy, { ports: ports.healthy, allowed })
  const alone = await sendEvents(stage, receivers, { healthy, silent: [] })
  const full = await atFullLoad(stage, healthy)
  await ask(receivers, 'report')
  await setAddresses(stage, silent, { ports: ports.silent, allowed })
  const beside = await sendEvents(stage, receivers, { healthy, silent })
  receivers.kill('SIGKILL')
  return {
    healthy_receivers: HEALTHY,
    alone,
    at_full_load: full,
    beside_silent_receivers: { silent: SILENT, ...beside },
  }
}

/** Receivers of webhooks in a process of their own, and how the service is allowed to call them. */
export async function openReceivers(wanted: { healthy: number; silent: number }) {
  const receivers = fork(RECEIVERS, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  atEnd(() => receivers.kill('SIGKILL'))
  const ports = (await ask(receivers, wanted)) as { healthy: number[]; silent: number[] }
  return { receivers, ports, allowed: [...ports.healthy, ...ports.silent].map((port) => `127.0.0.1:${port}`) }
}

type Parties = { healthy: readonly BenchMerchant[]; silent: readonly BenchMerchant[] }

/** Test payments of merchants with healthy receivers: how long the requests take, and their webhooks. */
export async function sendEvents(stage: Stage, receivers: ChildProcess, { healthy, silent }: Parties) {
  const ids = healthy.map((merchant) => merchant.id)
  const { rows } = await stage.db.query('select clock_timestamp()::text as now')
  const since = rows[0].now
  const tokens = [...healthy, ...silent].map((merchant) => merchant.token)
  // The healthy ones get the same number of events a second either way.
  const perSecond = (EVENTS_A_SECOND * tokens.length) / healthy.length
  const load = await stage.driver.run({
    port: stage.service.port,
    connections: 32,
    tokens,
    perSecond,
    ms: MS,
  })
  await untilTestLanded(stage)
  const unattempted = await untilAttempted(stage, ids, since)
  const { seen } = (await ask(receivers, 'report')) as { seen: [string, number][] }
  const created = await stage.db.query(CREATED, [ids, since])
  const arrived = new Map(seen)
  const waits = created.rows.flatMap(({ id, at }) => (arrived.has(id) ? (arrived.get(id) as number) - at : []))
  waits.sort((a, b) => a - b)
  stage.say(`${created.rows.length} events, first attempt after ${Math.round(percentile(waits, 0.5))} ms`)
  return {
    events: created.rows.length,
    post_p99_ms: rounded(load.p99Ms, 1),
    never_attempted: unattempted,
    to_first_attempt_p50_ms: rounded(percentile(waits, 0.5), 1),
    to_first_attempt_p99_ms: rounded(percentile(waits, 0.99), 1),
  }
}

/** What a payment costs together with its webhook, from its request until the delivery is recorded, at full load. */
async function atFullLoad(stage: Stage, healthy: readonly BenchMerchant[]) {
  const since = (await stage.db.query('select clock_timestamp()::text as now')).rows[0].now
  const tokens = healthy.map((merchant) => merchant.token)
  const ids = healthy.map((merchant) => merchant.id)
  const cpu = readCpu(stage)
  const startedAt = performance.now()
  const load = await stage.driver.run({
    port: stage.service.port,
    connections: FULL_LOAD.connections,
    tokens,
    ms: FULL_LOAD.ms,
  })
  await untilTestLanded(stage)
  const unattempted = await untilAttempted(stage, ids, since)
  const seconds = (performance.now() - startedAt) / 1000
  const used = cpu()
  const payments = load.statuses['201'] ?? 0
  const each = (cpuSeconds: number | null) => (cpuSeconds === null ? null : (cpuSeconds * 1000) / payments)
  const [server, postgres] = [each(used.server), each(used.postgres)]
  const whole = server === null || postgres === null ? null : server + postgres
  stage.say(`with its webhook ${rounded(whole, 3)} ms CPU a payment, ${rounded(payments / seconds, 0)}/s`)
  return {
    payments_per_second: rounded(payments / seconds, 0),
    never_attempted: unattempted,
    cpu_ms_server: rounded(server, 4),
    cpu_ms_postgres: rounded(postgres, 4),
    cpu_ms: rounded(whole, 4),
  }
}

async function untilAttempted({ db }: Stage, ids: number[], since: string): Promise<number> {
  const giveUpAt = performance.now() + DELIVERED_WITHIN_MS
  for (;;) {
    const { waiting } = (await db.query(WAITING, [ids, since])).rows[0]
    if (waiting === 0 || performance.now() > giveUpAt) return waiting
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export async function setAddresses(
  { config }: Stage,
  merchants: readonly BenchMerchant[],
  { ports, allowed }: { ports: number[]; allowed: string[] },
): Promise<void> {
  await withGateway({ ...config, webhookAllowPrivate: allowed }, async ({ gateway }) => {
    for (const [index, { publicId }] of merchants.entries()) {
      const { app, merchant } = await getMerchantNamed(gateway, publicId)
      await setMerchant(app, BY_HAND, {
        merchant,
        change: { webhookUrl: `http://127.0.0.1:${ports[index]}/hook` },
      })
    }
  })
}

async function ask(receivers: ChildProcess, order: ReceiversOrder): Promise<ReceiversReport> {
  receivers.send(order)
  const [report] = await once(receivers, 'message')
  return report
}
