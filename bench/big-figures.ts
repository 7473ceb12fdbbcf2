import { settleCharges } from '../src/payments/charges/settle-charges.ts'
import { median, ratio, rounded } from './figures.ts'
import { writeHeld } from './held.ts'
import { untilLanded } from './payments.ts'
import { cpuOfTree, readCpu } from './processes.ts'
import { type BenchMerchant, type Stage, withGateway } from './stage.ts'

/** Processor ms of one piece of work in the small database and in the big one, and the median quotient of the rounds. */
export type Pair = { small: number | null; big: number | null; ratio: number | null }
type Measure = (round: number) => Promise<number | null>

const ROUNDS = 5
const CONNECTIONS = 64
const HELD = 20_000
const POSTED = `select sum(seq)::float8 as seq from ledger_heads where mode = 'test' and merchant_id = any($1)`

/** Measures both sides in turns, in changing order: the machine's speed drifts. The first round only warms up. */
export async function inTurns(small: Measure, big: Measure, rounds = ROUNDS): Promise<Pair> {
  const all: { small: number | null; big: number | null }[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const one: { small: number | null; big: number | null } = { small: null, big: null }
    for (const side of round % 2 === 0 ? (['small', 'big'] as const) : (['big', 'small'] as const))
      one[side] = await (side === 'small' ? small : big)(round)
    if (round > 0) all.push(one)
  }
  return {
    small: rounded(median(all.map((one) => one.small))),
    big: rounded(median(all.map((one) => one.big))),
    ratio: rounded(median(all.map((one) => ratio(one.big, one.small))), 2),
  }
}

/** Processor ms of service and database for one charge, from its request until it is paid and posted. */
export async function paymentCpu(
  stage: Stage,
  merchants: readonly BenchMerchant[],
  ms: number,
): Promise<number | null> {
  const before = await posted(stage, merchants)
  const cpu = readCpu(stage)
  const tokens = merchants.map(({ token }) => token)
  const load = await stage.driver.run({ port: stage.service.port, connections: CONNECTIONS, tokens, ms })
  await untilLanded(stage)
  const used = cpu()
  const accepted = load.statuses['201'] ?? 0
  if (accepted === 0) throw new Error(`no charge was accepted: ${load.refusal}`)
  // The net amount and the fee of each.
  const paid = ((await posted(stage, merchants)) - before) / 2
  if (paid !== accepted) throw new Error(`${accepted} charges were accepted and ${paid} posted`)
  return each(used, accepted)
}

/** Processor ms of service and database for one GET. */
export async function readCpuOf(
  stage: Stage,
  { token }: BenchMerchant,
  { path, requests }: { path: string; requests: number },
): Promise<number | null> {
  const cpu = readCpu(stage)
  const load = await stage.driver.run({
    port: stage.service.port,
    connections: 1,
    tokens: [token],
    requests,
    path,
  })
  if (load.refusal !== null) throw new Error(`GET ${path} was refused: ${load.refusal}`)
  return each(cpu(), requests)
}

/** Processor ms for each of some thousand charges that the sweep releases, this process being the sweep. */
export async function sweepCpu(stage: Stage, holder: BenchMerchant): Promise<number | null> {
  await writeHeld(stage, [{ merchant: holder, charges: HELD }])
  return await withGateway(stage.config, async ({ gateway }) => {
    const [app] = gateway.cells
    if (app === undefined) throw new Error('the stage has no cell')
    const postgres = cpuOfTree(stage.postgres.pid, stage.backend)
    const own = process.cpuUsage()
    const settled = await settleCharges(app)
    const { user, system } = process.cpuUsage(own)
    const after = cpuOfTree(stage.postgres.pid, stage.backend)
    if (settled !== HELD) throw new Error(`${settled} of ${HELD} held charges were released`)
    return each(
      {
        server: (user + system) / 1e6,
        postgres: postgres === null || after === null ? null : after - postgres,
      },
      HELD,
    )
  })
}

async function posted({ db }: Stage, merchants: readonly BenchMerchant[]): Promise<number> {
  return (await db.query(POSTED, [merchants.map(({ id }) => id)])).rows[0].seq
}

const each = ({ server, postgres }: { server: number | null; postgres: number | null }, count: number) =>
  server === null || postgres === null ? null : ((server + postgres) * 1000) / count
