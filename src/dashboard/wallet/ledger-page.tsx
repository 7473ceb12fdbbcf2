import type { FloorAccount } from '../../ledger/accounts.ts'
import { toldOf } from '../../ledger/corrections.ts'
import { findHead } from '../../ledger/heads.ts'
import { type LedgerLine, readLedgerLines } from '../../ledger/read-lines.ts'
import { Empty, Money, Said, Section, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, Pager, Table } from '../../pages/table.tsx'
import { ugx } from '../../pages/wording.ts'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'
import { pausedNote, WalletPages } from './wallet-shell.tsx'

const { ledger, accounts } = WALLET
const ACCOUNTS = ['available', 'pending', 'in_flight'] as const satisfies readonly FloorAccount[]
const ROWS = 25
const NUMBER = /^[0-9]{1,15}$/

/** Balances, what stops payouts, and the ledger of one balance in plain words. */
export async function showWallet(visit: DashboardVisit): Promise<Shown> {
  const { app, caller, query } = visit
  const account = ACCOUNTS.find((one) => one === query.account) ?? 'available'
  const head = await findHead(app, caller)
  const read = await readLedgerLines(app.db, caller, { account, limit: ROWS, ...windowOf(query) })
  const told = await toldOf(
    app.db,
    caller.merchantId,
    read.lines.map(({ subject }) => subject),
  )
  const here = visit.to('/wallet')
  return shownPage(
    WALLET.title,
    <>
      <h1>{WALLET.title}</h1>
      <WalletPages visit={visit} at="/wallet" />
      {await pausedNote(visit)}
      <div class="cards">
        {ACCOUNTS.map((one) => (
          <div>
            <p class="quiet">{accounts[one]}</p>
            <p class="big">
              <Money amount={head[one]} />
            </p>
            <p class="hint">{WALLET.accountHints[one]}</p>
          </div>
        ))}
      </div>
      <Section title={ledger.title}>
        <nav class="tabs" aria-label={ledger.account}>
          {ACCOUNTS.map((one) => (
            <a href={addressWith(here, { account: one })} aria-current={one === account ? 'true' : undefined}>
              {accounts[one]}
            </a>
          ))}
        </nav>
        {read.lines.length === 0 ? (
          <Empty title={ledger.empty}>
            <p>{ledger.emptySays}</p>
          </Empty>
        ) : (
          <Table caption={ledger.title} rows={read.lines} columns={columnsFor(visit, told)} />
        )}
        <Pager
          cursors={{ newer: textOf(read.newer), older: textOf(read.older) }}
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

const textOf = (seq: number | null) => (seq === null ? null : String(seq))

const columnsFor = (visit: DashboardVisit, told: Told): readonly Column<LedgerLine>[] => [
  { title: ledger.columns.what, cell: ({ kind }) => ledger.kinds[kind] ?? kind.replaceAll('_', ' ') },
  { title: ledger.columns.about, cell: ({ subject }) => <About visit={visit} id={subject} told={told} /> },
  {
    title: ledger.columns.change,
    cell: ({ change }) => <span class="money">{`${change < 0 ? '−' : '+'}${ugx(Math.abs(change))}`}</span>,
    figures: true,
  },
  { title: ledger.columns.after, cell: ({ after }) => <Money amount={after} />, figures: true },
  { title: ledger.columns.at, cell: ({ at }) => <Time at={at} /> },
]

type Told = Awaited<ReturnType<typeof toldOf>>

/** What a line is about; of a correction the movement that it mends, and why. */
function About({ visit, id, told }: { visit: DashboardVisit; id: string; told: Told }) {
  const correction = told.get(id)
  if (correction === undefined) return <Subject visit={visit} id={id} />
  return (
    <>
      <Subject visit={visit} id={correction.about} />
      <p class="hint">
        <Said text={correction.told} />
      </p>
    </>
  )
}

const PLACES: Readonly<Record<string, string>> = { txn: '/charges', pout: '/payouts' }

/** A link to what a line is about, where it has a page. */
function Subject({ visit, id }: { visit: DashboardVisit; id: string }) {
  const place = PLACES[id.split('_', 1)[0] ?? '']
  return place === undefined ? <code>{id}</code> : <a href={visit.to(`${place}/${id}`)}>{id}</a>
}
