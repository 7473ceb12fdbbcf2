import { randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'
import type { Product } from '../../emulator/book.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../emulator/emulator.ts'

export type Heard = { status: number; body: any; text: string; headers: Record<string, unknown> }
type Call = {
  headers?: Record<string, string | undefined>
  body?: unknown
  url?: string
  waitMs?: number
}

/** A client of the operator that knows nothing of ours: it says what a test tells it, and shows what it heard. */
export type Partner = {
  product: Product
  references: string[]
  call(method: string, path: string, call?: Call): Promise<Heard>
  token(): Promise<string>
  pay(changes?: Record<string, unknown>, call?: Call & { reference?: string }): Promise<Heard & { reference: string }>
  ask(reference: string, call?: Call): Promise<Heard>
}

const OPERATION = { collection: 'requesttopay', disbursement: 'transfer' } as const

/** How long a caller waits for an answer, and one who tests silence. */
const PATIENT_MS = 10_000
const IMPATIENT_MS = 400
/** No connection is kept, so that each request shows what the operator does with a connection. */
const agent = new Agent({
  pipelining: 0,
  connectTimeout: 700,
  maxResponseSize: 300_000,
})

async function send(url: string, method: string, { headers = {}, body, waitMs = PATIENT_MS }: Call): Promise<Heard> {
  const bytes = body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body)
  const kept = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
  const answer = await request(url, {
    method: method as 'GET',
    headers: kept,
    body: bytes,
    dispatcher: agent,
    headersTimeout: waitMs,
    bodyTimeout: waitMs,
  })
  const text = await answer.body.text()
  const isJson = text.startsWith('{')
  return { status: answer.statusCode, text, body: isJson ? JSON.parse(text) : null, headers: answer.headers }
}

export function partnerOf(
  emulator: Emulator,
  product: Product = 'collection',
  own = emulator.credentials[product],
): Partner {
  let bearer: string | null = null
  const base = {
    'ocp-apim-subscription-key': own.subscriptionKey,
    'x-target-environment': emulator.targetEnvironment,
  }
  const basic = `Basic ${Buffer.from(`${own.user}:${own.secret}`).toString('base64')}`
  const references: string[] = []
  const partner: Partner = {
    product,
    references,
    call: async (method, path, { url = emulator.url, headers, ...call } = {}) =>
      send(`${url}${path}`, method, { headers: { ...base, ...headers }, ...call }),
    token: async () => {
      const { body } = await partner.call('POST', `/${product}/token/`, { headers: { authorization: basic } })
      return body.access_token as string
    },
    pay: async (changes = {}, { reference = randomUUID(), headers, ...call } = {}) => {
      bearer ??= await partner.token()
      references.push(reference)
      const common = {
        authorization: `Bearer ${bearer}`,
        'x-reference-id': reference,
        'content-type': 'application/json',
      }
      const heard = await partner.call('POST', `/${product}/v1_0/${OPERATION[product]}`, {
        body: paymentBody(emulator, product, changes),
        headers: { ...common, ...headers },
        ...call,
      })
      return { ...heard, reference }
    },
    ask: async (reference, call = {}) => {
      bearer ??= await partner.token()
      const headers = { authorization: `Bearer ${bearer}`, ...call.headers }
      return partner.call('GET', `/${product}/v1_0/${OPERATION[product]}/${reference}`, { ...call, headers })
    },
  }
  return partner
}

export const paymentBody = (
  { currency }: Pick<Emulator, 'currency'>,
  product: Product,
  changes: Record<string, unknown> = {},
) => ({
  ...{ amount: '500', currency, externalId: 'txn_1', payerMessage: 'Shop', payeeNote: 'txn_1' },
  [product === 'collection' ? 'payer' : 'payee']: { partyIdType: 'MSISDN', partyId: '256772000001' },
  ...changes,
})

export const partyOf = (product: Product, partyId: string) => ({
  [product === 'collection' ? 'payer' : 'payee']: { partyIdType: 'MSISDN', partyId },
})

/** An operator for one test, in virtual time. */
export async function withOperator(
  options: EmulatorOptions,
  work: (emulator: Emulator, partner: Partner) => Promise<void>,
): Promise<void> {
  const emulator = await startEmulator({ clock: 'virtual', statusCap: null, ...options })
  try {
    await work(emulator, partnerOf(emulator))
  } finally {
    await emulator.close()
  }
}

/** The status of an answer and the word by which it is known. */
export const codeOf = ({ status, body, text }: Heard) => [status, body?.code ?? body?.error ?? body?.message ?? text]

/** What a caller hears of one payment: status and word of an answer, or the code of an error. */
export async function outcomeOf(
  partner: Partner,
  changes: Record<string, unknown> = {},
): Promise<{ hears: unknown[]; reference: string }> {
  const reference = randomUUID()
  const hears = await partner
    .pay(changes, { reference, waitMs: IMPATIENT_MS })
    .then(codeOf, ({ code, name }) => [code ?? name])
  return { hears, reference }
}
