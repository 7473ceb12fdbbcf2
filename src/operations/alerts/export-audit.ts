import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { WholeAuditFilter } from '../../api/access/read-whole-audit.ts'
import type { Gateway } from '../../program/app.ts'
import { type CsvColumn, formatCsv } from '../../reports/exports/export-rows.ts'
import type { AuditChain } from './check-audit.ts'
import { type PlacedAuditRow, readAllAudits } from './read-audits.ts'

const formatJson = (value: unknown) => (value === null ? null : JSON.stringify(value))
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
  { name: 'before', cell: ({ before }) => formatJson(before) },
  { name: 'after', cell: ({ after }) => formatJson(after) },
  { name: 'request_id', cell: ({ requestId }) => requestId },
  { name: 'place', cell: ({ place }) => place },
]

/** Writes the newest 20,000 rows at most of these chains as a CSV file. Audited before the first row is read. Throws 403. */
export async function exportAudit(
  gateway: Gateway,
  actor: Actor,
  { chains, filter }: { chains: readonly AuditChain[]; filter: WholeAuditFilter },
): Promise<Buffer> {
  allow(actor, 'audit.export')
  const at = gateway.clock.now()
  const { older: _older, ...after } = filter
  const [only, ...others] = chains
  const subject = others.length === 0 ? only?.place : 'all'
  const row = auditRow({ actor, action: 'audit.export', at, merchantId: null, subject, after })
  await gateway.directory.query(row.statement, row.values)
  return Buffer.from(formatCsv(COLUMNS, await readAllAudits(chains, filter)))
}
