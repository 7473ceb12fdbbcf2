import type { Call } from '../../platform/db/database.ts'
import { bigint, copyInto, jsonb, text, time } from '../../platform/db/wire/copy.ts'
import type { AuditedAction } from './actions.ts'
import { type Actor, actorName } from './actor.ts'
import { maskSecrets } from './mask.ts'

/** An act as the audit stores it. `before` and `after` are masked when the row is made. */
export type AuditAct = {
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

const AUDIT_ROWS = copyInto<AuditAct>('add audit rows', 'audit', {
  at: time(({ at }) => at),
  actor_kind: text(({ actor }) => actor.kind),
  actor: text(({ actor }) => actorName(actor)),
  origin: text(({ actor }) => actor.origin),
  request_id: text(({ actor }) => actor.requestId),
  action: text(({ action }) => action),
  merchant_id: bigint(({ merchantId }) => merchantId),
  mode: text(({ mode }) => mode ?? null),
  subject: text(({ subject }) => subject ?? null),
  before: jsonb(({ before }) => maskedJson(before)),
  after: jsonb(({ after }) => maskedJson(after)),
})

/** Adds the row of one act. Sent in the transaction of the act: in its cell, or in the directory. */
export const auditRow = (act: AuditAct): Call => AUDIT_ROWS.row(act)

/** Adds the rows of many acts in one statement; no call when there are none. */
export const auditRows = (acts: readonly AuditAct[]): Call[] => AUDIT_ROWS.rows(acts)

const maskedJson = (value: object | null | undefined) => (value == null ? null : JSON.stringify(maskSecrets(value)))
