import { readBalance } from '../../../ledger/balances.ts'
import {
  type LedgerHeadSummary,
  type LedgerTotals,
  type LedgerTransfer,
  type PlatformAccount,
  readLedgerHeads,
  readLedgerTotals,
  readPlatformAccounts,
  readTransfersBelow,
  TRANSFERS_PER_PAGE,
} from '../../../ledger/read-ledgers.ts'
import { getMerchantNamed } from '../../../merchants/account/set-merchant.ts'
import { reachedCells } from '../../../platform/db/cell-watch.ts'
import type { Mode } from '../../../platform/mode.ts'
import { badRequest, notFound, Refusal } from '../../../platform/refusal.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { Facts, Money, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, Table } from '../../parts/table.tsx'
import { SubjectLink } from '../payments/subject-link.tsx'
import { LEDGER } from '../texts/ledger.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, detail, platform } = LEDGER
export const LEDGER_PATH = '/ledger'

const TOTAL_COLUMNS: readonly ListColumn<LedgerTotals>[] = [
  { title: columns.mode, cell: ({ mode }) => mode },
  { title: columns.ledgers, cell: ({ ledgers }) => ledgers, figures: true },
  column.money(columns.available, ({ available }) => available),
  column.money(columns.pending, ({ pending }) => pending),
  column.money(columns.inFlight, ({ inFlight }) => inFlight),
]
const ACCOUNT_COLUMNS: readonly ListColumn<PlatformAccount>[] = [
  { title: platform.columns.mode, cell: ({ mode }) => mode },
  { title: platform.columns.account, cell: ({ account }) => account },
  column.money(platform.columns.balance, ({ balance }) => balance),
]

