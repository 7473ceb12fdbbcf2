import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { WholeAuditFilter } from '../actors/read-whole-audit.ts'
import type { Gateway } from '../app.ts'
import { type CsvColumn, csvOf } from '../reports/exports/export-rows.ts'
import type { AuditPlace } from './check-audit.ts'
import { allOfEveryAudit, type PlacedAuditRow } from './read-every-audit.ts'

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
const COLUMNS: readonly CsvColumn<PlacedAuditRow>[] = [
  { name: 'id', cell: ({ id }) => id },
  { name: 'at', cell: ({ at }) => at },
  { name: 'kind', cell: ({ kind }) => kind },
  { name: 'actor', cell: ({ actor }) => actor },
  { name: 'origin', cell: ({ origin }) => origin },
  { name: 'action', cell: ({ action }) => action },
  { name: 'merchant', cell: ({ merchant }) => merchant },
  { name: 'mode', cell: ({ mode }) => mode },
  { name: 'subject', cell: ({ subject }) => subject },
  { name: 'before', cell: ({ before }) => json(before) },
  { name: 'after', cell: ({ after }) => json(after) },
  { name: 'request_id', cell: ({ requestId }) => requestId },
  { name: 'place', cell: ({ place }) => place },
]

/** The rows of these places that fit as a CSV file, the newest 20,000 at most. Audited before the first row is read. Throws 403. */
export async function exportAudit(
  gateway: Gateway,
  actor: Actor,
  { places, filter }: { places: readonly AuditPlace[]; filter: WholeAuditFilter },
): Promise<Buffer> {
  allow(actor, 'audit.export')
  const at = gateway.clock.now()
  const { older: _older, ...after } = filter
  const [only, ...others] = places
  const subject = others.length === 0 ? only?.place : 'all'
  const act = { actor, action: 'audit.export', at, merchantId: null, subject, after } as const
  const row = auditRow(act)
  await gateway.directory.query(row.statement, row.values)
  return Buffer.from(csvOf(COLUMNS, await allOfEveryAudit(places, filter)))
}
