import type { Chance } from '../../crash/chance.ts'

/** A payment that the service has acknowledged, and between which moments (ms, of this machine's clock). */
type Acknowledged = { id: string; askedAt: number; answeredAt: number }
export type PaymentFlow = {
  acknowledged: readonly Acknowledged[]
  /** How long answers took that came between two moments, in ms: how many, the middle, and all but one in a hundred. */
  latency(from: number, to: number): { count: number; p50: number; p99: number }
  /** Resolves when so many more have been acknowledged. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

type FlowOptions = { url: string; key: string; chance: Chance; clients: number }

const HURRY_MS = 20
const CALL_MS = 15_000

/** Sends charges and payouts of test money, one after the other from several clients, until it is stopped. What fails is not acknowledged. */
export function startFlow({ url, key, chance, clients }: FlowOptions): PaymentFlow {
  const acknowledged: Acknowledged[] = []
  let stopped = false
  const client = async (nth: number) => {
    for (let turn = 0; !stopped; turn += 1) {
      const name = `drill-${nth}-${turn}-${chance.whole(0, 1_000_000)}`
      const phone = `070000${String(chance.whole(1000, 9999))}`
      const isPayout = turn > 5 && chance.whole(1, 4) === 1
      const body = isPayout
        ? { amount: 1000, channel: 'op1_momo', recipient: { phone, name: 'Drill' }, reference: name }
        : { amount: 5000, channel: 'op1_momo', customer: { phone: '0700000000' }, reference: name }
      const askedAt = Date.now()
      const id = await send(`${url}/v1/${isPayout ? 'payouts' : 'charges'}`, { key, name, body })
      if (id !== null) acknowledged.push({ id, askedAt, answeredAt: Date.now() })
      else await new Promise((resolve) => setTimeout(resolve, HURRY_MS))
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, nth) => client(nth)))
  return {
    acknowledged,
    latency: (from, to) => summarize(acknowledged.filter(({ answeredAt }) => answeredAt >= from && answeredAt <= to)),
    more: async (count) => {
      const wanted = acknowledged.length + count
      while (acknowledged.length < wanted && !stopped) await new Promise((resolve) => setTimeout(resolve, HURRY_MS))
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}

async function send(url: string, { key, name, body }: { key: string; name: string; body: object }) {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      signal: AbortSignal.timeout(CALL_MS),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-timestamp': String(Math.floor(Date.now() / 1000)),
        'idempotency-key': name,
      },
      body: JSON.stringify(body),
    })
    const { id } = (await answer.json()) as { id?: string }
    return answer.status === 201 && id !== undefined ? id : null
  } catch {
    return null
  }
}

function summarize(answers: readonly Acknowledged[]) {
  const ms = answers.map(({ askedAt, answeredAt }) => answeredAt - askedAt).sort((a, b) => a - b)
  const at = (share: number) => ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? 0
  return { count: ms.length, p50: at(0.5), p99: at(0.99) }
}
