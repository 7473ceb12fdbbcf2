import { mayDo } from '../../../api/access/allow.ts'
import { type ExpiringDocument, readExpiringDocuments } from '../../../merchants/verification/document-expiry.ts'
import {
  listWaitingApplications,
  type WaitingApplication,
} from '../../../merchants/verification/waiting-applications.ts'
import { reachedCells } from '../../../platform/db/cell-watch.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { CONSOLE_VERIFICATION_TEXTS } from '../texts/verification.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, ending } = CONSOLE_VERIFICATION_TEXTS
const HOUR_MS = 3_600_000

const buildQueueColumns = (now: Date): readonly ListColumn<WaitingApplication>[] => [
  column.text(columns.name, ({ name }) => name),
  column.time(columns.since, ({ at }) => at),
  {
    title: columns.age,
    cell: ({ at }) => CONSOLE_VERIFICATION_TEXTS.age(Math.floor((now.getTime() - at.getTime()) / HOUR_MS)),
  },
  { title: columns.number, cell: ({ number }) => number, figures: true },
]
const EXPIRING_COLUMNS: readonly ListColumn<ExpiringDocument>[] = [
  column.text(ending.business, ({ business }) => business),
  { title: ending.document, cell: ({ kind }) => kind },
  { title: ending.on, cell: ({ expiresOn }) => expiresOn },
  column.time(ending.told, ({ toldAt }) => toldAt),
]

/** Shows the applications that wait for a decision, and the documents that expire soon. */
export async function showQueue(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const [{ rows, newer, older }, expiringByCell] = await Promise.all([
    listWaitingApplications(gateway, caller, { after: query.after ?? null, before: query.before ?? null }),
    Promise.all(reachedCells(gateway).map(readExpiringDocuments)),
  ])
  const here = visit.to('/verification')
  const toReview = (id: string) => visit.to(`/verification/${id}`)
  const expiring = expiringByCell.flat()
  const mayReview = mayDo(visit.caller, 'verification.read')
  return pageReply(
    CONSOLE_VERIFICATION_TEXTS.title,
    <>
      <h1>{CONSOLE_VERIFICATION_TEXTS.title}</h1>
      <p>{CONSOLE_VERIFICATION_TEXTS.lead}</p>
      {rows.length === 0 ? (
        <Empty title={CONSOLE_VERIFICATION_TEXTS.empty}>
          <p>{CONSOLE_VERIFICATION_TEXTS.emptySays}</p>
        </Empty>
      ) : (
        <Table
          caption={CONSOLE_VERIFICATION_TEXTS.title}
          rows={rows}
          columns={buildQueueColumns(visit.now)}
          {...(mayReview ? { href: ({ publicId }: (typeof rows)[number]) => toReview(publicId) } : {})}
        />
      )}
      <Pager cursors={{ newer, older }} query={query} here={here} oldestFirst />
      <Section title={ending.title}>
        <p class="quiet">{ending.lead}</p>
        {expiring.length === 0 ? (
          <p class="quiet">{ending.none}</p>
        ) : (
          <Table
            caption={ending.title}
            rows={expiring}
            columns={EXPIRING_COLUMNS}
            {...(mayReview ? { href: ({ merchant }: (typeof expiring)[number]) => toReview(merchant) } : {})}
          />
        )}
      </Section>
    </>,
  )
}
