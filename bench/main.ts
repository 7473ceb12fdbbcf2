import { parseArgs } from 'node:util'
import { measureCores } from './all-cores.ts'
import { measureBig } from './big.ts'
import { CALLED_ABOUT, measureCallbacks } from './callbacks.ts'
import { measureCells } from './cells.ts'
import { measureDashboard } from './dashboard.ts'
import { measureEmulator } from './emulator.ts'
import { clear } from './endings.ts'
import { measureRest, OTHERS } from './full.ts'
import { measureIdle } from './idle.ts'
import { liveStage, measureLive } from './live.ts'
import { FULL, measureMoney, QUICK } from './money.ts'
import { measureOverload } from './overload.ts'
import { measurePages } from './pages.ts'
import { FULL_PAYOUTS, measurePayouts } from './payouts.ts'
import { PROFILED_NODE, PROFILED_POSTGRES, profilePayments } from './profile.ts'
import { proveLedger } from './prove.ts'
import { describeMachine, writeReport } from './report.ts'
import { measureSearch } from './search.ts'
import { measureSlowRail } from './slow-rail.ts'
import { type BenchMerchant, buildStage, type Stage } from './stage.ts'
import { measureSmallTallies } from './tallies.ts'

// npm run bench [-- overload [merchants|beside|floods|windows]] [-- emulator|cells|cores|live [slow]|search [--charges n]] [-- --quick] [-- --pages] [-- --vending] [-- --big [--charges n]] [-- --json]:
// boots the service on a fresh database and measures it (see CONTRIBUTING.md).
const {
  values: flags,
  positionals: [what, part],
} = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    big: { type: 'boolean' },
    charges: { type: 'string', default: '10000000' },
    pages: { type: 'boolean' },
    vending: { type: 'boolean' },
    json: { type: 'boolean' },
    profile: { type: 'boolean' },
  },
})
const MERCHANTS = 1000
const MERCHANTS_OF_PAGES = 50
const MERCHANTS_OF_OVERLOAD = 120
// A large history takes most of the time: fifty million charges two hours and a half.
const FILL_MS_A_CHARGE = 0.13
const WITHIN_MS = flags.quick ? 180_000 : 2_700_000 + (flags.big ? Number(flags.charges) * FILL_MS_A_CHARGE : 0)

async function measure() {
  const startedAt = performance.now()
  const say = (line: string) => {
    if (flags.json) return
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)
    process.stderr.write(`${seconds} s  ${line}\n`)
  }
  if (what === 'emulator') return measureEmulator(say)
  if (what === 'cells') return measureCells(say)
  if (flags.big) return measureBig(say, Number(flags.charges))
  const profiled = flags.profile ? { nodeFlags: PROFILED_NODE, postgresSettings: PROFILED_POSTGRES } : {}
  const stage = await buildStage({
    say,
    ...merchantsWanted(),
    ...profiled,
  })
  const described = await describeMachine(stage)
  if (flags.profile) return { ...described, ...(await profile(stage)) }
  if (flags.pages && what === 'dashboard') return { ...described, ...(await measureDashboard(stage)) }
  if (flags.pages) return { ...described, ...(await bothSurfaces(stage)) }
  if (flags.vending) return { ...described, ...(await measureVending(stage)) }
  if (what === 'live' && part === 'slow') return { ...described, ...(await measureSlowRail(stage)) }
  if (what === 'live') return { ...described, ...(await measureLive(stage)) }
  if (what === 'cores') return { ...described, ...(await measureCores(stage)) }
  if (what === 'search') return { ...described, ...(await measureSearch(stage, Number(flags.charges))) }
  if (what === 'overload') return { ...described, ...(await measureOverload(stage, part)) }
  const money = await measureMoney(stage, flags.quick ? QUICK : FULL)
  // Before the payouts, because their deliveries would still be sent during this measurement.
  const idle = flags.quick ? null : await measureIdle(stage)
  const pages = flags.quick ? null : await measurePages(stage)
  const payouts = flags.quick ? null : await measurePayouts(stage, FULL_PAYOUTS)
  const rest = idle === null ? null : await measureRest(stage, idle)
  return {
    ...described,
    starts: money.starts,
    scenarios: { ...money.scenarios, ...pages?.scenarios, ...payouts?.scenarios, ...rest?.scenarios },
    ratios: { ...money.ratios, ...payouts?.ratios, ...rest?.ratios },
    bars: [...money.bars, ...(pages?.bars ?? []), ...(payouts?.bars ?? []), ...(rest?.bars ?? [])],
    ...(rest ? { proof: rest.proof } : {}),
    seconds: Math.round((performance.now() - startedAt) / 1000),
  }
}

const profile = async (stage: Stage) =>
  profilePayments(stage, what === 'live' ? (await liveStage(stage)).live : stage.merchants)

function merchantsWanted(): { merchants: number; others?: number } {
  if (flags.pages) return { merchants: MERCHANTS_OF_PAGES }
  if (flags.vending) return { merchants: 1, others: CALLED_ABOUT }
  if (what === 'cores') return { merchants: 400 }
  if (what === 'overload' || what === 'search') return { merchants: MERCHANTS_OF_OVERLOAD }
  return flags.quick ? { merchants: MERCHANTS } : { merchants: MERCHANTS, others: OTHERS }
}

/** The hosted pages and the dashboard, whose merchant no page of the checkout touches. */
async function bothSurfaces(stage: Stage) {
  const hosted = await measurePages(stage)
  const dashboard = await measureDashboard(stage)
  return {
    scenarios: { ...hosted.scenarios, ...dashboard.scenarios },
    bars: [...hosted.bars, ...dashboard.bars],
  }
}

/** Vending alone. Afterwards the ledger is verified, which shows that the seeded rows are as the product would have left them. */
async function measureVending(stage: Stage) {
  const { callbacks, bars } = await measureCallbacks(stage, stage.others)
  const tallies = await measureSmallTallies(stage, stage.merchants[0] as BenchMerchant)
  return {
    scenarios: { callbacks, tallies: tallies.tallies },
    bars: [...bars, ...tallies.bars],
    proof: await proveLedger(stage),
  }
}

let ending: Promise<never> | null = null

/** Ends everything that was started, then this process. Later failures are caused by the ending, so only the first is reported. */
function end(code: number, why = ''): Promise<never> {
  if (ending === null) process.stderr.write(why)
  ending ??= clear().then(() => process.exit(code))
  return ending
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(130))
setTimeout(() => {
  end(1, 'the bench took too long and was ended\n')
}, WITHIN_MS).unref()

measure().then(
  async (report) => {
    await clear()
    process.stdout.write(writeReport(flags.profile ? 'bench-profile' : 'bench', report))
    const broken = ('proof' in report && report.proof?.broken) || []
    await end(broken.length === 0 ? 0 : 1, broken.map((line) => `verify: ${line}\n`).join(''))
  },
  async (error) => {
    await end(1, `${error instanceof Error ? error.stack : error}\n`)
  },
)
