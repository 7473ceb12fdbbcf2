import type { Approval } from '../../approvals/approval.ts'
import { type ApprovalList, findApprovals } from '../../approvals/find-approvals.ts'
import { Count } from '../../pages/frame.tsx'
import { Empty, Said, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, Pager, Table } from '../../pages/table.tsx'
import { APPROVALS } from '../texts/approvals.ts'
import type { ConsoleVisit } from '../visit.ts'
import { approvalsOf, countShown } from '../waiting.ts'
import { About } from './in-words.tsx'

const { columns, lists } = APPROVALS
const ROWS = 25
const LISTS = Object.keys(lists) as ApprovalList[] // Typed by its keys.

const columnsFor = (visit: ConsoleVisit): readonly Column<Approval>[] => [
  { title: columns.what, cell: ({ kind }) => APPROVALS.kinds[kind] },
  { title: columns.about, cell: (approval) => <About visit={visit} approval={approval} /> },
  { title: columns.by, cell: ({ askedName }) => <Said text={askedName} /> },
  { title: columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: columns.at, cell: ({ askedAt }) => <Time at={askedAt} /> },
  {
    title: columns.until,
    cell: ({ expiresAt, waitsForMoney }) =>
      waitsForMoney ? APPROVALS.detail.forMoney : <Time at={expiresAt} />,
  },
]

/** Chooses the list to open with: what waits for this person, or else what this person has asked for. */
const firstOf = ({ waiting }: ConsoleVisit): ApprovalList =>
  approvalsOf(waiting, 'for-me') === 0 && approvalsOf(waiting, 'by-me') > 0 ? 'by-me' : 'for-me'

/** Shows the approvals that wait for this person, that this person has asked for, or that are decided. */
export async function showApprovals(visit: ConsoleVisit): Promise<Shown> {
  const { gateway, caller, query } = visit
  const list = LISTS.find((listName) => listName === query.list) ?? firstOf(visit)
  const window = { after: query.after, before: query.before, limit: ROWS }
  const page = await findApprovals(gateway, { list, personId: caller.personId }, window)
  const here = visit.to('/approvals')
  return shownPage(
    APPROVALS.title,
    <>
      <h1>{APPROVALS.title}</h1>
      <p class="quiet">{APPROVALS.lead}</p>
      <nav class="tabs" aria-label={APPROVALS.title}>
        {LISTS.map((listName) => (
          <a
            href={addressWith(here, { list: listName })}
            aria-current={listName === list ? 'true' : undefined}
          >
            {lists[listName]}{' '}
            {listName !== 'decided' && <Count of={countShown(approvalsOf(visit.waiting, listName))} />}
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
          columns={columnsFor(visit)}
          href={({ id }) => visit.to(`/approvals/${id}`)}
        />
      )}
      <Pager cursors={page} query={{ list }} here={here} />
    </>,
  )
}
