import type { StatusHow } from '../../fakes/operator.ts'
import { gate } from '../database/gate.ts'
import { heardOf } from '../payments/operator-heard.ts'
import { eventually, type LiveService } from './live-service.ts'
import type { TestService } from './test-service.ts'

const LEASE_MS = 30_000

type Asking = {
  service: LiveService
  second: TestService
  sweep: 'follow-charges' | 'follow-top-ups' | 'send-payouts'
  movement: { id: string; rail_reference: string }
  /** What the operator answers to the first question, late, and to the next one at once. */
  first: StatusHow
  next: StatusHow
}

/**
 * The first question about a movement hangs longer than its worker's lease; meanwhile a second worker asks and gets an answer.
 * Call the returned function to let the operator answer the first question.
 */
export async function askTwice({ service, second, sweep, movement, first, next }: Asking) {
  const late = gate()
  service.operator.onQuestion((nth) => (nth === 1 ? { ...first, until: late.opened } : next), movement.id)
  service.pass(5000)
  const slow = service.run(sweep)
  const heard = () => heardOf(service, 'question', movement.rail_reference).length
  await eventually('the first question is asked', () => heard() === 1)
  service.pass(LEASE_MS + 1000)
  await second.run(sweep)
  return async (): Promise<void> => {
    late.open()
    await slow
  }
}
