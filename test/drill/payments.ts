import type { Chance } from '../crash/chance.ts'

/** A payment that was acknowledged, and what was seen of its end where that was looked at. In ms of this process. */
type Acknowledged = {
  id: string
  name: string
  way: string
  /** When it was asked for first. */
  askedAt: number
  answeredAt: number
  completedAt: number | null
}
/** Payments that come whether or not they are answered, each repeated under its key until it is. */
export type Payments = {
  acknowledged: readonly Acknowledged[]
  counts: { asked: number; refused: number; unanswered: number }
  /** What was answered with something else than 201 and the wish that it come again, and what was never answered. */
  failed: readonly string[]
  /** The first payment by this way that was acknowledged after `from` and has ended since: when it had. Null when none comes. */
  completedAfter(way: string, from: number): Promise<number | null>
  /** How many calls by this way were answered with 503 or not at all since `from`. */
  setbacks(way: string, from: number): number
  /** The longest time without an acknowledged payment by this way since `from`, in ms. */
  longestGap(way: string, from: number): number
  /** Asks for no more, and waits for the answers to all. */
  stop(): Promise<void>
}

type PaymentOptions = {
  /** The address of the service by each way, and the key of the merchant that is paid. */
  by: Readonly<Record<string, { url: string; key: string }>>
  perSecond: number
  chance: Chance
}

export const AMOUNT = 5000
const CALL_MS = 15_000
// What a call got whose first try a dead server took with it, until its key is given back. It says: retry shortly.
const IN_FLIGHT = /still in flight/
// Longer than any fault of the drill lasts.
const GIVE_UP_MS = 150_000
// As clients that are told to come back do, so that those of a long fault do not all come in the first second after it.
const REPEAT_MS = { least: 2000, most: 8000 }
const LOOK_MS = 20
const LOOKED_AT_EVERY_MS = 200
const COMPLETES_MS = 15_000

export function startPayments({ by, perSecond, chance }: PaymentOptions): Payments {
  const ways = Object.keys(by)
  const at = (way: string) => by[way] ?? { url: '', key: '' }
  const acknowledged: Acknowledged[] = []
  const counts = { asked: 0, refused: 0, unanswered: 0 }
  const failed: string[] = []
  const setbacks: { way: string; at: number }[] = []
  const lookedAt = new Map<string, number>()
  const running = new Set<Promise<void>>()

  async function pay(name: string, way: string): Promise<void> {
    const askedAt = performance.now()
    const giveUpAt = askedAt + GIVE_UP_MS
    const { url, key } = at(way)
    const body = { amount: AMOUNT, channel: 'op1_momo', customer: { phone: '0700000000' }, reference: name }
    while (performance.now() < giveUpAt) {
      const { status, id, text } = await ask(`${url}/v1/charges`, key, { name, body })
      if (status === 201 && id !== null) return acknowledge({ id, name, way, askedAt })
      if (status !== null && status !== 503 && !IN_FLIGHT.test(text))
        return void failed.push(`${name}: ${status} ${text}`)
      counts[status === null ? 'unanswered' : 'refused'] += 1
      setbacks.push({ way, at: performance.now() })
      await pause(chance.whole(REPEAT_MS.least, REPEAT_MS.most))
    }
    failed.push(`${name}: never acknowledged`)
  }

  function acknowledge(payment: Pick<Acknowledged, 'id' | 'name' | 'way' | 'askedAt'>): void {
    const own: Acknowledged = { ...payment, answeredAt: performance.now(), completedAt: null }
    acknowledged.push(own)
    if (own.answeredAt - (lookedAt.get(own.way) ?? 0) < LOOKED_AT_EVERY_MS) return
    lookedAt.set(own.way, own.answeredAt)
    follow(watchEnd(own))
  }

  async function watchEnd(payment: Acknowledged): Promise<void> {
    const giveUpAt = performance.now() + COMPLETES_MS
    const { url, key } = at(payment.way)
    while (performance.now() < giveUpAt) {
      const { text } = await ask(`${url}/v1/charges/${payment.id}`, key)
      if (/"status":"succeeded"/.test(text)) payment.completedAt = performance.now()
      if (payment.completedAt !== null) return
      await pause(LOOK_MS)
    }
  }

  const follow = (work: Promise<void>) => {
    running.add(work)
    void work.finally(() => running.delete(work))
  }
  const timer = setInterval(() => {
    counts.asked += 1
    follow(pay(`drill-${counts.asked}-${chance.whole(0, 1_000_000)}`, ways[counts.asked % ways.length] ?? ''))
  }, 1000 / perSecond)

  return {
    acknowledged,
    counts,
    failed,
    completedAfter: async (way, from) => {
      const giveUpAt = performance.now() + COMPLETES_MS
      while (performance.now() < giveUpAt) {
        const ends = acknowledged.filter((one) => one.way === way && one.answeredAt >= from && one.completedAt !== null)
        if (ends.length > 0) return Math.min(...ends.map(({ completedAt }) => completedAt as number))
        await pause(LOOK_MS)
      }
      return null
    },
    setbacks: (way, from) => setbacks.filter((one) => one.way === way && one.at >= from).length,
    longestGap: (way, from) =>
      longestGap(
        acknowledged.filter((one) => one.way === way),
        from,
      ),
    stop: async () => {
      clearInterval(timer)
      while (running.size > 0) await Promise.all(running)
    },
  }
}

function longestGap(payments: readonly Acknowledged[], from: number): number {
  const moments = payments.map(({ answeredAt }) => answeredAt).filter((at) => at >= from)
  let [longest, last] = [0, from]
  for (const at of [...moments, performance.now()]) {
    longest = Math.max(longest, at - last)
    last = at
  }
  return longest
}

type Answer = { status: number | null; id: string | null; text: string }

/** A POST when there is a body, else a GET. `status` is null when no answer came. */
async function ask(url: string, key: string, post?: { name: string; body: object }): Promise<Answer> {
  try {
    const answer = await fetch(url, {
      method: post === undefined ? 'GET' : 'POST',
      signal: AbortSignal.timeout(CALL_MS),
      headers: {
        authorization: `Bearer ${key}`,
        ...(post === undefined
          ? {}
          : {
              'content-type': 'application/json',
              'x-timestamp': String(Math.floor(Date.now() / 1000)),
              'idempotency-key': post.name,
            }),
      },
      ...(post === undefined ? {} : { body: JSON.stringify(post.body) }),
    })
    const text = await answer.text()
    return { status: answer.status, id: answer.status === 201 ? JSON.parse(text).id : null, text }
  } catch {
    return { status: null, id: null, text: '' }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
