import type { FastifyInstance } from 'fastify'

/** `up`: payments can be stored. `away`: what of it does not answer, a sentence each; all other merchants are served. */
export type DatabaseState = { up: boolean; away: readonly string[] }

type Health = {
  version: string
  commit: string | null
  /** Seconds since the start of the process. */
  uptimeSeconds(): number
  /** Looks what of the database answers now; null while the process has no database yet. */
  database(): Promise<DatabaseState> | null
  /** The reasons why no traffic should come here, in words; empty when ready. */
  notReady(): Promise<string[]>
}

// One check of the database serves all requests within this time.
const ANSWER_KEPT_MS = 250

/** Adds /livez (the process runs), /healthz (its database answers too), /readyz (send traffic here): no key, no limit by key (G2). */
export function addHealthRoutes(server: FastifyInstance, health: Health): void {
  const database = rememberAnswer(health.database)
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }
  server.get('/livez', (_request, reply) => {
    reply.headers(headers).send('{"status":"ok"}')
  })
  server.get('/healthz', async (_request, reply) => {
    const { up } = await database()
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
    const { up, away } = await database()
    const reasons = [...(await health.notReady()), ...(up ? [] : ['the database does not answer'])]
    const ready = reasons.length === 0
    // A part that is away is no reason to send nothing here: another process would not reach it either.
    const named = away.length === 0 ? {} : { away }
    return reply
      .code(ready ? 200 : 503)
      .headers(headers)
      .send(JSON.stringify(ready ? { ready, ...named } : { ready, reasons, ...named }))
  })
}

/** Shares the result of a check for `ANSWER_KEPT_MS`. A null (no database yet) is not kept, so that the end of a start shows at once. */
function rememberAnswer(ask: Health['database']): () => Promise<DatabaseState> {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<DatabaseState> | null = null
  return async () => {
    if (answer === null || performance.now() - askedAt > ANSWER_KEPT_MS) {
      askedAt = performance.now()
      answer = ask()
    }
    return (await answer) ?? { up: false, away: [] }
  }
}
