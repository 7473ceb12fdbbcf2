import { median, ratio, rounded } from './figures.ts'
import type { BenchMerchant, Stage } from './stage.ts'

const ROUNDS = 5
const EACH = 60

/** The median GET of two merchants in turns, one client, in ms, and the quotient of the two. */
export type Compared = { large_p50_ms: number | null; small_p50_ms: number | null; ratio: number | null }

/** Requests `path` for one merchant and the other in turns. The first round only warms up. */
export async function compare(
  stage: Stage,
  path: string,
  { large, small }: { large: BenchMerchant; small: BenchMerchant },
): Promise<Compared> {
  const rounds: { large: number; small: number }[] = []
  while (rounds.length <= ROUNDS)
    rounds.push({ large: await p50(stage, path, large), small: await p50(stage, path, small) })
  rounds.shift()
  return {
    large_p50_ms: rounded(median(rounds.map((round) => round.large))),
    small_p50_ms: rounded(median(rounds.map((round) => round.small))),
    ratio: rounded(median(rounds.map((round) => ratio(round.large, round.small))), 2),
  }
}

async function p50({ driver, service }: Stage, path: string, { token }: BenchMerchant): Promise<number> {
  const load = await driver.run({ port: service.port, connections: 1, tokens: [token], requests: EACH, path })
  if (load.refusal !== null) throw new Error(`GET ${path} was refused: ${load.refusal}`)
  return load.p50Ms
}
