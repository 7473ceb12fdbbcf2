import { randomUUID } from 'node:crypto'
import test from 'node:test'
import type { Refused } from './refused.ts'

export type Request = { headers: Record<string, string | undefined>; body: any; collections?: boolean }
export type Fault<State> = {
  name: string
  expected: Refused
  /** Two faults of one kind cannot stand in one request. */
  kind: string
  spoil?(request: Request): void
  /** What lies in the merchant, the platform or the operator and not in the request. */
  state?: State
}
/** Sends one request with these faults, and asserts that it hears the first of them and that nothing is written. */
type Refuse<State> = (faults: readonly Fault<State>[], because: string) => Promise<void>

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
export function requestWith<State>(faults: readonly Fault<State>[], body: object): Request {
  const request: Request = { headers: { 'idempotency-key': randomUUID() }, body: structuredClone(body) }
  for (const { spoil } of faults) spoil?.(request)
  return request
}

/** The tests of faults that stand in the order in which they must be reported. */
export function testOrder<State>(faults: readonly Fault<State>[], refuseWith: Refuse<State>): void {
  for (const [at, first] of faults.entries())
    test(`${first.name} is reported before everything that comes after it`, async () => {
      const later = faults.slice(at + 1).filter((other) => other.kind !== first.kind)
      for (const second of later.length > 0 ? later : [first])
        await refuseWith([first, second], `with ${second.name}`)
    })

  test('with every fault at once they come out one by one, each as the one before it is put right', async () => {
    const left = faults.filter((fault, at) => faults.findIndex(({ kind }) => kind === fault.kind) === at)
    for (; left.length > 0; left.shift()) await refuseWith(left, `${left.length} faults`)
  })
}
