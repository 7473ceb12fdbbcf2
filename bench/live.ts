import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { createMerchant } from '../src/merchants/account/create-merchant.ts'
import { BY_HAND } from '../test/helpers/service/actors.ts'
import { atEnd } from './endings.ts'
import { median, ratio, rounded } from './figures.ts'
import { payRound } from './payments.ts'
import { atLeast, atMost } from './report.ts'
import { freePort } from './service.ts'
import { type BenchMerchant, type Stage, withGateway, withNumbers } from './stage.ts'
import { openReceivers, setAddresses } from './webhooks.ts'

const EMULATOR = fileURLToPath(new URL('../emulator/main.js', import.meta.url))
const LIVE_MERCHANTS = 50
const ROUNDS = 3
const WARM_MS = 3000
const ROUND_MS = 5000
// Slow enough that the callback, question and webhooks of one payment are over before the next.
const ALONE_PER_SECOND = 20
const CALLERS = 64
const CONNECTIONS = 256

/**
 * Live charges against the operator's emulator in its bench profile, in turns with the sandbox (rails.md 6.6): what one costs, also with
 * a receiver for each merchant, whether the ends keep up with many callers, and one alone.
 */
export async function measureLive(stage: Stage) {
  const { receivers, ports, allowed } = await openReceivers({ healthy: LIVE_MERCHANTS, silent: 0 })
  const { operator, live } = await liveStage(stage, { WEBHOOK_ALLOW_PRIVATE: allowed.join(',') })
  await payRound(stage, stage.merchants, WARM_MS)
  await payRound(stage, live, WARM_MS)
  const rounds = await roundsOf(stage, live, CALLERS)
  const crowded = await roundsOf(stage, live, CONNECTIONS)
  const alone = await oneAtATime(stage, live, operator)
  await setAddresses(stage, live, { ports: ports.healthy, allowed })
  await payRound(stage, live, WARM_MS, CALLERS)
  const received = await roundsOf(stage, live, CALLERS)
  receivers.kill('SIGKILL')
  const { latencies: _, ...stats } = (await operator.control('GET', 'stats')) as { latencies: unknown }
  const cpu = median(rounds.map(({ live: { cpu_ms } }) => cpu_ms))
  const cpuReceived = median(received.map(({ live: { cpu_ms } }) => cpu_ms))
  const kept = median(
    crowded.map(({ live: { payments_per_second: ended, accepted_per_second } }) => ratio(ended, accepted_per_second)),
  )
  const share = median(rounds.map((round) => ratio(round.live.payments_per_second, round.sandbox.payments_per_second)))
  const wal = median(rounds.map(({ wal_bytes }) => wal_bytes))
  return {
    rounds,
    scenarios: { with_256_callers: crowded, with_receivers: received, live_alone: alone, emulator: stats },
    ratios: { live_vs_sandbox: rounded(share), ended_vs_accepted: rounded(kept) },
    bars: [
      atMost('live_cpu_ms', 1, rounded(cpu, 3)),
      atMost('live_cpu_ms_with_receivers', 1.25, rounded(cpuReceived, 3)),
      atLeast('ended_vs_accepted', 0.95, rounded(kept)),
      atMost('live_alone_p50_ms', 5.5, alone.post_p50_ms),
      atMost('live_wal_bytes', 9500, rounded(wal, 0)),
    ],
  }
}

/** Rounds of the sandbox and of live charges in turns, with what a live one writes to the log of the database. */
async function roundsOf(stage: Stage, live: readonly BenchMerchant[], callers: number) {
  const rounds = []
  for (let nth = 0; nth < ROUNDS; nth += 1) {
    const sandbox = await payRound(stage, stage.merchants, ROUND_MS, callers)
    const before = await walPosition(stage)
    const through = await payRound(stage, live, ROUND_MS, callers)
    const walBytes = ((await walPosition(stage)) - before) / (through.payments ?? 1)
    stage.say(
      `${callers} callers: sandbox ${sandbox.payments_per_second}/s at ${sandbox.cpu_ms} ms, live ${through.payments_per_second}/s of ${through.accepted_per_second}/s at ${through.cpu_ms} ms`,
    )
    rounds.push({ sandbox, live: through, wal_bytes: rounded(walBytes, 0) })
  }
  return rounds
}