/** Shows the totals of all ledgers for each cell. */
export async function showLedger(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { merchant } = visit.query
  if (merchant !== undefined) return redirectDone(visit.to(`${LEDGER_PATH}/${encodeURIComponent(merchant)}`))
  const cells = await Promise.all(
    reachedCells(visit.gateway).map(async ({ cell, db }) => ({
      cell,
      totals: await readLedgerTotals(db),
      accounts: await readPlatformAccounts(db),
    })),
  )
  return pageReply(
    LEDGER.title,
    <>
      <h1>{LEDGER.title}</h1>
      <p>{LEDGER.lead}</p>
      <form class="form compact" action={visit.to(LEDGER_PATH)}>
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
            <Table caption={LEDGER.cell(cell)} rows={totals} columns={TOTAL_COLUMNS} />
          </Section>
          <Section title={platform.title}>
            {accounts.length === 0 ? (
              <p class="quiet">{platform.empty}</p>
            ) : (
              <Table caption={platform.title} rows={accounts} columns={ACCOUNT_COLUMNS} />
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

const PROOF_COLUMNS: readonly ListColumn<Proof>[] = [
  { title: detail.columns.mode, cell: ({ mode }) => mode },
  { title: detail.columns.account, cell: ({ account }) => account },
  column.money(detail.columns.head, ({ head }) => head),
  column.money(detail.columns.sum, ({ sum }) => sum),
  {
    title: detail.columns.equal,
    cell: ({ head, sum }) =>
      head === sum ? <Status word={detail.equal} tone="good" /> : <Status word={detail.differs} tone="bad" />,
  },
]

/** Shows one merchant's ledgers: each head beside the sum of its transfers, and the transfers by number. */
export async function showMerchantLedgers(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { app, merchant } = await getNamedMerchant(visit)
  const mode = visit.query.mode === 'test' ? 'test' : 'live'
  const below = parseBelow(visit)
  const [heads, transfers, ...balances] = await Promise.all([
    readLedgerHeads(app.db, merchant.id),
    readTransfersBelow(app.db, { merchantId: merchant.id, mode, below }),
    readBalance(app.db, merchant.id, 'live'),
    readBalance(app.db, merchant.id, 'test'),
  ])
  const proofs = (['live', 'test'] as const).flatMap((ledgerMode, index): Proof[] => {
    const { available, pending, cachedAvailable, cachedPending } = balances[index] as (typeof balances)[0]
    return [
      {
        mode: ledgerMode,
        account: detail.accounts.available,
        head: Number(cachedAvailable),
        sum: Number(available),
      },
      {
        mode: ledgerMode,
        account: detail.accounts.pending,
        head: Number(cachedPending),
        sum: Number(pending),
      },
    ]
  })
  return pageReply(
    detail.title,
    <>
      <div class="top">
        <h1>
          {detail.title}: <bdi>{oneLine(merchant.name)}</bdi>
        </h1>
        <a href={visit.to(`/merchants/${merchant.publicId}`)}>{merchant.publicId}</a>
      </div>
      <Section title={detail.head}>
        <Table caption={detail.head} rows={proofs} columns={PROOF_COLUMNS} />
      </Section>
      {heads.map((head) => (
        <HeadFacts head={head} />
      ))}
      <Transfers visit={visit} mode={mode} transfers={transfers} />
    </>,
  )
}

async function getNamedMerchant({ gateway, params }: ConsoleVisit) {
  try {
    return await getMerchantNamed(gateway, params.id ?? '')
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') throw notFound('merchant')
    throw error
  }
}

function parseBelow({ query }: ConsoleVisit): number {
  if (query.below === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^[0-9]{1,15}$/.test(query.below)) throw badRequest('invalid cursor')
  return Number(query.below)
}

const HeadFacts = ({ head }: { head: LedgerHeadSummary }) => (
  <Section title={`${detail.facts}, ${head.mode}`}>
    <Facts
      facts={[
        [columns.inFlight, <Money amount={head.inFlight} />],
        [detail.seq, head.seq],
        head.checkpointSeq !== null && [
          detail.checkpoint,
          <>
            {head.checkpointSeq}, <Time at={head.checkpointAt} />
          </>,
        ],
        head.closedUntil !== null && [detail.closed, <Time at={head.closedUntil} />],
        head.pausedBy !== null && [detail.paused, head.pausedBy],
        head.frozenFor !== null && [detail.frozen, oneLine(head.frozenFor)],
      ]}
    />
  </Section>
)

const buildTransferColumns = (visit: ConsoleVisit): ListColumn<LedgerTransfer>[] => [
  { title: detail.transferColumns.seq, cell: ({ seq }) => seq, figures: true },
  { title: detail.transferColumns.kind, cell: ({ kind }) => kind },
  {
    title: detail.transferColumns.subject,
    cell: ({ subject }) => <SubjectLink visit={visit} subject={subject} />,
  },
  { title: detail.transferColumns.debit, cell: ({ debit }) => debit },
  { title: detail.transferColumns.credit, cell: ({ credit }) => credit },
  column.money(detail.transferColumns.amount, ({ amount }) => amount),
  column.time(detail.transferColumns.at, ({ at }) => at),
]

type TransfersProps = { visit: ConsoleVisit; mode: Mode; transfers: readonly LedgerTransfer[] }

function Transfers({ visit, mode, transfers }: TransfersProps) {
  const rows = transfers.slice(0, TRANSFERS_PER_PAGE)
  const last = rows.at(-1)
  const here = visit.to(`${LEDGER_PATH}/${visit.params.id ?? ''}`)
  return (
    <Section title={detail.transfers(mode)}>
      <nav class="tabs" aria-label={columns.mode}>
        {(['live', 'test'] as const).map((tab) => (
          <a href={addressWith(here, { mode: tab })} aria-current={tab === mode ? 'page' : undefined}>
            {tab}
          </a>
        ))}
      </nav>
      {rows.length === 0 ? (
        <p class="quiet">{detail.empty}</p>
      ) : (
        <Table caption={detail.transfers(mode)} rows={rows} columns={buildTransferColumns(visit)} />
      )}
      {last !== undefined && transfers.length > TRANSFERS_PER_PAGE && (
        <p>
          <a href={addressWith(here, { mode, below: String(last.seq) })}>{detail.older}</a>
        </p>
      )}
    </Section>
  )
}
