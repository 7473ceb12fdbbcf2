import { findAny, type SearchHit } from '../../../operations/investigation/find-any.ts'
import { isSearchable } from '../../../operations/investigation/search/list-payments.ts'
import { parseTagOfAnyPrefix } from '../../../platform/text/ids.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { FieldBox } from '../../parts/forms/field-box.tsx'
import { Empty, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleVisit } from '../visit.ts'

const { search } = PAYMENTS
const { columns } = search

const COLUMNS: readonly ListColumn<SearchHit>[] = [
  { title: columns.id, cell: ({ id }) => id },
  column.money(columns.amount, ({ amount }) => amount),
  column.status(columns.status, ({ status }) => status),
  { title: columns.business, cell: ({ business }) => <bdi>{oneLine(business)}</bdi> },
  { title: columns.mode, cell: ({ mode }) => mode },
  column.text(columns.phone, ({ phone }) => phone),
  column.text(columns.reference, ({ reference }) => reference),
  column.time(columns.created, ({ createdAt }) => createdAt),
]

/** Shows what a text finds over all merchants. A single hit is opened at once. */
export async function showSearch(visit: ConsoleVisit): Promise<SurfaceReply> {
  const text = visit.query.q ?? ''
  const result = await findAny(visit.gateway, visit.caller, text)
  if (result.kind === 'payment') return { kind: 'redirect', to: visit.to(`/payments/${result.id}`) }
  if (result.kind === 'merchant') return { kind: 'redirect', to: visit.to(`/merchants/${result.id}`) }
  // Without an exact match the text may be a part of a name or number, but never a whole id.
  const searchByParts = addressWith(visit.to('/payments'), { q: text })
  if (result.hits.length === 0 && isSearchable(text) && parseTagOfAnyPrefix(text.trim()) === null)
    return { kind: 'redirect', to: searchByParts }
  return pageReply(
    search.title,
    <>
      <h1>{search.title}</h1>
      <form class="form compact" action={visit.to('/search')}>
        <FieldBox field={{ name: 'q', label: search.box }} id="wanted" value={text} fault={null} />
        <button type="submit" class="button">
          {search.submit}
        </button>
      </form>
      {result.hits.length === 0 ? (
        <Empty title={text === '' ? search.teach : search.nothing(oneLine(text))}>
          <p>{text === '' ? search.exact : search.teach}</p>
        </Empty>
      ) : (
        <Section title={search.title_hits}>
          <Table
            caption={search.title_hits}
            rows={result.hits}
            columns={COLUMNS}
            href={({ id }) => visit.to(`/payments/${id}`)}
          />
          <p>
            <a href={searchByParts}>{search.parts(oneLine(text))}</a>
          </p>
        </Section>
      )}
    </>,
  )
}
