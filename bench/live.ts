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

const EMULATOR = fileURLToPath(new URL('../emulator/main.js', import.meta.url))
const LIVE_MERCHANTS = 50
const ROUNDS = 3
const WARM_MS = 3000
const ROUND_MS = 5000
// Slow enough that the callback, question and webhooks of one payment are over before the next.
const ALONE_PER_SECOND = 20
const CONNECTIONS = 256

/** Live charges against the operator's emulator in its bench profile, in turns with the sandbox (rails.md 6.6). */
export async function measureLive(stage: Stage) {
  const { operator, live } = await liveStage(stage)
  await payRound(stage, stage.merchants, WARM_MS)
  await payRound(stage, live, WARM_MS)
  const rounds = []
  for (let nth = 0; nth < ROUNDS; nth += 1) {
    const sandbox = await payRound(stage, stage.merchants, ROUND_MS)
    const through = await payRound(stage, live, ROUND_MS)
    stage.say(
      `sandbox ${sandbox.payments_per_second}/s at ${sandbox.cpu_ms} ms, live ${through.payments_per_second}/s at ${through.cpu_ms} ms`,
    )
    rounds.push({ sandbox, live: through })
  }
  const alone = await oneAtATime(stage, live, operator)
  const { latencies: _, ...stats } = (await operator.control('GET', 'stats')) as { latencies: unknown }
  const share = median(rounds.map((round) => ratio(round.live.payments_per_second, round.sandbox.payments_per_second)))
  return {
    rounds,
    scenarios: { live_alone: alone, emulator: stats },
    ratios: { live_vs_sandbox: rounded(share) },
    bars: [
      atLeast('live_vs_sandbox', 0.5, rounded(share)),
      atMost('gateway_overhead_p50_ms', 2, alone.overhead_p50_ms),
    ],
  }
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
