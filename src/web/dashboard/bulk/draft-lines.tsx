import type { DraftLineHolder } from '../../../payments/payouts/bulk/drafts/look-up-draft-holders.ts'
import type { BulkPreview, PreviewLine } from '../../../payments/payouts/bulk/drafts/preview-bulk.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { formatPageTime, Money, OutsideText, Status } from '../../parts/parts.tsx'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { Phone } from '../payouts/phone.tsx'
import { MetadataLine } from '../story/story-parts.tsx'
import { BULK } from '../texts/bulk.ts'
import type { DashboardVisit } from '../visit.ts'

const { draft: words } = BULK

/** Asks the operator for the names of the lines on the page, in browsers without scripts. */
export const LOOK_UP_DRAFT_WALLETS: FormSpec = {
  path: '/bulk/drafts/:id/names',
  action: 'bulk.draft',
  fields: [{ name: 'from', label: '', kind: 'hidden' }],
  submit: words.ask,
}

/** Lines on a page: as many as names are asked for at once. */
export const DRAFT_LINES_PER_PAGE = 20

type DraftLinesProps = {
  visit: DashboardVisit
  preview: BulkPreview
  from: number
  /** The operator's answers about the wallets on the page; null while it has not been asked. */
  holders: readonly DraftLineHolder[] | null
}

/** One page of lines. The page's script asks for the names of their wallets, or a button does. */
export function DraftLines({ visit, preview, from, holders }: DraftLinesProps) {
  const rows = preview.lines.filter(({ line }) => line >= from).slice(0, DRAFT_LINES_PER_PAGE)
  const here = visit.to(`/bulk/drafts/${preview.draft.id}`)
  const live =
    holders === null ? { 'data-live': addressWith(here, { part: 'names', from: String(from) }) } : { 'data-live': '' }
  const byLine = new Map((holders ?? []).map((holder) => [holder.line, holder]))
  return (
    <div {...live}>
      <Table caption={words.lines} rows={rows} columns={columnsWith(byLine)} />
      {holders === null && (
        <FormBox
          of={LOOK_UP_DRAFT_WALLETS}
          visit={visit}
          params={{ id: preview.draft.id }}
          values={{ from: String(from) }}
          compact
        />
      )}
    </div>
  )
}

const columnsWith = (holders: ReadonlyMap<number, DraftLineHolder>): readonly ListColumn<PreviewLine>[] => [
  { title: words.columns.line, cell: ({ line }) => words.lineAt(line), at: 'when' },
  {
    title: words.columns.phone,
    cell: ({ written, item }) => <Phone phone={item.ok ? item.phone : written.phone} />,
    at: 'who',
  },
  column.what(words.columns.name, ({ written }) => written.name),
  {
    title: words.columns.amount,
    cell: ({ item, written }) => (item.ok ? <Money amount={item.amount} /> : <OutsideText text={written.amount} />),
    figures: true,
    at: 'amount',
  },
  column.text(words.columns.reference, ({ item }) => item.reference),
  {
    title: words.columns.result,
    cell: (line) => (
      <>
        <Result line={line} />
        <WalletOwner holder={holders.get(line.line)} />
        {line.item.ok && <MetadataLine metadata={line.item.metadata ?? null} />}
      </>
    ),
    at: 'more',
  },
]

function WalletOwner({ holder }: { holder: DraftLineHolder | undefined }) {
  if (holder === undefined) return null
  const { active, name, unknown } = holder
  if (active === false)
    return (
      <div>
        <Status word={words.inactive} tone="bad" />
      </div>
    )
  return <div class="hint">{unknown === null ? `${words.holder} ${name ?? words.unknown}` : words.unknown}</div>
}

function Result({ line: { result, sameAs } }: { line: PreviewLine }) {
  return (
    <>
      {formatResult(result)}
      {sameAs !== null && <div class="hint">{words.sameAs(sameAs)}</div>}
    </>
  )
}

function formatResult(result: PreviewLine['result']): string {
  switch (result.kind) {
    case 'pays':
      return words.paysLine(formatShillings(result.fee))
    case 'paid before':
      return words.paidBefore(result.at === null ? '' : formatPageTime(result.at))
    case 'repeats':
      return words.repeats(result.line)
    case 'refused':
      return presentFault(result.error)
  }
}

/** A fault of a line as people read it, without the words that are for programs. */
export const presentFault = (error: string): string => error.replace(/^invalid item: /, '')
