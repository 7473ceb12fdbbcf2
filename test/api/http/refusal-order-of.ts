import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import type { Reply } from '../../helpers/service/test-service.ts'
import { assertRefused, type Refused } from './refused.ts'

export type Request = {
  headers: Record<string, string | undefined>
  body: any
  query?: string
  collections?: boolean
}
export type Fault<State = never> = {
  name: string
  expected: Refused
  /** Two faults of one kind cannot stand in one request. */
  kind: string
  spoil?(request: Request): void
  /** What lies in the merchant, the platform or the operator and not in the request. */
  state?: State
}
type Faults<State> = readonly Fault<State>[]
type Asked<State> = {
  /** Makes what these faults need beside the request. */
  prepare?(faults: Faults<State>): Promise<unknown>
  send(faults: Faults<State>): Promise<Reply>
  /** One text over everything that must not be written. */
  digest(): Promise<string>
}

export const header = (name: string, value: string | undefined) => (request: Request) => {
  request.headers[name] = value
}
export const field = (name: string, value: unknown) => (request: Request) => {
  request.body[name] = value
}
/** The same of a field inside a field. */
export const fieldOf = (owner: string, name: string, value: unknown) => (request: Request) => {
  request.body[owner] = { ...request.body[owner], [name]: value }
}

/** A request with this body that these faults have spoiled. */
export function requestWith<State>(
  faults: Faults<State>,
  body: object | undefined,
  key: string = randomUUID(),
): Request {
  const request: Request = { headers: { 'idempotency-key': key }, body: structuredClone(body) }
  for (const { spoil } of faults) spoil?.(request)
  return request
}

/** The tests of faults that stand in the order in which they must be reported. */
export function testOrder<State>(faults: Faults<State>, asked: Asked<State>): void {
  for (const first of faults)
    test(`${first.name} is reported before everything that comes after it`, () =>
      assertReported([first], faults, asked))
}

/** The same in one test. */
export const assertOrder = <State>(faults: Faults<State>, asked: Asked<State>): Promise<void> =>
  assertReported(faults, faults, asked)

/** Each of the first is reported before all that stand behind it, and nothing is written. */
async function assertReported<State>(firsts: Faults<State>, faults: Faults<State>, asked: Asked<State>) {
  const requests = firsts.flatMap((first) => requestsBehind(first, faults))
  for (const request of requests) await asked.prepare?.(request)
  const before = await asked.digest()
  for (const request of requests) {
    const because = request.map(({ name }) => name).join(', ')
    assertRefused(await asked.send(request), (request[0] as Fault).expected, { because })
  }
  assert.equal(await asked.digest(), before, 'zero writes')
}

/** This fault with one of every later kind, as often as it takes to meet each later fault once. */
function requestsBehind<State>(first: Fault<State>, faults: Faults<State>): Fault<State>[][] {
  const later = faults.slice(faults.indexOf(first) + 1).filter(({ kind }) => kind !== first.kind)
  const kinds = [...new Set(later.map(({ kind }) => kind))].map((one) => later.filter(({ kind }) => kind === one))
  const rounds = Math.max(1, ...kinds.map(({ length }) => length))
  return Array.from({ length: rounds }, (_, round) => [
    first,
    ...kinds.map((kind) => kind[round % kind.length] as Fault<State>),
  ])
}
