import type { Installation } from '../crash/installation.ts'

type Opened = { id: string; subject: string; kind: string; details: unknown; reference: string | null }

const CRITICAL = `select e.id, e.subject, e.kind, e.details, m.rail_reference as reference from (
    select id, subject, kind, details from exceptions where severity = 'critical'
    union all select id, subject, kind, details from platform_exceptions where severity = 'critical') e
  left join (select id, rail_reference from charges where mode = 'live'
    union all select id, rail_reference from payouts where mode = 'live') m on m.id = e.subject`
const PAUSED = `select m.handle, h.mode, h.payouts_paused_by as by from ledger_heads h join merchants m on m.id = h.merchant_id
  where h.payouts_paused_by is not null and h.payouts_paused_by <> all($1::text[])`

/**
 * `paused`: who was called wrong, or is stopped, although the operator was not told to misbehave for that very movement. Open or
 * closed: a critical exception that ever was has stopped somebody's payouts. `unnoticed`: the movements for which it was told to
 * misbehave, and nobody was called.
 */
export async function judgePauses(
  { sql }: Installation,
  misled: ReadonlySet<string>,
): Promise<{ paused: string[]; unnoticed: string[] }> {
  const opened = await sql<Opened>(CRITICAL)
  const innocent = opened.filter(({ reference }) => !misled.has(reference ?? ''))
  const deserved = opened.filter((opened) => !innocent.includes(opened))
  const ids = deserved.map(({ id }) => id)
  const stopped = await sql<{ handle: string; mode: string; by: string }>(PAUSED, [ids])
  const noticed = new Set(deserved.map(({ reference }) => reference))
  return {
    paused: [
      ...innocent.map(({ kind, subject, details }) => `${kind} ${subject} ${JSON.stringify(details)}`),
      ...stopped.map(({ handle, mode, by }) => `${handle} is paused in ${mode} mode by ${by}`),
    ],
    unnoticed: [...misled].filter((reference) => !noticed.has(reference)),
  }
}
