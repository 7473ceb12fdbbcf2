import type { FloorAccount } from '../../ledger/accounts.ts'
import { toldOf } from '../../ledger/corrections.ts'
import { findHead } from '../../ledger/heads.ts'
import { type LedgerLine, readLedgerLines } from '../../ledger/read-lines.ts'
import { Empty, Money, Said, Section, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, Pager, Table } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import { hiddenPayouts } from '../../payouts/find-payouts.ts'
import { ObjectLink } from '../object-link.tsx'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'
import { pausedNote, WalletPages } from './wallet-shell.tsx'

const { ledger, accounts } = WALLET
const ACCOUNTS = ['available', 'pending', 'in_flight'] as const satisfies readonly FloorAccount[]
const ROWS = 25
const NUMBER = /^[0-9]{1,15}$/

/** Shows the balances, what stops payouts, and the ledger of one balance in plain words. */
export async function showWallet(visit: DashboardVisit): Promise<Shown> {
  const { app, caller, query } = visit
  const account = ACCOUNTS.find((name) => name === query.account) ?? 'available'
  const head = await findHead(app, caller)
  const window = { account, limit: ROWS, ...windowOf(query) }
  const page = await readLedgerLines(app.db, caller, window)
  const subjects = page.lines.map(({ subject }) => subject)
  const corrections = await toldOf(app.db, caller.merchantId, subjects)
  const payouts = subjects.filter((subject) => subject.startsWith('pout_'))
  const hidden = await hiddenPayouts(app, caller, payouts)
  const here = visit.to('/wallet')
  return shownPage(
    WALLET.title,
    <>
      <h1>{WALLET.title}</h1>
      <WalletPages visit={visit} at="/wallet" />
      {await pausedNote(visit)}
      <div class="cards">
        {ACCOUNTS.map((account) => (
          <div>
            <p class="quiet">{accounts[account]}</p>
            <p class="big">
              <Money amount={head[account]} />
            </p>
            <p class="hint">{WALLET.accountHints[account]}</p>
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
          <Table
            caption={ledger.title}
            rows={page.lines}
            columns={columnsFor(visit, { corrections, hidden })}
          />
        )}
        <Pager
          cursors={{ newer: textOf(page.newer), older: textOf(page.older) }}
          query={{ account }}
          here={here}
        />
      </Section>
    </>,
  )
}

function windowOf({ after, before }: DashboardVisit['query']) {
  if (before !== undefined && NUMBER.test(before)) return { newerThan: Number(before) }
  return after !== undefined && NUMBER.test(after) ? { olderThan: Number(after) } : {}
}

const textOf = (sequence: number | null) => (sequence === null ? null : String(sequence))

/** The corrections by their ids, and the payouts without a page: the operator has not accepted them. */
type Known = { corrections: Awaited<ReturnType<typeof toldOf>>; hidden: ReadonlySet<string> }

const columnsFor = (visit: DashboardVisit, context: Known): readonly Column<LedgerLine>[] => [
  { title: ledger.columns.what, cell: ({ kind }) => ledger.kinds[kind] ?? kind.replaceAll('_', ' ') },
  {
    title: ledger.columns.about,
    cell: ({ subject }) => <About visit={visit} id={subject} context={context} />,
  },
  {
    title: ledger.columns.change,
    cell: ({ change }) => <span class="money">{`${change < 0 ? '−' : '+'}${ugx(Math.abs(change))}`}</span>,
    figures: true,
  },
  { title: ledger.columns.after, cell: ({ after }) => <Money amount={after} />, figures: true },
  { title: ledger.columns.at, cell: ({ at }) => <Time at={at} /> },
]

/** Shows the object of a line; for a correction, the movement that it corrects and why. */
function About({ visit, id, context }: { visit: DashboardVisit; id: string; context: Known }) {
  const correction = context.corrections.get(id)
  if (context.hidden.has(id)) return <code>{id}</code>
  if (correction === undefined) return <ObjectLink visit={visit} id={id} />
  return (
    <>
      <ObjectLink visit={visit} id={correction.about} />
      <p class="hint">
        <Said text={correction.told} />
      </p>
    </>
  )
}
