import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, request } from 'undici'
import type { Chance } from '../crash/chance.ts'
import type { Installation, Merchant } from '../crash/installation.ts'
import type { SoakOptions } from './run-soak.ts'

/** A request with the key under which it is repeated. */
export type Order = { path: string; key: string; body: object }

/** All requests of the run, mixed by its seed. */
export function drawWork({ charges, payouts }: SoakOptions, chance: Chance): Order[] {
  const phone = () => `25677${chance.whole(2_000_000, 2_999_999)}`
  const order = (nth: number): Order =>
    nth < charges
      ? {
          ...{ path: '/v1/charges', key: `soak-c${nth}` },
          body: { amount: chance.whole(1000, 5000), channel: 'op1_momo', customer: { phone: phone() } },
        }
      : {
          ...{ path: '/v1/payouts', key: `soak-p${nth}` },
          body: { amount: chance.whole(500, 1000), channel: 'op1_momo', recipient: { phone: phone() } },
        }
  const work = Array.from({ length: charges + payouts }, (_, nth) => ({
    order: order(nth),
    at: chance.next(),
  }))
  return work.sort((a, b) => a.at - b.at).map((one) => one.order)
}

type Client = {
  shop: Merchant
  agent: Agent
  work: Order[]
  /** Whether the next request has to wait. */
  waits(): boolean
  refused: { count: number }
}
const WAIT_MS = 20

/** Sends one request after the other, each with its key until it has an answer that is no trouble of ours. */
export async function client({ shop, agent, work, waits, refused }: Client, installation: Installation): Promise<void> {
  for (let order = work.pop(); order !== undefined; order = work.pop()) {
    while (waits()) await sleep(WAIT_MS)
    for (let tries = 0; ; tries += 1) {
      const { status, text } = await post(installation, shop, agent, order)
      if (status >= 200 && status < 300) break
      // Where the clock of the other side is wrong, ours looks wrong there.
      const isLate = status === 400 && /timestamp/.test(text)
      const again = status === 0 || status === 409 || status === 429 || status >= 500 || isLate
      if (!again || tries > 200) {
        refused.count += 1
        break
      }
      await sleep(Math.min(50 * (tries + 1), 500))
    }
  }
}

export async function post({ url, clock }: Installation, { keys }: Merchant, agent: Agent, { path, key, body }: Order) {
  const headers = {
    ...{ authorization: `Bearer ${keys.live}`, 'content-type': 'application/json', 'idempotency-key': key },
    'x-timestamp': String(Math.floor(clock.nowMs() / 1000)),
  }
  return request(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), dispatcher: agent })
    .then(async (answer) => ({ status: answer.statusCode, text: await answer.body.text() }))
    .catch(() => ({ status: 0, text: '' }))
}
