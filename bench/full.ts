import { CALLED_ABOUT, measureCallbacks } from './callbacks.ts'
import { writeHistories } from './history.ts'
import type { measureIdle } from './idle.ts'
import { measureLists } from './lists.ts'
import { proveLedger } from './prove.ts'
import { compare } from './reads.ts'
import { atMost } from './report.ts'
import type { BenchMerchant, Stage } from './stage.ts'
import { measureStart } from './start.ts'
import { measureStatement } from './statements.ts'
import { FULL_SWEEP, HOLDERS, measureSweep } from './sweep.ts'
import { measureTallies } from './tallies.ts'
import { measureWebhooks, RECEIVING } from './webhooks.ts'

/** How many merchants without payments of their own this takes. */
export const OTHERS = 4 + RECEIVING + CALLED_ABOUT + 1 + HOLDERS
const STATEMENT_LINES = 1_000_000
const HISTORIES = { large: 1_000_000, small: 10_000, tiny: 1000 }

/** What only the full run measures. Afterwards the stage has no database, so nothing can follow. */
export async function measureRest(stage: Stage, idle: Awaited<ReturnType<typeof measureIdle>>) {
  const [large, small, tiny, busy, ...rest] = stage.others as [
    BenchMerchant,
    BenchMerchant,
    BenchMerchant,
    BenchMerchant,
  ]
  const webhooks = await measureWebhooks(stage, rest.slice(0, RECEIVING))
  // Restarts without the webhook addresses that nobody listens on any more.
  await stage.restart()
  const callbacks = await measureCallbacks(stage, rest.slice(RECEIVING, RECEIVING + CALLED_ABOUT))
  const sweep = await measureSweep(stage, rest.slice(RECEIVING + CALLED_ABOUT), FULL_SWEEP)
  await writeHistories(stage, [
    { merchant: large, charges: HISTORIES.large },
    { merchant: small, charges: HISTORIES.small },
    { merchant: tiny, charges: HISTORIES.tiny },
  ])
  const balance = await compare(stage, '/v1/balance', { large, small: tiny })
  stage.say(`balance: ${balance.large_p50_ms} ms and ${balance.small_p50_ms} ms`)
  const lists = await measureLists(stage, { large, small })
  const tallies = await measureTallies(stage, { large, small })
  const statement = await measureStatement(stage, busy, STATEMENT_LINES)
  const proof = await proveLedger(stage)
  const start = await measureStart(stage)
  const byFilter = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.ratio]))
  return {
    proof,
    scenarios: {
      idle,
      webhooks,
      callbacks: callbacks.callbacks,
      sweep,
      balance,
      lists,
      tallies: tallies.tallies,
      statement,
      start,
    },
    ratios: {
      idle_overhead_ms: idle.overhead_ms,
      balance_1m_vs_1k: balance.ratio,
      list_1m_vs_10k: byFilter,
    },
    bars: [
      atMost('idle_overhead_ms', 2, idle.overhead_ms),
      atMost('balance_1m_vs_1k', 1.2, balance.ratio),
      ...Object.entries(byFilter).map(([name, ratio]) => atMost(`list_1m_vs_10k ${name}`, 1.5, ratio)),
      ...callbacks.bars,
      ...tallies.bars,
      atMost('start_ms', 2000, start.worst_ms),
      atMost('statement_1m_seconds', 5, statement.p50_seconds),
      atMost('statement_1m_extra_mb', 64, statement.worst_extra_mb),
      atMost('charge_p99_beside_statement', 2, statement.charge_p99_beside_vs_without),
      atMost('sweep_1m_seconds', 60, sweep.one_merchant_seconds),
      atMost('charge_p99_beside_sweep', 2, sweep.p99_beside_vs_without),
    ],
  }
}
