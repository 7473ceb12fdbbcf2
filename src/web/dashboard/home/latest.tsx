import type { Charge } from '../../../payments/charges/charge.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, Section } from '../../parts/parts.tsx'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { mayAsk } from '../ask/ask-form.tsx'
import { HOME } from '../texts/home.ts'
import type { DashboardVisit } from '../visit.ts'

const COLUMNS: readonly ListColumn<Charge>[] = [
  column.person(HOME.columns.customer, ({ phone, email }) => ({ phone, name: email })),
  column.what(HOME.columns.what, ({ reference }) => reference),
  column.amount(HOME.columns.amount, ({ amount }) => amount),
  column.state(HOME.columns.status, 'charge', (charge) => charge),
  column.when(HOME.columns.created, ({ createdAt }) => createdAt),
]

/** The latest charges; a script keeps reloading them. */
export const LatestCharges = ({ visit, charges }: { visit: DashboardVisit; charges: readonly Charge[] }) => (
  <div data-live={addressWith(visit.to('/'), { part: 'latest' })}>
    <Section title={HOME.latest} aside={<a href={visit.to('/charges')}>{HOME.all}</a>}>
      {charges.length === 0 ? (
        <Empty title={HOME.none}>
          {visit.mode === 'live' && (
            <p>
              {HOME.noneLive} <a href={visit.to('/go-live')}>{HOME.goLive}</a>
            </p>
          )}
          {visit.mode === 'test' && mayAsk(visit) && (
            <a class="button" href={visit.to('/ask')}>
              {HOME.makeOne}
            </a>
          )}
        </Empty>
      ) : (
        <Table caption={HOME.latest} rows={charges} columns={COLUMNS} href={({ id }) => visit.to(`/charges/${id}`)} />
      )}
    </Section>
  </div>
)
