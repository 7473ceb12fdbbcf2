import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, rounded, since } from './figures.ts'
import { type PaymentRound, payRound, untilTestLanded } from './payments.ts'
import { cpuOf, cpuOfTree } from './processes.ts'
import { atLeast, atMost } from './report.ts'
import type { Stage } from './stage.ts'

const ROUNDS = 2
// Of each process: until then it costs more, however many there are.
const WARM_PAYMENTS = 6000
const MEASURED_MS = 6000
// On each process, so that each commits as much at once; few enough that none is refused, because refusals cost processor time too.
const CONNECTIONS = 64
const QUIET_MS = 60_000
const SETTLING_MS = 15_000
// Two for the service, and as many for the database and the load.
const CORES_FOR_SPEED = 4
// Twice as many processors, 1.6 times the payments.
const GAIN = 1.6
const PLANS = {
  one: { processes: 1, words: [] },
  two: { processes: 2, words: ['--processes', '2'] },
} as const

/**
 * Payments in one process and in two beside each other, in turns. Where the machine has processors enough their speed is compared, anywhere
 * what a payment costs: that twice the processors bring 1.6 times the payments means that each costs a quarter more at most.
 */
export async function measureCores(stage: Stage) {
  const rounds: Record<'one' | 'two', PaymentRound[]> = { one: [], two: [] }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const plan of ['one', 'two'] as const) {
      const measured = await payWith(stage, PLANS[plan])
      rounds[plan].push(measured)
      stage.say(`${plan}: ${measured.payments_per_second} payments/s at ${measured.cpu_ms} ms CPU each`)
    }
  const over = (figure: keyof PaymentRound) =>
    rounded(
      median(rounds.one.map((one, at) => ((rounds.two[at]?.[figure] ?? 0) as number) / ((one[figure] ?? 1) as number))),
      3,
    )
  const quiet = await measureQuiet(stage)
  const speed = over('payments_per_second')
  return {
    scenarios: { ...rounds, quiet },
    ratios: { payments_per_second: speed, cpu_ms: over('cpu_ms'), cpu_ms_server: over('cpu_ms_server') },
    bars: [
      ...(cpus().length >= CORES_FOR_SPEED ? [atLeast('payments_two_vs_one', GAIN, speed)] : []),
      atMost('cpu_two_vs_one', 2 / GAIN, over('cpu_ms')),
      atMost('quiet_parent_of_four_percent', 1, quiet.parent_percent),
    ],
  }
}

async function payWith(
  stage: Stage,
  { processes, words }: { processes: number; words: readonly string[] },
): Promise<PaymentRound> {
  await stage.restart({}, words)
  const connections = CONNECTIONS * processes
  const tokens = stage.merchants.map((merchant) => merchant.token)
  await stage.driver.run({ port: stage.service.port, connections, tokens, requests: WARM_PAYMENTS * processes })
  await untilTestLanded(stage)
  return await payRound(stage, stage.merchants, MEASURED_MS, connections)
}

/** What a parent with four processes uses while nothing happens, in percent of a processor. */
async function measureQuiet(stage: Stage) {
  await stage.restart({}, ['--processes', '4'])
  await sleep(SETTLING_MS)
  const { pid } = stage.service
  const tree = cpuOfTree(pid)
  const before = cpuOf(pid)
  await sleep(QUIET_MS)
  const percent = (seconds: number | null) => rounded(seconds === null ? null : (seconds * 100_000) / QUIET_MS, 3)
  const quiet = {
    parent_percent: percent(since(before, cpuOf(pid))),
    all_percent: percent(since(tree, cpuOfTree(pid))),
  }
  stage.say(`quiet: the parent ${quiet.parent_percent} %, all ${quiet.all_percent} %`)
  return quiet
}
