// Reads clients/cases.json and makes its calls with the TypeScript client.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Gateway, GatewayError } from '../../clients/typescript/src/gateway-client.ts'

type Wanted = Record<string, unknown>

export type Step = {
  call?: string
  count?: string
  stream?: { take: number; cursor?: string; options?: { event?: string[] } }
  id?: string
  body?: unknown
  query?: Wanted
  options?: Wanted
  keep?: string
  expect?: any
  expect_error?: Wanted
  replayed?: boolean
  ignored?: string[]
}

type SignatureCase = {
  name: string
  secret: string | string[]
  headers: Record<string, string>
  body: string
  now: number
  toleranceSeconds?: number
  expect: string
}

export type FakeAnswer = {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  cut?: 'before_answer' | 'in_answer_head' | 'in_answer_body' | 'silence'
  clock_ahead_seconds?: number
}

export type AnswersCase = {
  name: string
  call: string
  options?: Wanted
  answers: FakeAnswer[]
  expect: {
    requests: number
    same_key?: boolean
    key?: string | null
    answer?: unknown
    error?: Wanted
    fresh_timestamp?: boolean
    timestamp_ahead_seconds?: number
  }
}

export type CutCase = { name: string; prepare?: Step[]; call: string; count: string; once: number } & Step

type Cases = {
  signatures: SignatureCase[]
  answers: AnswersCase[]
  service: { name: string; steps: Step[] }[]
  cuts: { places: string[]; calls: CutCase[] }
}

/** A stream that gives nothing is a failure. */
const PATIENCE_MS = 60_000

export const ROOT = join(import.meta.dirname, '..', '..', '..')

export const CASES: Cases = JSON.parse(readFileSync(join(ROOT, 'clients', 'cases.json'), 'utf8'))

/** Makes the call that a case names: `charges.create` with its id, its body or query, and its options. */
export function call(gateway: Gateway, name: string, { id, body, query, options }: Omit<Step, 'call'>): any {
  const path = name.split('.')
  const method = path.pop() as string
  const resource = path.reduce((one: any, part) => one[part], gateway)
  const first = id === undefined ? [] : [id]
  const given = body ?? query
  // A read by its id takes a query before the options.
  const middle = given === undefined && (id === undefined || method === 'waitFor') ? [] : [given]
  return resource[method](...first, ...middle, ...(options === undefined ? [] : [options]))
}

/** Runs the steps of a case, one after the other. */
export async function runSteps(gateway: Gateway, steps: readonly Step[], kept: Wanted = {}): Promise<void> {
  for (const given of steps) {
    const step = filledIn(given, kept) as Step
    const answer = await made(gateway, step)
    if (step.keep !== undefined) kept[step.keep] = answer
  }
}

async function made(gateway: Gateway, step: Step): Promise<unknown> {
  const doing = () => take(gateway, step)
  if (step.expect_error !== undefined) {
    await assert.rejects(doing, (error: unknown) => matchError(error, step.expect_error ?? {}))
    return null
  }
  const answer: any = await doing()
  assertPart(answer, step.expect ?? {})
  if (step.replayed !== undefined) assert.equal(answer.lastResponse.replayed, step.replayed)
  if (step.ignored !== undefined) assert.deepEqual(answer.lastResponse.ignored, step.ignored)
  return answer
}

async function take(gateway: Gateway, step: Step): Promise<unknown> {
  if (step.count !== undefined) return await countRows(gateway, step.count, step.query ?? {})
  if (step.stream !== undefined) return await readStream(gateway, step.stream)
  return await call(gateway, step.call ?? '', step)
}

/** Walks all pages of a list. No id may come twice. */
export async function countRows(gateway: Gateway, list: string, query: Wanted): Promise<number> {
  const ids: string[] = []
  for await (const row of call(gateway, list, { query })) ids.push(row.id)
  assert.equal(new Set(ids).size, ids.length, 'each row once')
  return ids.length
}

async function readStream(gateway: Gateway, { take: most, cursor, options }: NonNullable<Step['stream']>) {
  const items: unknown[] = []
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for await (const item of gateway.webhooks.events(cursor, { ...options, signal } as never))
    if (items.push(item) >= most) break
  return items
}

/** Compares what a client threw with what a case says of it. */
export function matchError(error: unknown, { kind, ...facts }: Wanted): true {
  assert.ok(error instanceof GatewayError, `${error}`)
  if (kind !== undefined) assert.equal(error.name, kind)
  assertPart({ ...error }, facts)
  return true
}

/** What is wanted must be part of what there is: members of objects, and elements from the first one on. */
export function assertPart(actual: any, wanted: unknown, place = 'answer'): void {
  if (typeof wanted !== 'object' || wanted === null)
    assert.deepEqual(actual, wanted, `${place}: ${JSON.stringify(actual)}`)
  else for (const [name, one] of Object.entries(wanted)) assertPart(actual?.[name], one, `${place}.${name}`)
}

/** Puts `{charge.id}` in, of what was kept. */
export function filledIn(value: unknown, kept: Wanted): unknown {
  if (typeof value === 'string') return value.replace(/\{([\w.]+)\}/g, (_, path: string) => String(at(kept, path)))
  if (Array.isArray(value)) return value.map((one) => filledIn(one, kept))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledIn(one, kept)]))
}

const at = (kept: Wanted, path: string) => path.split('.').reduce((one: any, part) => one?.[part], kept)
