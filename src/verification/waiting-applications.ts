import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import type { Gateway } from '../app.ts'
import { type AcrossCells, type AcrossPage, type Around, readAcross } from '../http/across-cells.ts'
import { statement } from '../platform/db/statement.ts'

/** An application that waits for a decision since `at`. */
export type WaitingApplication = {
  at: Date
  key: string
  publicId: string
  name: string
  number: number
}

// Served by the index of submitted applications.
const list = (compare: '>' | '<', order: 'asc' | 'desc') =>
  `select v.submitted_at as at, m.public_id as key, m.public_id as "publicId", m.name, v.number
   from verifications v join merchants m on m.id = v.merchant_id
   where v.state = 'submitted' and (v.submitted_at, m.public_id) ${compare} ($1::timestamptz, $2)
   order by v.submitted_at ${order}, m.public_id ${order} limit $3`

const WAITING: AcrossCells<WaitingApplication> = {
  onward: statement('waiting verifications', list('>', 'asc')),
  back: statement('waiting verifications, back', list('<', 'desc')),
}

/** Lists the applications that wait for a decision, the longest waiting first. */
export function waitingApplications(
  gateway: Gateway,
  actor: Actor,
  around: Around,
): Promise<AcrossPage<WaitingApplication>> {
  allow(actor, 'console.read')
  return readAcross(gateway, WAITING, around)
}
