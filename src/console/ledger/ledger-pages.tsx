import { readBalance } from '../../ledger/balances.ts'
import {
  type LedgerHead,
  type LedgerTotals,
  ledgerHeads,
  ledgerTotals,
  type PlatformAccount,
  platformAccounts,
  TRANSFERS_ON_A_PAGE,
  type TransferRead,
  transfersBelow,
} from '../../ledger/read-ledgers.ts'
import { findMerchant } from '../../merchants/set-merchant.ts'
import { Facts, Money, Section, Status, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import type { Mode } from '../../platform/mode.ts'
import { badRequest, notFound, Refusal } from '../../platform/refusal.ts'
import { LEDGER } from '../texts/ledger.ts'
import { type ConsoleRoute, type ConsoleVisit, page } from '../visit.ts'

const { columns, one, platform } = LEDGER
const HERE = '/ledger'

const TOTALS: readonly Column<LedgerTotals>[] = [
  { title: columns.mode, cell: ({ mode }) => mode },
  { title: columns.ledgers, cell: ({ ledgers }) => ledgers, figures: true },
  { title: columns.available, cell: ({ available }) => <Money amount={available} />, figures: true },
  { title: columns.pending, cell: ({ pending }) => <Money amount={pending} />, figures: true },
  { title: columns.inFlight, cell: ({ inFlight }) => <Money amount={inFlight} />, figures: true },
]
const ACCOUNTS: readonly Column<PlatformAccount>[] = [
  { title: platform.columns.mode, cell: ({ mode }) => mode },
  { title: platform.columns.account, cell: ({ account }) => account },
  { title: platform.columns.balance, cell: ({ balance }) => <Money amount={balance} />, figures: true },
]

/** What all ledgers come to, by cell. */
async function showLedger(visit: ConsoleVisit): Promise<Shown> {
  const { merchant } = visit.query
  if (merchant !== undefined) return doneTo(visit.to(`${HERE}/${encodeURIComponent(merchant)}`))
  const cells = await Promise.all(
    visit.gateway.cells.map(async ({ cell, db }) => ({
      cell,
      totals: await ledgerTotals(db),
      accounts: await platformAccounts(db),
    })),
  )
  return shownPage(
    LEDGER.title,
    <>
      <h1>{LEDGER.title}</h1>
      <p>{LEDGER.lead}</p>
      <form class="form compact" action={visit.to(HERE)}>
        <div class="field">
          <label for="merchant">{LEDGER.find.label}</label>
          <input id="merchant" name="merchant" placeholder={LEDGER.find.hint} required />
        </div>
        <button type="submit" class="button">
          {LEDGER.find.submit}
        </button>
      </form>
      {cells.map(({ cell, totals, accounts }) => (
        <>
          <Section title={LEDGER.cell(cell)}>
            <Table caption={LEDGER.cell(cell)} rows={totals} columns={TOTALS} />
          </Section>
          <Section title={platform.title}>
            {accounts.length === 0 ? (
              <p class="quiet">{platform.empty}</p>
            ) : (
              <Table caption={platform.title} rows={accounts} columns={ACCOUNTS} />
            )}
            <p class="hint">{platform.hint}</p>
          </Section>
        </>
      ))}
      <Section title={LEDGER.proof.title}>
        <p>
          {LEDGER.proof.says} <a href={visit.to('/jobs')}>{LEDGER.proof.link}</a>
        </p>
      </Section>
    </>,
  )
}

type Proof = { mode: string; account: string; head: number; sum: number }

const PROOFS: readonly Column<Proof>[] = [
  { title: one.columns.mode, cell: ({ mode }) => mode },
  { title: one.columns.account, cell: ({ account }) => account },
  { title: one.columns.head, cell: ({ head }) => <Money amount={head} />, figures: true },
  { title: one.columns.sum, cell: ({ sum }) => <Money amount={sum} />, figures: true },
  {
    title: one.columns.equal,
    cell: ({ head, sum }) =>
      head === sum ? <Status word={one.equal} tone="good" /> : <Status word={one.differs} tone="bad" />,
  },
]

/** One merchant's ledgers: each head beside the sum of its transfers, and the transfers by number. */
async function showOne(visit: ConsoleVisit): Promise<Shown> {
  const { app, merchant } = await named(visit)
  const mode = visit.query.mode === 'test' ? 'test' : 'live'
  const below = belowIn(visit)
  const [heads, transfers, ...balances] = await Promise.all([
    ledgerHeads(app.db, merchant.id),
    transfersBelow(app.db, { merchantId: merchant.id, mode, below }),
    readBalance(app.db, merchant.id, 'live'),
    readBalance(app.db, merchant.id, 'test'),
  ])
  const proofs = (['live', 'test'] as const).flatMap((of, index): Proof[] => {
    const { available, pending, cachedAvailable, cachedPending } = balances[index] as (typeof balances)[0]
    return [
      { mode: of, account: one.accounts.available, head: Number(cachedAvailable), sum: Number(available) },
      { mode: of, account: one.accounts.pending, head: Number(cachedPending), sum: Number(pending) },
    ]
  })
  return shownPage(
    one.title,
    <>
      <div class="top">
        <h1>
          {one.title}: <bdi>{shown(merchant.name)}</bdi>
        </h1>
        <a href={visit.to(`/merchants/${merchant.publicId}`)}>{merchant.publicId}</a>
      </div>
      <Section title={one.head}>
        <Table caption={one.head} rows={proofs} columns={PROOFS} />
      </Section>
      {heads.map((head) => (
        <HeadFacts head={head} />
      ))}
      <Transfers visit={visit} mode={mode} transfers={transfers} />
    </>,
  )
}

async function named({ gateway, params }: ConsoleVisit) {
  try {
    return await findMerchant(gateway, params.id ?? '')
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') throw notFound('merchant')
    throw error
  }
}

function belowIn({ query }: ConsoleVisit): number {
  if (query.below === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^[0-9]{1,15}$/.test(query.below)) throw badRequest('invalid cursor')
  return Number(query.below)
}

const HeadFacts = ({ head }: { head: LedgerHead }) => (
  <Section title={`${one.facts}, ${head.mode}`}>
    <Facts
      facts={[
        [columns.inFlight, <Money amount={head.inFlight} />],
        [one.seq, head.seq],
        head.checkpointSeq !== null && [
          one.checkpoint,
          <>
            {head.checkpointSeq}, <Time at={head.checkpointAt} />
          </>,
        ],
        head.closedUntil !== null && [one.closed, <Time at={head.closedUntil} />],
        head.pausedBy !== null && [one.paused, head.pausedBy],
        head.frozenFor !== null && [one.frozen, shown(head.frozenFor)],
      ]}
    />
  </Section>
)

const transferColumns = (visit: ConsoleVisit): Column<TransferRead>[] => [
  { title: one.transferColumns.seq, cell: ({ seq }) => seq, figures: true },
  { title: one.transferColumns.kind, cell: ({ kind }) => kind },
  {
    title: one.transferColumns.subject,
    cell: ({ subject }) =>
      /^(?:txn|pout|top)_/.test(subject) ? (
        <a href={visit.to(`/payments/${subject}`)}>{subject}</a>
      ) : (
        <code>{subject}</code>
      ),
  },
  { title: one.transferColumns.debit, cell: ({ debit }) => debit },
  { title: one.transferColumns.credit, cell: ({ credit }) => credit },
  { title: one.transferColumns.amount, cell: ({ amount }) => <Money amount={amount} />, figures: true },
  { title: one.transferColumns.at, cell: ({ at }) => <Time at={at} /> },
]

type TransfersProps = { visit: ConsoleVisit; mode: Mode; transfers: readonly TransferRead[] }

function Transfers({ visit, mode, transfers }: TransfersProps) {
  const rows = transfers.slice(0, TRANSFERS_ON_A_PAGE)
  const last = rows.at(-1)
  const here = visit.to(`${HERE}/${visit.params.id ?? ''}`)
  return (
    <Section title={one.transfers(mode)}>
      <nav class="tabs" aria-label={columns.mode}>
        {(['live', 'test'] as const).map((of) => (
          <a href={addressWith(here, { mode: of })} aria-current={of === mode ? 'page' : undefined}>
            {of}
          </a>
        ))}
      </nav>
      {rows.length === 0 ? (
        <p class="quiet">{one.empty}</p>
      ) : (
        <Table caption={one.transfers(mode)} rows={rows} columns={transferColumns(visit)} />
      )}
      {last !== undefined && transfers.length > TRANSFERS_ON_A_PAGE && (
        <p>
          <a href={addressWith(here, { mode, below: String(last.seq) })}>{one.older}</a>
        </p>
      )}
    </Section>
  )
}

/** The books: totals, and one merchant's ledgers. */
export const LEDGER_ROUTES: readonly ConsoleRoute[] = [page(HERE, showLedger), page(`${HERE}/:id`, showOne)]
