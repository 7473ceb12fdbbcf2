import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import { allOfAudit, type WholeAuditFilter, type WholeAuditRow } from '../actors/read-whole-audit.ts'
import type { Gateway } from '../app.ts'
import { type CsvColumn, csvOf } from '../reports/exports/export-rows.ts'
import type { AuditPlace } from './check-audit.ts'

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
const COLUMNS: readonly CsvColumn<WholeAuditRow>[] = [
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
]

/** The rows of one place that fit as a CSV file, the newest 20,000 at most. Audited before the first row is read. Throws 403. */
export async function exportAudit(
  gateway: Gateway,
  actor: Actor,
  { place, filter }: { place: AuditPlace; filter: WholeAuditFilter },
): Promise<Buffer> {
  allow(actor, 'audit.export')
  const at = gateway.clock.now()
  const { older: _older, newer: _newer, ...after } = filter
  const act = { actor, action: 'audit.export', at, merchantId: null, subject: place.place, after } as const
  const row = auditRow(act)
  await gateway.directory.query(row.statement, row.values)
  return Buffer.from(csvOf(COLUMNS, await allOfAudit(place.db, filter)))
}
