import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Emulator } from './emulator.ts'
import { type FaultName, GENERAL_FAULTS, RULE_FAULTS } from './faults.ts'
import type { Rule } from './rules.ts'

type Input = {
  emulator: Emulator
  body: Record<string, unknown> | undefined
  query: URLSearchParams
  parts: readonly string[]
}
type Handler = (input: Input) => unknown

const date = (text: string | null) => (text === null ? undefined : new Date(text))

/** The calls of the control plane, by method and path below `/__emu/` (rails.md 6.6). */
const CALLS: Record<string, Handler> = {
  'PUT rules': ({ emulator, body }) => emulator.setRules((body ?? []) as unknown as Rule[]),
  'DELETE rules': ({ emulator }) => emulator.setRules([]),
  'POST clock': ({ emulator, body }) => emulator.advance(Number(body?.advanceMs)),
  'GET clock': ({ emulator }) => ({ now: new Date(emulator.clock.nowMs()).toISOString() }),
  'POST transactions': ({ emulator, body, parts }) => {
    const [, reference = '', what] = parts
    return what === 'resolve'
      ? emulator.resolve(reference, body as Parameters<Emulator['resolve']>[1])
      : emulator.callback(reference, body ?? {})
  },
  'GET transactions': ({ emulator, query }) => ({
    transactions: emulator.transactions({
      ...(query.get('phone') === null ? {} : { phone: query.get('phone') as string }),
      ...(query.get('ref') === null ? {} : { reference: query.get('ref') as string }),
    }),
  }),
  'GET oracle': ({ emulator }) => emulator.oracle(),
  'GET journal': ({ emulator, query }) => ({ journal: emulator.journal(query.get('ref') ?? undefined) }),
  'GET wallets': ({ emulator }) => emulator.wallets(),
  'PUT wallets': ({ emulator, body, parts }) => emulator.setWallet(parts[1] ?? '', Number(body?.amount)),
  'GET statement.csv': ({ emulator, query }) => {
    const faults = query.get('faults')?.split(',') as never
    return emulator.statement({
      ...(query.has('from') ? { from: date(query.get('from')) as Date } : {}),
      ...(query.has('to') ? { to: date(query.get('to')) as Date } : {}),
      ...(faults ? { faults } : {}),
    })
  },
  'GET stats': ({ emulator }) => emulator.stats(),
  'GET credentials': ({ emulator }) => ({
    credentials: emulator.credentials,
    targetEnvironment: emulator.targetEnvironment,
    currency: emulator.currency,
  }),
  'POST reset': ({ emulator }) => emulator.reset(),
  'POST fault': ({ emulator, body }) => {
    const name = String(body?.name)
    if (!(name in RULE_FAULTS) && !GENERAL_FAULTS.some((one) => one === name))
      throw new Error(`there is no fault called ${name}`)
    return emulator.fault(name as FaultName, body)
  },
}

/** Serves the control plane on a port of its own. */
export async function startControl(
  emulator: Emulator,
  { port, host }: { port: number; host: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(emulator, request, response).catch((error: Error) => {
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: error.message }))
    })
  })
  await new Promise<void>((resolve) => server.listen(port, host, () => resolve()))
  return {
    url: `http://${host}:${(server.address() as { port: number }).port}/__emu`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(emulator: Emulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://emulator')
  const parts = url.pathname.replace(/^\/__emu\/?/, '').split('/')
  const handler = CALLS[`${request.method} ${parts[0]}`]
  if (handler === undefined) {
    response.writeHead(404).end()
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>)
  const result = await handler({ emulator, body, query: url.searchParams, parts })
  const isText = typeof result === 'string'
  response.writeHead(200, { 'content-type': isText ? 'text/csv' : 'application/json' })
  response.end(isText ? result : JSON.stringify(result ?? {}))
}
