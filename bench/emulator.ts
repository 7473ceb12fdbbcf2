import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { atEnd } from './endings.ts'
import { atLeast, atMost } from './report.ts'
import { freePort } from './service.ts'

const PROGRAM = fileURLToPath(new URL('../emulator/main.js', import.meta.url))
const CONNECTIONS = 64
const WARM = 5000
const EACH = 40_000
/** The emulator must never be what a measurement of live mode measures (rails.md 6.6). */
const LEAST_A_SECOND = 5000
const LATEST_LOOP_MS = 20
/** A rate at which the loop of the emulator is looked at: about what live mode asks of it. */
const STEADY_A_SECOND = 5000
const STEADY_SECONDS = 4
const SLICE_MS = 10

type Operator = { url: string; control: string }

/** The emulator alone, as a process of its own in its bench profile: payments and questions a second. */
export async function measureEmulator(say: (line: string) => void) {
  const operator = await startOperator()
  const caller = await openCaller(operator)
  await flood(WARM, caller.pay)
  const posts = await flood(EACH, caller.pay)
  const questions = await flood(EACH, caller.ask)
  say(`the emulator: ${posts} payments/s, ${questions} questions/s`)
  await fetch(`${operator.control}/reset`, { method: 'POST' })
  await steadily(caller.pay)
  const { perSecond, cpuShare, loopDelayP99Ms } = await statsOf(operator)
  say(`at ${perSecond}/s: CPU share ${cpuShare.toFixed(2)}, loop delay p99 ${loopDelayP99Ms.toFixed(1)} ms`)
  return {
    emulator: { posts_a_second: posts, questions_a_second: questions, cpu_share_at_steady_rate: cpuShare },
    bars: [
      atLeast('emulator_posts_a_second', LEAST_A_SECOND, posts),
      atLeast('emulator_questions_a_second', LEAST_A_SECOND, questions),
      atMost('emulator_loop_delay_p99_ms', LATEST_LOOP_MS, loopDelayP99Ms),
    ],
  }
}

async function startOperator(): Promise<Operator> {
  const ports = ['--port', '0', '--control-port', String(await freePort())]
  const child = spawn(process.execPath, [PROGRAM, '--profile', 'bench', ...ports])
  atEnd(() => child.kill())
  child.stderr.pipe(process.stderr)
  const found: Record<string, string> = {}
  for await (const line of createInterface(child.stdout)) {
    const [name = ''] = line.split(' ')
    found[name] = /http:\S+/.exec(line)?.[0] ?? ''
    if (name === 'seed') break
  }
  return { url: found.operator ?? '', control: found.control ?? '' }
}

const statsOf = async ({ control }: Operator) =>
  (await (await fetch(`${control}/stats`)).json()) as {
    perSecond: number
    cpuShare: number
    loopDelayP99Ms: number
  }

async function openCaller({ url, control }: Operator) {
  const { credentials, targetEnvironment, currency } = (await (await fetch(`${control}/credentials`)).json()) as any
  const { subscriptionKey, user, secret } = credentials.collection
  const pool = new Pool(url, { connections: CONNECTIONS })
  atEnd(() => pool.destroy())
  const common = { 'ocp-apim-subscription-key': subscriptionKey, 'x-target-environment': targetEnvironment }
  const basic = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
  const asked = {
    path: '/collection/token/',
    method: 'POST' as const,
    headers: { ...common, authorization: basic },
  }
  const { access_token: token } = (await (await pool.request(asked)).body.json()) as { access_token: string }
  const headers = { ...common, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const path = '/collection/v1_0/requesttopay'
  const references: string[] = []
  let next = 0
  return {
    async pay() {
      const reference = randomUUID()
      const payer = { partyIdType: 'MSISDN', partyId: '256772000001' }
      const body = JSON.stringify({
        amount: '500',
        currency,
        externalId: reference,
        payer,
        payeeNote: 'bench',
      })
      const own = { ...headers, 'x-reference-id': reference }
      await expect(202, await pool.request({ path, method: 'POST', headers: own, body }))
      references.push(reference)
    },
    async ask() {
      next = (next + 1) % references.length
      await expect(200, await pool.request({ path: `${path}/${references[next]}`, method: 'GET', headers }))
    },
  }
}

async function expect(status: number, answer: Awaited<ReturnType<Pool['request']>>): Promise<void> {
  await answer.body.dump()
  if (answer.statusCode !== status) throw new Error(`the emulator answered ${answer.statusCode}`)
}

/** So many calls over all connections: calls a second. */
async function flood(calls: number, call: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  let left = calls
  const worker = async () => {
    for (; left > 0; ) {
      left -= 1
      await call()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  return Math.round(calls / ((performance.now() - startedAt) / 1000))
}

/** Calls at an even rate, in small slices. */
async function steadily(call: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  let sent = 0
  const pending = new Set<Promise<void>>()
  for (let ms = 0; ms < STEADY_SECONDS * 1000; ms = performance.now() - startedAt) {
    for (; sent < (ms / 1000) * STEADY_A_SECOND; sent += 1) {
      const one = call().finally(() => pending.delete(one))
      pending.add(one)
    }
    await new Promise((resolve) => setTimeout(resolve, SLICE_MS))
  }
  await Promise.all(pending)
}
