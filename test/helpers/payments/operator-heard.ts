import type { LiveService } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'

/** The stored state of the request about a charge or payout. */
export async function attemptOf(service: TestService, subject: string): Promise<string | undefined> {
  const [row] = await service.rows<{ state: string }>('select state from rail_attempts where subject = $1', [subject])
  return row?.state
}

/** The submits or questions with this reference that reached the operator. */
export const heardOf = (service: LiveService, what: 'submit' | 'question', reference: string) =>
  service.operator.journal.filter((one) => one.what === what && one.reference === reference)

/** Whether the answer to the one submit of this charge or payout is recorded. */
export async function submitAnswered(service: TestService, subject: string): Promise<boolean> {
  const rows = await service.rows(
    `select 1 from rail_evidence e join rail_attempts a on a.id = e.attempt_id
     where a.subject = $1 and e.operation = 'submit'`,
    [subject],
  )
  return rows.length === 1
}
