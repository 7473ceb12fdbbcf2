import { findAny, type Hit } from '../../investigation/find-any.ts'
import { isPart } from '../../investigation/search/list-payments.ts'
import { FieldBox } from '../../pages/form.tsx'
import { Empty, Money, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { tagIn } from '../../platform/ids.ts'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'

const { search } = PAYMENTS
const { columns } = search

const COLUMNS: readonly Column<Hit>[] = [
  { title: columns.id, cell: ({ id }) => id },
  { title: columns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: columns.status, cell: ({ status }) => <Status word={status} /> },
  { title: columns.business, cell: ({ business }) => <bdi>{shown(business)}</bdi> },
  { title: columns.mode, cell: ({ mode }) => mode },
  { title: columns.phone, cell: ({ phone }) => <Said text={phone} /> },
  { title: columns.reference, cell: ({ reference }) => <Said text={reference} /> },
  { title: columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** What one text finds, over all merchants. The only hit is opened at once. */
export async function showSearch(visit: ConsoleVisit): Promise<Shown> {
  const text = visit.query.q ?? ''
  const found = await findAny(visit.gateway, visit.caller, text)
  if (found.kind === 'payment') return { kind: 'redirect', to: visit.to(`/payments/${found.id}`) }
  if (found.kind === 'merchant') return { kind: 'redirect', to: visit.to(`/merchants/${found.id}`) }
  // Nothing is called exactly so: it may be a part of something. A whole id is none.
  const parts = addressWith(visit.to('/payments'), { q: text })
  if (found.hits.length === 0 && isPart(text) && tagIn(text.trim()) === null)
    return { kind: 'redirect', to: parts }
  return shownPage(
    search.title,
    <>
      <h1>{search.title}</h1>
      <form class="form compact" action={visit.to('/search')}>
        <FieldBox field={{ name: 'q', label: search.box }} id="wanted" value={text} fault={null} />
        <button type="submit" class="button">
          {search.submit}
        </button>
      </form>
      {found.hits.length === 0 ? (
        <Empty title={text === '' ? search.teach : search.nothing(shown(text))}>
          <p>{text === '' ? search.exact : search.teach}</p>
        </Empty>
      ) : (
        <Section title={search.title_hits}>
          <Table
            caption={search.title_hits}
            rows={found.hits}
            columns={COLUMNS}
            href={({ id }) => visit.to(`/payments/${id}`)}
          />
          <p>
            <a href={parts}>{search.parts(shown(text))}</a>
          </p>
        </Section>
      )}
    </>,
  )
}
