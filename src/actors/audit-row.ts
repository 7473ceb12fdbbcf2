import { bigint, copyInto, jsonb, text, time } from '../platform/db/copy.ts'
import type { Call } from '../platform/db/database.ts'
import type { AuditedAction } from './actions.ts'
import { type Actor, nameOf } from './actor.ts'
import { masked } from './mask.ts'

/** An act as the audit stores it. `before` and `after` are masked when the row is made. */
export type Act = {
  actor: Actor
  action: AuditedAction
  at: Date
  /** Null where the act is not about one merchant. */
  merchantId: number | null
  mode?: 'test' | 'live' | null
  /** The id of what was acted on. */
  subject?: string | null
  before?: object | null
  after?: object | null
}

const ACTS = copyInto<Act>('add audit rows', 'audit', {
  at: time(({ at }) => at),
  actor_kind: text(({ actor }) => actor.kind),
  actor: text(({ actor }) => nameOf(actor)),
  origin: text(({ actor }) => actor.origin),
  request_id: text(({ actor }) => actor.requestId),
  action: text(({ action }) => action),
  merchant_id: bigint(({ merchantId }) => merchantId),
  mode: text(({ mode }) => mode ?? null),
  subject: text(({ subject }) => subject ?? null),
  before: jsonb(({ before }) => textOf(before)),
  after: jsonb(({ after }) => textOf(after)),
})

/** Adds the row of one act. Sent in the transaction of the act: in its cell, or in the directory. */
export const auditRow = (act: Act): Call => ACTS.row(act)

/** Adds the rows of many acts in one statement; no call when there are none. */
export const auditRows = (acts: readonly Act[]): Call[] => ACTS.rows(acts)

const textOf = (value: object | null | undefined) => (value == null ? null : JSON.stringify(masked(value)))
