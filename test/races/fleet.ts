import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, type Installation, type Merchant, makeInstallation } from '../crash/installation.ts'
import { LIVE_PROGRAM, type Running } from '../crash/processes.ts'
import { type Operator, startOperator } from '../fakes/operator.ts'
import { type FakeSupplier, startSupplier } from '../fakes/supplier.ts'
import { FIRST_INSTALLATION, type SECOND_CONTRACT } from '../helpers/service/http-rail.ts'

/** Three web processes and two workers on one database, as behind a load balancer, with a live rail. */
export type Fleet = {
  installation: Installation
  operator: Operator
  /** The operator's second contract, which shares no data with the first. */
  secondOperator: Operator
  /** Every process sends new live movements to this contract from now on. */
  switchTo(contract: Contract): void
  /** The supplier of the machines of `live`. */
  supplier: FakeSupplier
  /** The addresses of the web processes. */
  webs: readonly string[]
  /**
   * `shop` and `other` sell; the money of `held` is held for a day; `slow` has a receiver for the webhook races; `payer` pays
   * others with test money, and `live` pays them with live money that is settled at once.
   */
  merchants: Record<'shop' | 'other' | 'held' | 'slow' | 'payer' | 'live', Merchant>
  /** Starts more processes for one race; they are killed after it. */
  withMore<T>(more: readonly MoreProcesses[], work: (urls: string[], running: Running[]) => Promise<T>): Promise<T>
  end(): Promise<void>
}
type Contract = typeof FIRST_INSTALLATION | typeof SECOND_CONTRACT
type MoreProcesses = { role: 'web' | 'worker'; env?: Record<string, string> }

/** The result of a race: a sentence for each fault, and the figures to print. */
export type Verdict = { wrong: string[]; seen: string }
export type Race = { name: string; run(fleet: Fleet): Promise<Verdict> }

/** How long after its creation a test charge of the fleet ends, on the clock that the races move. */
export const OUTCOME_MS = 5000
/** After this time the operator is asked again about open movements. */
export const QUESTION_MS = 6000
const WEBS = 3
const WORKERS = 2

export async function startFleet(): Promise<Fleet> {
  const supplier = await startSupplier()
  const installation = await makeInstallation({
    SANDBOX_OUTCOME_SECONDS: String(OUTCOME_MS / 1000),
    SUPPLIER_ALLOW_PRIVATE: supplier.place,
  })
  const [operator, secondOperator] = [await startOperator(), await startOperator()]
  const outside = { operator, secondOperator, supplier }
  return peopled({ installation, ...outside }).catch(async (error) => {
    await installation.end()
    await closeAll(outside)
    throw error
  })
}

type Outside = Pick<Fleet, 'operator' | 'secondOperator' | 'supplier'>
const closeAll = (outside: Outside) => Promise.all(Object.values(outside).map((one) => one.close()))

async function peopled({ installation, ...outside }: Outside & Pick<Fleet, 'installation'>): Promise<Fleet> {
  const { operator, secondOperator } = outside
  const [shop, other, held, slow, payer, live] = await Promise.all([
    installation.merchant('race-shop', ['--verified']),
    installation.merchant('race-other'),
    installation.merchant('race-held'),
    installation.merchant('race-slow'),
    installation.merchant('race-payer'),
    installation.merchant('race-live', ['--verified']),
  ])
  await Promise.all([
    installation.command(['sandbox', 'set', held.handle, '--hold', 'realistic']),
    installation.command(['merchants', 'set', live.handle, '--instant-settlement', 'true']),
  ])

  const contractFile = join(installation.dataDir, '..', 'contract')
  const switchTo = (contract: Contract) => {
    // A rename is atomic: a process that reads the file now gets either the old or the new contract.
    writeFileSync(`${contractFile}.new`, contract)
    renameSync(`${contractFile}.new`, contractFile)
  }
  switchTo(FIRST_INSTALLATION)
  async function startOne({ role, env = {} }: MoreProcesses) {
    const port = await freePort()
    const program = { path: LIVE_PROGRAM, args: [operator.url, role, secondOperator.url, contractFile] }
    const running: Running = await installation.startReady({ role, port, env, program })
    return { url: `http://127.0.0.1:${port}`, running }
  }

  const webs = await Promise.all(Array.from({ length: WEBS }, () => startOne({ role: 'web' })))
  await Promise.all(Array.from({ length: WORKERS }, () => startOne({ role: 'worker' })))
  return {
    installation,
    ...outside,
    switchTo,
    webs: webs.map(({ url }) => url),
    merchants: { shop, other, held, slow, payer, live },
    withMore: async (more, work) => {
      const started = await Promise.all(more.map(startOne))
      try {
        return await work(
          started.map(({ url }) => url),
          started.map(({ running }) => running),
        )
      } finally {
        await Promise.all(started.map(({ running }) => running.kill()))
      }
    },
    end: async () => {
      await installation.end()
      await closeAll(outside)
    },
  }
}

export type Reply = {
  status: number
  text: string
  replayed: boolean
  retryAfter: string | null
  sentAt: number
}

export const webOf = (fleet: Fleet, nth: number) => fleet.webs[nth % fleet.webs.length] as string

let keys = 0
/** A key that no earlier request has used. */
export const newKey = (race: string) => `${race}-${process.pid}-${++keys}`

/** A charge that succeeds. */
export const CHARGE = { amount: 5000, channel: 'op1_momo', customer: { phone: '0700000000' } }

type Request = { method?: 'GET' | 'POST'; path?: string; apiKey: string; key?: string; body?: object }

/** One request to one web process, a POST unless stated. Every waiting request has its own connection. */
export async function sendTo(
  fleet: Fleet,
  url: string,
  { method = 'POST', path = '/v1/charges', apiKey, key, body = {} }: Request,
): Promise<Reply> {
  const sentAt = performance.now()
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'x-timestamp': String(Math.floor(fleet.installation.clock.nowMs() / 1000)),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: method === 'GET' ? null : JSON.stringify(body),
  })
  return {
    sentAt,
    status: response.status,
    text: await response.text(),
    replayed: response.headers.get('idempotent-replayed') === 'true',
    retryAfter: response.headers.get('retry-after'),
  }
}

export const post = (fleet: Fleet, url: string, request: Omit<Request, 'method'>): Promise<Reply> =>
  sendTo(fleet, url, request)

/** Shed with an invitation to retry under the same key: this breaks no race, and a small machine sheds load early. */
export const isTooBusy = ({ status, retryAfter }: Reply) => status === 503 && retryAfter !== null

/** Repeats the request until the process is not too busy: for races in which every request must be processed. */
export async function postUntilJudged(...request: Parameters<typeof post>): Promise<Reply> {
  for (;;) {
    const reply = await post(...request)
    if (!isTooBusy(reply)) return reply
  }
}

/** How many answers there were of each kind, for the table. */
export function countKinds(replies: readonly Reply[]): string {
  const counts = new Map<string, number>()
  for (const { status, replayed, text } of replies) {
    const kind = replayed ? `${status} replay` : status === 409 ? `409 ${textOf409(text)}` : `${status}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts]
    .sort()
    .map(([kind, count]) => `${count} x ${kind}`)
    .join(', ')
}

const textOf409 = (text: string) => (text.includes('still in flight') ? 'in flight' : 'other body')