async function walPosition({ db }: Stage): Promise<number> {
  const { rows } = await db.query(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as at`)
  return rows[0].at
}

/** Merchants with live keys, and a service with a contract with the emulator. */
export async function liveStage(
  stage: Stage,
  settings: Record<string, string> = {},
): Promise<{ operator: Operator; live: BenchMerchant[] }> {
  const operator = await startOperator()
  const live = await liveMerchants(stage)
  const file = join(stage.dataDir, '..', 'op1.json')
  await writeContract(file, stage, operator)
  await stage.restart({ ...settings, OP1_INSTALLATIONS: file })
  stage.say('the service has a contract with the emulator')
  return { operator, live }
}

/** What a live charge costs when nothing else is under way, beside what the emulator itself takes for a request. */
async function oneAtATime(stage: Stage, live: readonly BenchMerchant[], operator: Operator) {
  const tokens = live.slice(0, 1).map(({ token }) => token)
  const load = await stage.driver.run({
    port: stage.service.port,
    connections: 1,
    perSecond: ALONE_PER_SECOND,
    tokens,
    ms: ROUND_MS,
  })
  const sandboxTokens = stage.merchants.slice(0, 1).map(({ token }) => token)
  const sandbox = await stage.driver.run({
    port: stage.service.port,
    connections: 1,
    perSecond: ALONE_PER_SECOND,
    tokens: sandboxTokens,
    ms: ROUND_MS,
  })
  const times: number[] = []
  for (let nth = 0; nth < 500; nth += 1) {
    const startedAt = performance.now()
    await (await request(`${operator.url}/nothing`)).body.dump()
    times.push(performance.now() - startedAt)
  }
  const emulator = median(times) ?? 0
  return {
    post_p50_ms: rounded(load.p50Ms, 2),
    emulator_p50_ms: rounded(emulator, 2),
    commit_p50_ms: rounded(await commitMs(stage), 2),
    sandbox_post_p50_ms: rounded(sandbox.p50Ms, 2),
    overhead_p50_ms: rounded(load.p50Ms === null ? null : load.p50Ms - emulator, 2),
  }
}

/** What this machine takes to make one small transaction durable: a live charge waits for two of them, a sandbox one for one. */
async function commitMs({ db }: Stage): Promise<number | null> {
  await db.query('create table if not exists commits_of_bench (at timestamptz)')
  const times: number[] = []
  for (let nth = 0; nth < 300; nth += 1) {
    const startedAt = performance.now()
    await db.query('insert into commits_of_bench values (now())')
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

type Operator = {
  url: string
  control(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<unknown>
}

async function startOperator(): Promise<Operator> {
  const ports = ['--port', String(await freePort()), '--control-port', String(await freePort())]
  const child = spawn(process.execPath, [EMULATOR, ...ports, '--profile', 'bench'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atEnd(async () => {
    child.kill('SIGTERM')
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith('credentials')) break
  }
  const find = (word: string) =>
    lines.map((line) => new RegExp(`^${word} +(http\\S+)`).exec(line)?.[1]).find(Boolean) ?? ''
  const control = find('control')
  return {
    url: find('operator'),
    control: async (method, path, body) => {
      const answer = await request(`${control}/${path}`, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return answer.body.json()
    },
  }
}

async function writeContract(file: string, { service }: Stage, operator: Operator): Promise<void> {
  const { credentials, targetEnvironment } = (await operator.control('GET', 'credentials')) as {
    credentials: object
    targetEnvironment: string
  }
  const callback = { base: `http://127.0.0.1:${service.port}/inbound/op1` }
  const entry = { id: 'bench', baseUrl: operator.url, targetEnvironment, ...credentials, callback }
  writeFileSync(file, JSON.stringify([{ ...entry, statusPerSecond: null, submitConnections: CONNECTIONS }]))
}

const liveMerchants = (stage: Stage): Promise<BenchMerchant[]> =>
  withGateway(stage.config, async ({ gateway }) => {
    const made: BenchMerchant[] = []
    for (let nth = 0; nth < LIVE_MERCHANTS; nth += 1) {
      const name = `Live ${nth}`
      const merchant = await createMerchant(gateway, BY_HAND, {
        ...{ name, email: `live${nth}@shops.invalid`, verified: true },
      })
      made.push({ id: 0, publicId: merchant.id, tag: '', token: merchant.keys.live })
    }
    return withNumbers(gateway, made)
  })
