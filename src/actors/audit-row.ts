import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { AuditedAction } from './actions.ts'
import { type Actor, nameOf } from './actor.ts'
import { masked } from './mask.ts'

/** What the audit keeps of an act. `before` and `after` are masked when the row is made. */
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

const ADD = statement(
  'add audit rows',
  `insert into audit (at, actor_kind, actor, origin, request_id, action, merchant_id, mode, subject, before, after)
   select n.at, n.actor_kind, n.actor, n.origin, n.request_id, n.action, n.merchant_id, n.mode, n.subject, n.before, n.after
   from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[],
     $9::text[], $10::jsonb[], $11::jsonb[]) with ordinality
     as n (at, actor_kind, actor, origin, request_id, action, merchant_id, mode, subject, before, after, place)
   order by n.place`,
)

/** The row of one act, to be sent in the transaction of the act: in its cell, or in the directory. */
export const auditRow = (act: Act): Call => rowsOf([act])

/** The rows of a batch, as one statement; nothing where there are none. */
export const auditRows = (acts: readonly Act[]): Call[] => (acts.length === 0 ? [] : [rowsOf(acts)])

const rowsOf = (acts: readonly Act[]): Call =>
  call(
    ADD,
    acts.map(({ at }) => at.toISOString()),
    acts.map(({ actor }) => actor.kind),
    acts.map(({ actor }) => nameOf(actor)),
    acts.map(({ actor }) => actor.origin),
    acts.map(({ actor }) => actor.requestId),
    acts.map(({ action }) => action),
    acts.map(({ merchantId }) => merchantId),
    acts.map(({ mode }) => mode ?? null),
    acts.map(({ subject }) => subject ?? null),
    acts.map(({ before }) => textOf(before)),
    acts.map(({ after }) => textOf(after)),
  )

const textOf = (value: object | null | undefined) => (value == null ? null : JSON.stringify(masked(value)))
