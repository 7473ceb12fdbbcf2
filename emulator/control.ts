import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Emulator, FaultOptions } from './options.ts'
import { readFault, readRules, readSwitch } from './read-rules.ts'
import type { Calls } from './rules.ts'
import type { StatementOptions } from './statement.ts'

type Input = {
  emulator: Emulator
  body: unknown
  query: URLSearchParams
  /** What stands in the path behind the name of the call. */
  parts: readonly string[]
}
type Fields = Record<string, unknown>
type Handler = (input: Input) => unknown

/** Nothing at this address: a reference that the operator does not know, or a call that there is not. */
class Nothing extends Error {}

const fieldsOf = (body: unknown): Fields => (typeof body === 'object' && body !== null ? (body as Fields) : {})

/** The calls of the control plane, by method and path below `/__emu/` (rails.md 6.6). */
const CALLS: Record<string, Handler> = {
  'PUT rules': ({ emulator, body }) => emulator.setRules(readRules(body)),
  'DELETE rules': ({ emulator }) => emulator.setRules([]),
  'POST clock': async ({ emulator, body }) => {
    await emulator.advance(wholeIn(body, 'advanceMs'))
    return clockOf(emulator)
  },
  'GET clock': ({ emulator }) => clockOf(emulator),
  'GET transactions': ({ emulator, query }) => {
    const [phone, reference] = [query.get('phone'), query.get('ref')]
    const filter = { ...(phone === null ? {} : { phone }), ...(reference === null ? {} : { reference }) }
    return { transactions: emulator.transactions(filter) }
  },
  'POST transactions': tellTransaction,
  'GET oracle': ({ emulator }) => emulator.oracle(),
  'GET journal': ({ emulator, query }) => ({ journal: emulator.journal(query.get('ref') ?? undefined) }),
  'GET callbacks': ({ emulator }) => ({ callbacks: emulator.callbacks() }),
  'GET wallets': ({ emulator }) => emulator.wallets(),
  'PUT wallets': ({ emulator, body, parts: [name] }) => {
    if (name === undefined || !/^(?:collection|disbursement|[0-9]{9,15})$/.test(name))
      throw new Error('a wallet is collection, disbursement or the digits of a phone')
    emulator.setWallet(name, wholeIn(body, 'amount'))
  },
  'GET statement.csv': ({ emulator, query }) => emulator.statement(statementOptions(query)),
  'GET stats': ({ emulator }) => emulator.stats(),
  'GET credentials': ({ emulator }) => {
    const { url, movedUrl, credentials, targetEnvironment, currency } = emulator
    return { url, movedUrl, credentials, targetEnvironment, currency }
  },
  'PUT switches': ({ emulator, body, parts: [name] }) =>
    emulator.switch(readSwitch(decodeURIComponent(name ?? '')), fieldsOf(body).on !== false),
  'POST reset': async ({ emulator }) => {
    await emulator.calm()
    emulator.reset()
  },
  'POST fault': ({ emulator, body }) => emulator.fault(readFault(fieldsOf(body).name), fieldsOf(body) as FaultOptions),
  'DELETE fault': ({ emulator }) => emulator.calm(),
}

const clockOf = ({ clock }: Emulator) => ({ now: new Date(clock.nowMs()).toISOString() })

async function tellTransaction({ emulator, body, parts: [reference = '', what] }: Input): Promise<unknown> {
  if (emulator.transactions({ reference }).length === 0) throw new Nothing(`no transaction ${reference}`)
  if (what === 'callback') await emulator.callback(reference, fieldsOf(body) as Calls)
  else if (what === 'resolve') await emulator.resolve(reference, endIn(fieldsOf(body)))
  else throw new Nothing('a transaction can be resolved or called back about')
  return emulator.transactions({ reference })[0]
}

function endIn({ status, reason }: Fields): { status: 'SUCCESSFUL' | 'FAILED'; reason?: string } {
  if (status !== 'SUCCESSFUL' && status !== 'FAILED') throw new Error('status is SUCCESSFUL or FAILED')
  return { status, ...(reason === undefined ? {} : { reason: String(reason) }) }
}

function wholeIn(body: unknown, field: string): number {
  const value = fieldsOf(body)[field]
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value)
  throw new Error(`${field} is a whole number`)
}

function statementOptions(query: URLSearchParams): StatementOptions {
  const dateIn = (name: string) => {
    const date = new Date(query.get(name) ?? Number.NaN)
    if (Number.isNaN(date.getTime())) throw new Error(`${name} is a date`)
    return date
  }
  const side = query.get('side')
  if (side !== null && side !== 'collection' && side !== 'disbursement')
    throw new Error('side is collection or disbursement')
  const faults = query.get('faults')?.split(',') as StatementOptions['faults']
  return {
    ...(query.has('from') ? { from: dateIn('from') } : {}),
    ...(query.has('to') ? { to: dateIn('to') } : {}),
    ...(side === null ? {} : { side }),
    ...(faults ? { faults } : {}),
  }
}

/** Serves the control plane on a port of its own. */
export async function startControl(
  emulator: Emulator,
  { port, host }: { port: number; host: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(emulator, request, response).catch((error: Error) =>
      send(response, error instanceof Nothing ? 404 : 400, { error: error.message }),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
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
  const [name, ...parts] = url.pathname.replace(/^\/__emu\/?/, '').split('/')
  const handler = CALLS[`${request.method} ${name}`]
  if (handler === undefined) throw new Nothing(`there are ${Object.keys(CALLS).join(', ')}`)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  send(response, 200, await handler({ emulator, body, query: url.searchParams, parts }))
}

function send(response: ServerResponse, status: number, result: unknown): void {
  const isText = typeof result === 'string'
  // A caller who comes back after a pause must not meet a connection that is just being closed.
  const headers = {
    'content-type': isText ? 'text/csv; charset=utf-8' : 'application/json',
    connection: 'close',
  }
  response.writeHead(status, headers)
  response.end(isText ? result : JSON.stringify(result ?? {}))
}
