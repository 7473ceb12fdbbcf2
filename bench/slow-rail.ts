import { startDriver } from './drive.ts'
import { atEnd } from './endings.ts'
import { median, ratio, rounded } from './figures.ts'
import { liveStage } from './live.ts'
import { atMost } from './report.ts'
import type { Stage } from './stage.ts'
import { openReceivers, sendEvents, setAddresses } from './webhooks.ts'

const RECEIVING = 50
const ROUNDS = 4
const READS = { path: '/v1/balance', connections: 8, perSecond: 100, ms: 10_000 }
// As many live charges as a contract has connections and more: all of them wait.
const WAITING = { connections: 100, perSecond: 10, ms: 25_000 }
const WARM_MS = 6000
const TWENTY_SECONDS = { onSubmit: { delayMs: 20_000 }, onStatus: [{ delayMs: 20_000 }] }

type Looked = Record<'balance_p99_ms' | 'test_post_p99_ms' | 'webhook_p99_ms', number | null>

/** Balance reads, test payments and webhooks alone, and beside an operator that takes 20 s for every answer, in turns. */
export async function measureSlowRail(stage: Stage) {
  const reads = startDriver()
  const live = startDriver()
  atEnd(() => reads.end())
  atEnd(() => live.end())
  const { receivers, ports, allowed } = await openReceivers({ healthy: RECEIVING, silent: 0 })
  const payers = await liveStage(stage, { WEBHOOK_ALLOW_PRIVATE: allowed.join(',') })
  const healthy = stage.merchants.slice(0, RECEIVING)
  await setAddresses(stage, healthy, { ports: ports.healthy, allowed })
  await payers.operator.control('PUT', 'rules', [TWENTY_SECONDS])
  const look = async (): Promise<Looked> => {
    const tokens = healthy.map(({ token }) => token)
    const [read, events] = await Promise.all([
      reads.run({ port: stage.service.port, tokens, ...READS }),
      sendEvents(stage, receivers, { healthy, silent: [] }),
    ])
    return {
      balance_p99_ms: rounded(read.p99Ms, 1),
      test_post_p99_ms: events.post_p99_ms,
      webhook_p99_ms: events.to_first_attempt_p99_ms,
    }
  }
  await look()
  const rounds: { usual: Looked; beside: Looked; live: Record<string, number> }[] = []
  const tokens = payers.live.map(({ token }) => token)
  for (let nth = 0; nth < ROUNDS; nth += 1) {
    const usual = await look()
    const waiting = live.run({ port: stage.service.port, tokens, ...WAITING })
    await new Promise((resolve) => setTimeout(resolve, WARM_MS))
    const beside = await look()
    const { statuses } = await waiting
    stage.say(`usual ${JSON.stringify(usual)}, beside ${JSON.stringify(beside)}, live ${JSON.stringify(statuses)}`)
    rounds.push({ usual, beside, live: statuses })
  }
  const names = ['balance_p99_ms', 'test_post_p99_ms', 'webhook_p99_ms'] as const
  const change = (name: (typeof names)[number]) =>
    rounded(
      ratio(median(rounds.map(({ beside }) => beside[name] ?? 0)), median(rounds.map(({ usual }) => usual[name] ?? 0))),
    )
  return { rounds, bars: names.map((name) => atMost(`slow_rail_${name}_vs_usual`, 1.1, change(name))) }
}
