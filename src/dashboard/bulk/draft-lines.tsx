import { FormBox } from '../../pages/form.tsx'
import type { FormSpec } from '../../pages/form-spec.ts'
import { Money, Said, Status, timeText } from '../../pages/parts.tsx'
import { addressWith, type Column, Table } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import type { Holder } from '../../payouts/bulk/drafts/names-of-draft.ts'
import type { Preview, PreviewLine } from '../../payouts/bulk/drafts/preview-bulk.ts'
import { Phone } from '../payouts/phone.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardVisit } from '../visit.ts'

const { draft: words } = BULK

/** Asks the operator for the names of the lines on the page, in browsers without scripts. */
export const NAMES: FormSpec = {
  path: '/bulk/drafts/:id/names',
  action: 'bulk.draft',
  fields: [{ name: 'from', label: '', kind: 'hidden' }],
  submit: words.ask,
}

/** Lines on a page: as many as names are asked for at once. */
export const IN_VIEW = 20

type LinesProps = {
  visit: DashboardVisit
  preview: Preview
  from: number
  /** The operator's answers about the wallets on the page; null while it has not been asked. */
  holders: readonly Holder[] | null
}

/** One page of lines. The page's script asks for the names of their wallets, or a button does. */
export function DraftLines({ visit, preview, from, holders }: LinesProps) {
  const rows = preview.lines.filter(({ line }) => line >= from).slice(0, IN_VIEW)
  const here = visit.to(`/bulk/drafts/${preview.draft.id}`)
  const live =
    holders === null
      ? { 'data-live': addressWith(here, { part: 'names', from: String(from) }) }
      : { 'data-live': '' }
  const byLine = new Map((holders ?? []).map((holder) => [holder.line, holder]))
  return (
    <div {...live}>
      <Table caption={words.lines} rows={rows} columns={columnsWith(byLine)} />
      {holders === null && (
        <FormBox
          of={NAMES}
          visit={visit}
          params={{ id: preview.draft.id }}
          values={{ from: String(from) }}
          compact
        />
      )}
    </div>
  )
}

const columnsWith = (holders: ReadonlyMap<number, Holder>): readonly Column<PreviewLine>[] => [
  { title: words.columns.line, cell: ({ line }) => line },
  {
    title: words.columns.phone,
    cell: ({ line, written, item }) => (
      <>
        <Phone phone={item.ok ? item.phone : written.phone} />
        <HolderOf holder={holders.get(line)} />
      </>
    ),
  },
  { title: words.columns.name, cell: ({ written }) => <Said text={written.name} /> },
  {
    title: words.columns.amount,
    cell: ({ item, written }) => (item.ok ? <Money amount={item.amount} /> : <Said text={written.amount} />),
    figures: true,
  },
  { title: words.columns.reference, cell: ({ item }) => <Said text={item.reference} /> },
  { title: words.columns.result, cell: (line) => <Result line={line} /> },
]

function HolderOf({ holder }: { holder: Holder | undefined }) {
  if (holder === undefined) return null
  const { active, name, unknown } = holder
  if (active === false)
    return (
      <div>
        <Status word={words.inactive} tone="bad" />
      </div>
    )
  return (
    <div class="hint">{unknown === null ? `${words.holder} ${name ?? words.unknown}` : words.unknown}</div>
  )
}

function Result({ line: { result, sameAs } }: { line: PreviewLine }) {
  return (
    <>
      {wordsOf(result)}
      {sameAs !== null && <div class="hint">{words.sameAs(sameAs)}</div>}
    </>
  )
}

function wordsOf(result: PreviewLine['result']): string {
  switch (result.kind) {
    case 'pays':
      return words.paysLine(ugx(result.fee))
    case 'paid before':
      return words.paidBefore(result.at === null ? '' : timeText(result.at))
    case 'repeats':
      return words.repeats(result.line)
    case 'refused':
      return result.error
  }
}
