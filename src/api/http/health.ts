import type { FastifyInstance } from 'fastify'

type Health = {
  version: string
  commit: string | null
  /** Seconds since the start of the process. */
  uptimeSeconds(): number
  /** Checks whether the database answers now; null while the process has no database yet. */
  databaseUp(): Promise<boolean> | null
  /** The reasons why no traffic should come here, in words; empty when ready. */
  notReady(): Promise<string[]>
}

// One check of the database serves all requests within this time.
const ANSWER_KEPT_MS = 250

/** Adds /livez (the process runs), /healthz (its database answers too), /readyz (send traffic here): no key, no limit by key (G2). */
export function addHealthRoutes(server: FastifyInstance, health: Health): void {
  const databaseUp = rememberAnswer(health.databaseUp)
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }
  server.get('/livez', (_request, reply) => {
    reply.headers(headers).send('{"status":"ok"}')
  })
  server.get('/healthz', async (_request, reply) => {
    const up = await databaseUp()
    const body = {
      status: up ? 'ok' : 'degraded',
      database: up ? 'up' : 'down',
      commit: health.commit,
      version: health.version,
      uptime_seconds: Math.floor(health.uptimeSeconds()),
    }
    return reply
      .code(up ? 200 : 503)
      .headers(headers)
      .send(JSON.stringify(body))
  })
  server.get('/readyz', async (_request, reply) => {
    const reasons = [...(await health.notReady()), ...((await databaseUp()) ? [] : ['the database does not answer'])]
    const ready = reasons.length === 0
    return reply
      .code(ready ? 200 : 503)
      .headers(headers)
      .send(JSON.stringify(ready ? { ready } : { ready, reasons }))
  })
}

/** Shares the result of a check for `ANSWER_KEPT_MS`. A null (no database yet) is not kept, so that the end of a start shows at once. */
function rememberAnswer(ask: Health['databaseUp']): () => Promise<boolean> {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<boolean> | null = null
  return async () => {
    if (answer === null || performance.now() - askedAt > ANSWER_KEPT_MS) {
      askedAt = performance.now()
      answer = ask()
    }
    return (await answer) ?? false
  }
}
