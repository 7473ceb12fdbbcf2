import type { Approval } from '../../../operations/approvals/approval.ts'
import { type ApprovalList, listApprovals } from '../../../operations/approvals/find-approvals.ts'
import { column } from '../../parts/columns.tsx'
import { WaitingCount } from '../../parts/frame.tsx'
import { Empty, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { APPROVALS } from '../texts/approvals.ts'
import type { ConsoleVisit } from '../visit.ts'
import { countApprovals, formatCount } from '../work-overview.ts'
import { CommandSubject } from './command-words.tsx'

const { columns, lists } = APPROVALS
const ROWS_PER_PAGE = 25
const LIST_NAMES = Object.keys(lists) as ApprovalList[] // Typed by its keys.

const buildColumns = (visit: ConsoleVisit): readonly ListColumn<Approval>[] => [
  { title: columns.what, cell: ({ kind }) => APPROVALS.kinds[kind] },
  { title: columns.about, cell: (approval) => <CommandSubject visit={visit} approval={approval} /> },
  column.text(columns.by, ({ askedName }) => askedName),
  column.status(columns.status, ({ status }) => status),
  column.time(columns.at, ({ askedAt }) => askedAt),
  {
    title: columns.until,
    cell: ({ expiresAt, waitsForMoney }) => (waitsForMoney ? APPROVALS.detail.forMoney : <Time at={expiresAt} />),
  },
]

/** Chooses the list to open with: what waits for this person, or else what this person has asked for. */
const chooseFirstList = ({ waiting }: ConsoleVisit): ApprovalList =>
  countApprovals(waiting, 'for-me') === 0 && countApprovals(waiting, 'by-me') > 0 ? 'by-me' : 'for-me'

/** Shows the approvals that wait for this person, that this person has asked for, or that are decided. */
export async function showApprovals(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { gateway, caller, query } = visit
  const list = LIST_NAMES.find((listName) => listName === query.list) ?? chooseFirstList(visit)
  const window = { after: query.after, before: query.before, limit: ROWS_PER_PAGE }
  const page = await listApprovals(gateway, { list, personId: caller.personId }, window)
  const here = visit.to('/approvals')
  return pageReply(
    APPROVALS.title,
    <>
      <h1>{APPROVALS.title}</h1>
      <p class="quiet">{APPROVALS.lead}</p>
      <nav class="tabs" aria-label={APPROVALS.title}>
        {LIST_NAMES.map((listName) => (
          <a href={addressWith(here, { list: listName })} aria-current={listName === list ? 'true' : undefined}>
            {lists[listName]}{' '}
            {listName !== 'decided' && <WaitingCount of={formatCount(countApprovals(visit.waiting, listName))} />}
          </a>
        ))}
      </nav>
      {page.rows.length === 0 ? (
        <Empty title={APPROVALS.empty[list]}>
          <p>{APPROVALS.emptySays}</p>
        </Empty>
      ) : (
        <Table
          caption={lists[list]}
          rows={page.rows}
          columns={buildColumns(visit)}
          href={({ id }) => visit.to(`/approvals/${id}`)}
        />
      )}
      <Pager cursors={page} query={{ list }} here={here} />
    </>,
  )
}
