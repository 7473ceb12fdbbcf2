import { type AuditEntry, parseAuditPart, readAuditAsStaff } from '../../../api/access/read-audit.ts'
import { getMerchant } from '../../../merchants/account/set-merchant.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { AuditDetails } from '../../parts/audit-details.tsx'
import { column } from '../../parts/columns.tsx'
import { Empty } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'

const { audit } = MERCHANTS

const AUDIT_PARTS = ['acts', 'looks', 'all'] as const
const COLUMNS: readonly ListColumn<AuditEntry>[] = [
  column.time(audit.at, ({ at }) => at),
  column.text(audit.who, ({ actor, kind }) => actor ?? kind),
  { title: audit.what, cell: ({ action }) => <code>{action}</code> },
  column.text(audit.about, ({ subject }) => subject),
  { title: audit.mode, cell: ({ mode }) => mode },
  column.text(audit.origin, ({ origin }) => origin),
  { title: audit.details, cell: (entry) => <AuditDetails title={audit.details} entry={entry} /> },
]

/** A table of acts about a merchant, with who did them. */
export const AuditTable = ({ entries }: { entries: readonly AuditEntry[] }) =>
  entries.length === 0 ? <Empty title={audit.none} /> : <Table caption={audit.title} rows={entries} columns={COLUMNS} />

/** Shows everything that was done about a merchant, by its people and by our staff. */
export async function showMerchantAudit(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, params, query } = visit
  const { app, merchant } = await getMerchant(gateway, params.id)
  const chosenPart = parseAuditPart(query.of, 'acts')
  const { entries, older, newer } = await readAuditAsStaff(app, caller, {
    merchantId: merchant.id,
    filter: {
      part: chosenPart,
      action: null,
      actor: null,
      older: query.after ?? null,
      newer: query.before ?? null,
    },
  })
  const title = audit.of(oneLine(merchant.name))
  const here = visit.to(`/merchants/${merchant.publicId}/audit`)
  return pageReply(
    title,
    <>
      <h1>{title}</h1>
      <p>
        <a href={visit.to(`/merchants/${merchant.publicId}`)}>{merchant.publicId}</a>
      </p>
      <nav class="tabs" aria-label={audit.title}>
        {AUDIT_PARTS.map((part) => (
          <a href={addressWith(here, { of: part })} aria-current={part === chosenPart ? 'true' : undefined}>
            {audit.parts[part]}
          </a>
        ))}
      </nav>
      <AuditTable entries={entries} />
      <Pager cursors={{ newer, older }} query={query} here={here} />
    </>,
  )
}
