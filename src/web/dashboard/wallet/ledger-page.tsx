import type { FloorAccount } from '../../../ledger/accounts.ts'
import { readAdjustmentMessages } from '../../../ledger/corrections.ts'
import { getLedgerHead } from '../../../ledger/get-ledger-head.ts'
import { type LedgerLine, readLedgerLines } from '../../../ledger/read-lines.ts'
import { findHiddenPayouts } from '../../../payments/payouts/find-payouts.ts'
import { LEDGER_WORDS } from '../../../reports/words/ledger.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, Money, OutsideText, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { ObjectLink } from '../object-link.tsx'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'
import { LedgerFileBox } from './ledger-file.tsx'
import { renderPausedNote, WalletTabs } from './wallet-tabs.tsx'

const { ledger, accounts } = WALLET
const ACCOUNTS = ['available', 'pending', 'in_flight'] as const satisfies readonly FloorAccount[]
const LINES_PER_PAGE = 25
const SEQUENCE_PATTERN = /^[0-9]{1,15}$/

/** Shows the balances, what stops payouts, and the ledger of one balance in plain words. */
export async function showWallet(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const account = ACCOUNTS.find((name) => name === query.account) ?? 'available'
  const head = await getLedgerHead(app, caller)
  const window = { account, limit: LINES_PER_PAGE, ...parseLedgerWindow(query) }
  const page = await readLedgerLines(app.db, caller, window)
  const subjects = page.lines.map(({ subject }) => subject)
  const corrections = await readAdjustmentMessages(app.db, caller.merchantId, subjects)
  const payouts = subjects.filter((subject) => subject.startsWith('pout_'))
  const hidden = await findHiddenPayouts(app, caller, payouts)
  const here = visit.to('/wallet')
  return pageReply(
    WALLET.title,
    <>
      <h1>{WALLET.title}</h1>
      <WalletTabs visit={visit} at="/wallet" />
      {await renderPausedNote(visit)}
      <div class="cards">
        {ACCOUNTS.map((account) => (
          <div>
            <p class="quiet">{accounts[account]}</p>
            <p class="big">
              <Money amount={head[account]} />
            </p>
            <p class="hint always">{WALLET.accountHints[account]}</p>
          </div>
        ))}
      </div>
      <Section title={ledger.title}>
        <nav class="tabs" aria-label={ledger.account}>
          {ACCOUNTS.map((tab) => (
            <a href={addressWith(here, { account: tab })} aria-current={tab === account ? 'true' : undefined}>
              {accounts[tab]}
            </a>
          ))}
        </nav>
        {page.lines.length === 0 ? (
          <Empty title={ledger.empty}>
            <p>{ledger.emptySays}</p>
          </Empty>
        ) : (
          <Table caption={ledger.title} rows={page.lines} columns={columnsFor(visit, { corrections, hidden })} />
        )}
        <Pager
          cursors={{ newer: formatCursor(page.newer), older: formatCursor(page.older) }}
          query={{ account }}
          here={here}
        />
      </Section>
      <LedgerFileBox visit={visit} state={null} balance={account} />
    </>,
  )
}

function parseLedgerWindow({ after, before }: DashboardVisit['query']) {
  if (before !== undefined && SEQUENCE_PATTERN.test(before)) return { newerThan: Number(before) }
  return after !== undefined && SEQUENCE_PATTERN.test(after) ? { olderThan: Number(after) } : {}
}

const formatCursor = (sequence: number | null) => (sequence === null ? null : String(sequence))

/** The corrections by their ids, and the payouts without a page: the operator has not accepted them. */
type LineContext = {
  corrections: Awaited<ReturnType<typeof readAdjustmentMessages>>
  hidden: ReadonlySet<string>
}

const columnsFor = (visit: DashboardVisit, context: LineContext): readonly ListColumn<LedgerLine>[] => [
  {
    title: ledger.columns.what,
    cell: ({ kind }) => LEDGER_WORDS.kinds[kind] ?? kind.replaceAll('_', ' '),
    at: 'who',
  },
  {
    title: ledger.columns.about,
    cell: ({ subject }) => <LineSubject visit={visit} id={subject} context={context} />,
    at: 'what',
  },
  {
    title: ledger.columns.change,
    cell: ({ change }) => <span class="money">{`${change < 0 ? '−' : '+'}${formatShillings(Math.abs(change))}`}</span>,
    figures: true,
    at: 'amount',
  },
  { ...column.money(ledger.columns.after, ({ after }: LedgerLine) => after), at: 'state' },
  column.when(ledger.columns.at, ({ at }) => at),
]

/** Shows the object of a line; for a correction, the movement that it corrects and why. */
function LineSubject({ visit, id, context }: { visit: DashboardVisit; id: string; context: LineContext }) {
  const correction = context.corrections.get(id)
  if (context.hidden.has(id)) return <code>{id}</code>
  if (correction === undefined) return <ObjectLink visit={visit} id={id} />
  return (
    <>
      <ObjectLink visit={visit} id={correction.about} />
      <p class="hint">
        <OutsideText text={correction.told} />
      </p>
    </>
  )
}
