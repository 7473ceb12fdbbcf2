import type { Charge } from '../../../payments/charges/charge.ts'
import { Empty, Money, Section, Status, Time } from '../../parts/parts.tsx'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { HOME } from '../texts/home.ts'
import type { DashboardVisit } from '../visit.ts'

const COLUMNS: readonly ListColumn<Charge>[] = [
  { title: HOME.columns.id, cell: ({ id }) => id },
  { title: HOME.columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: HOME.columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: HOME.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The latest charges; a script keeps reloading them. */
export const LatestCharges = ({ visit, charges }: { visit: DashboardVisit; charges: readonly Charge[] }) => (
  <div data-live={addressWith(visit.to('/'), { part: 'latest' })}>
    <Section title={HOME.latest} aside={<a href={visit.to('/charges')}>{HOME.all}</a>}>
      {charges.length === 0 ? (
        <Empty title={HOME.none}>
          {visit.mode === 'test' ? (
            <a class="button" href={`${visit.to('/charges')}#new`}>
              {HOME.makeOne}
            </a>
          ) : (
            <p>
              {HOME.noneLive} <a href={visit.to('/go-live')}>{HOME.goLive}</a>
            </p>
          )}
        </Empty>
      ) : (
        <Table caption={HOME.latest} rows={charges} columns={COLUMNS} href={({ id }) => visit.to(`/charges/${id}`)} />
      )}
    </Section>
  </div>
)
