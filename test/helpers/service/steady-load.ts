import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { CHARGE } from './test-service.ts'

/** What became of one request: its status, or the error of its connection. */
export type Sent = { key: string; status: number | null; error: string | null; id: string | null }

/** Charges on a number of kept connections, one after the other on each, until it is stopped. */
export type SteadyLoad = {
  sent: readonly Sent[]
  /** Resolves with all when none is under way any more. */
  stop(): Promise<readonly Sent[]>
}

export function startSteadyLoad(url: string, apiKey: string, connections = 8): SteadyLoad {
  const pool = new Pool(url, { connections, pipelining: 1, keepAliveTimeout: 60_000 })
  const sent: Sent[] = []
  let stopping = false
  const work = async () => {
    while (!stopping) sent.push(await sendCharge(pool, apiKey, randomUUID()))
  }
  const working = Array.from({ length: connections }, work)
  return {
    sent,
    stop: async () => {
      stopping = true
      await Promise.all(working)
      await pool.close()
      return sent
    },
  }
}

/** Sends one charge under this key, once. */
export async function sendCharge(pool: Pool, apiKey: string, key: string): Promise<Sent> {
  try {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v1/charges',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        'x-timestamp': String(Math.floor(Date.now() / 1000)),
      },
      body: JSON.stringify(CHARGE),
    })
    const answer = JSON.parse(await body.text())
    return { key, status: statusCode, error: null, id: answer.id ?? null }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { key, status: null, error: code ?? message, id: null }
  }
}
