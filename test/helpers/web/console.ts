import { createHash, randomBytes } from 'node:crypto'
import type { StaffRole } from '../../../src/api/access/actor.ts'
import { newId, newTag } from '../../../src/platform/text/ids.ts'
import type { Clock } from '../../../src/platform/time/clock.ts'
import type { TestService } from '../service/test-service.ts'
import { type Browser, browserOf } from './browser.ts'

export const OPERATOR_ROLES: readonly StaffRole[] = ['support', 'risk', 'finance', 'admin']
type Served = Pick<TestService, 'rows' | 'url'> & { clock: Pick<Clock, 'now'> }
export type PlantedOperator = Browser & {
  email: string
  personId: number
  publicId: string
  sessionId: string
  role: StaffRole
}

/**
 * A browser in which an operator is signed in, without the cost of a password and a factor: for tests of what comes after the sign-in.
 * `steppedUpMs`: how long ago the factor was given; null: never.
 */
export async function operatorSignedIn(
  service: Served,
  role: StaffRole,
  { steppedUpMs = 0 }: { steppedUpMs?: number | null } = {},
): Promise<PlantedOperator> {
  const publicId = newId('per_', newTag())
  const email = `${role}-${publicId.slice(-6)}@gateway.invalid`
  const [person] = await service.rows<{ id: number }>(
    `insert into people (public_id, realm, name, email, email_key, confirmed_at, created_at, operator_role)
     values ($1, 'operator', $2, $3, $3, $4, $4, $5) returning id`,
    [publicId, `Test ${role}`, email, service.clock.now().toISOString(), role],
  )
  if (!person) throw new Error('the operator was planted')
  await service.rows(
    `insert into directory.audit (at, actor, action, subject, after) values ($1, 'a test', 'upgrade.record', $2, $3)`,
    [service.clock.now().toISOString(), publicId, { role }],
  )
  const session = await plantSession(service, person.id, steppedUpMs)
  return { ...session, email, personId: person.id, publicId, role }
}

async function plantSession(service: Served, personId: number, steppedUpMs: number | null) {
  const token = randomBytes(32).toString('base64url')
  const now = service.clock.now()
  const sessionId = newId('ses_', newTag())
  await service.rows(
    `insert into sessions (id, hash, person_id, stage, stepped_up_at, agent, address, created_at, seen_at, ends_at)
     values ($1, $2, $3, 'in', $4, 'a test', '127.0.0.1', $5, $5, $5::timestamptz + interval '8 hours')`,
    [
      sessionId,
      createHash('sha256').update(token).digest(),
      personId,
      steppedUpMs === null ? null : new Date(now.getTime() - steppedUpMs).toISOString(),
      now.toISOString(),
    ],
  )
  const browser = browserOf(service)
  browser.keep(`console=${token}; Path=/`)
  return { ...browser, sessionId }
}
