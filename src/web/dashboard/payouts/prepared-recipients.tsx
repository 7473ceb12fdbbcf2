import { mayDo } from '../../../api/access/allow.ts'
import type { LineHolder } from '../../../payments/payouts/prepared/look-up-prepared-holders.ts'
import { type PreparedLine, parsePreparedLines } from '../../../payments/payouts/prepared/prepared-lines.ts'
import type { StoredPrepared } from '../../../payments/payouts/prepared/prepared-payout.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { Money, Note, OutsideText, Status } from '../../parts/parts.tsx'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { PARTS } from '../../parts/texts.ts'
import { PREPARED } from '../texts/payouts.ts'
import type { DashboardVisit } from '../visit.ts'
import { Phone } from './phone.tsx'

const { recipientColumns, holders: words } = PREPARED

/** Asks the operator whose wallets these are, in browsers without scripts. */
export const LOOK_UP_PREPARED_WALLETS: FormSpec = {
  path: '/payouts/prepared/:id/names',
  action: 'wallet.look-up',
  fields: [],
  submit: words.ask,
}

const columnsWith = (holders: ReadonlyMap<number, LineHolder>): readonly ListColumn<PreparedLine>[] => [
  { title: recipientColumns.line, cell: ({ line }) => PREPARED.lineAt(line), at: 'when' },
  {
    title: recipientColumns.phone,
    cell: ({ phone }) => <Phone phone={phone} />,
    at: 'who',
  },
  {
    title: recipientColumns.holder,
    cell: ({ line, problem }) =>
      problem !== null ? PREPARED.unreadable(problem) : <WalletOwner holder={holders.get(line)} />,
    at: 'more',
  },
  column.what(recipientColumns.name, ({ name }) => name),
  {
    title: recipientColumns.amount,
    cell: ({ amount }) => (amount === null ? PARTS.none : <Money amount={amount} />),
    figures: true,
    at: 'amount',
  },
  column.text(recipientColumns.reference, ({ reference }) => reference),
]

type RecipientsProps = {
  visit: DashboardVisit
  row: StoredPrepared
  /** The operator's answers about the wallets; null while it has not been asked. */
  holders: readonly LineHolder[] | null
  waits: boolean
}

/** Shows who is paid, and whose wallets these are. For a person who may decide, the page's script or a button asks for the latter. */
export function Recipients({ visit, row, holders, waits }: RecipientsProps) {
  const mayDecide = waits && row.madeBy !== visit.caller.personId
  const asksNames = mayDecide && mayDo(visit.caller, LOOK_UP_PREPARED_WALLETS.action) && visit.staffView === null
  const here = visit.to(`/payouts/prepared/${row.id}`)
  const live =
    asksNames && holders === null ? { 'data-live': addressWith(here, { part: 'names' }) } : { 'data-live': '' }
  const byLine = new Map((holders ?? []).map((lineHolder) => [lineHolder.line, lineHolder]))
  return (
    <div {...(asksNames ? live : {})}>
      {holders?.some(({ says }) => says === 'differs' || says === 'no wallet') && <Note tone="bad">{words.look}</Note>}
      <Table caption={PREPARED.recipients} rows={parsePreparedLines(row)} columns={columnsWith(byLine)} />
      {asksNames && holders === null && (
        <FormBox of={LOOK_UP_PREPARED_WALLETS} visit={visit} params={{ id: row.id }} compact />
      )}
    </div>
  )
}

function WalletOwner({ holder }: { holder: LineHolder | undefined }) {
  if (holder === undefined) return <span class="quiet">{words.notAsked}</span>
  const { name, says } = holder
  return (
    <>
      {name !== null && <OutsideText text={name} />}{' '}
      {says !== 'same' && <Status word={words.says[says]} tone={HOLDER_TONES[says]} />}
    </>
  )
}

const HOLDER_TONES = { differs: 'bad', 'no wallet': 'bad', unnamed: 'warn', 'not heard': 'quiet' } as const
