import { mayDo } from '../../actors/allow.ts'
import { Empty, Said, Section, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Pager, Table } from '../../pages/table.tsx'
import { type EndingDocument, endingDocuments } from '../../verification/document-expiry.ts'
import { type WaitingApplication, waitingApplications } from '../../verification/waiting-applications.ts'
import { VERIFICATION } from '../texts/verification.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, ending } = VERIFICATION
const HOUR_MS = 3_600_000

const columnsAt = (now: Date): readonly Column<WaitingApplication>[] => [
  { title: columns.name, cell: ({ name }) => <Said text={name} /> },
  { title: columns.since, cell: ({ at }) => <Time at={at} /> },
  {
    title: columns.age,
    cell: ({ at }) => VERIFICATION.age(Math.floor((now.getTime() - at.getTime()) / HOUR_MS)),
  },
  { title: columns.number, cell: ({ number }) => number, figures: true },
]
const ENDING: readonly Column<EndingDocument>[] = [
  { title: ending.business, cell: ({ business }) => <Said text={business} /> },
  { title: ending.document, cell: ({ kind }) => kind },
  { title: ending.on, cell: ({ expiresOn }) => expiresOn },
  { title: ending.told, cell: ({ toldAt }) => <Time at={toldAt} /> },
]

/** Shows the applications that wait for a decision, and the documents that expire soon. */
export async function showQueue(visit: ConsoleVisit): Promise<Shown> {
  const { gateway, caller, query } = visit
  const [{ rows, newer, older }, expiringByCell] = await Promise.all([
    waitingApplications(gateway, caller, { after: query.after ?? null, before: query.before ?? null }),
    Promise.all(gateway.cells.map(endingDocuments)),
  ])
  const here = visit.to('/verification')
  const toReview = (id: string) => visit.to(`/verification/${id}`)
  const expiring = expiringByCell.flat()
  const mayReview = mayDo(visit.caller, 'verification.read')
  return shownPage(
    VERIFICATION.title,
    <>
      <h1>{VERIFICATION.title}</h1>
      <p>{VERIFICATION.lead}</p>
      {rows.length === 0 ? (
        <Empty title={VERIFICATION.empty}>
          <p>{VERIFICATION.emptySays}</p>
        </Empty>
      ) : (
        <Table
          caption={VERIFICATION.title}
          rows={rows}
          columns={columnsAt(visit.now)}
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
            columns={ENDING}
            {...(mayReview ? { href: ({ merchant }: (typeof expiring)[number]) => toReview(merchant) } : {})}
          />
        )}
      </Section>
    </>,
  )
}
