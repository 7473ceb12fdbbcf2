import { rounded } from './figures.ts'
import { payRound } from './payments.ts'
import { atMost } from './report.ts'
import type { Stage } from './stage.ts'

const MERCHANTS = 100
const LIMIT = '1000000'
const WARM_MS = 12_000
// A window holds a full minute of payments only after a minute has passed.
const FILL_MS = 50_000
const MEASURED_MS = 12_000

/** The cost of rate limiting for a payment: the same load with the limits off, and on after a minute of load. */
export async function measureWindows(stage: Stage) {
  const merchants = stage.merchants.slice(0, MERCHANTS)
  const round = async (limit: string, beforeMs: number) => {
    await stage.restart({ RATE_LIMIT_CHARGES: limit, RATE_LIMIT_ALL: limit })
    await payRound(stage, merchants, beforeMs)
    return payRound(stage, merchants, MEASURED_MS)
  }
  const on = await round(LIMIT, FILL_MS)
  stage.say(`with limits ${on.payments_per_second} payments a second, ${on.cpu_ms} CPU-ms each`)
  const off = await round('0', WARM_MS)
  stage.say(`without limits ${off.payments_per_second} payments a second, ${off.cpu_ms} CPU-ms each`)
  const cost = off.cpu_ms === null || on.cpu_ms === null ? null : rounded((on.cpu_ms - off.cpu_ms) * 1000, 0)
  return {
    scenarios: { windows: { off, on, cpu_us_per_payment: cost } },
    bars: [atMost('rate_windows_cpu_us_per_payment', 60, cost)],
  }
}
