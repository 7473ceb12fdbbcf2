import { type ListWindow, parseListWindow } from '../../../api/http/lists/lists.ts'
import { kampalaMonth, monthBounds } from '../../../platform/time/kampala.ts'
import { listSettlements, type SettlementRow } from '../../../reports/settlements.ts'
import { streamStatement } from '../../../reports/statement/stream-statement.ts'
import { column } from '../../parts/columns.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter, Table } from '../../parts/table.tsx'
import { isReachable } from '../hidden-from-staff.ts'
import { ExportBox, exportForm } from '../lists/exports.tsx'
import { WALLET } from '../texts/wallet.ts'
import type { DashboardVisit } from '../visit.ts'
import { LedgerFileBox } from './ledger-file.tsx'
import { WalletTabs } from './wallet-tabs.tsx'

const { settlements, statements } = WALLET
const MAX_STATEMENT_MONTHS = 36

const COLUMNS: readonly ListColumn<SettlementRow>[] = [
  { title: settlements.columns.charges, cell: ({ chargeCount }) => settlements.payments(chargeCount), at: 'who' },
  column.amount(settlements.columns.amount, ({ amount }) => amount),
  { title: settlements.columns.kind, cell: ({ kind }) => settlements.kinds[kind] ?? kind, at: 'what' },
  column.when(settlements.columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

const NO_FILTERS: readonly ListFilter[] = []
export const EXPORT_SETTLEMENTS = exportForm('/wallet/settlements', NO_FILTERS)

/** Parses the window of the list from a query. Throws Refusal. */
export const parseSettlementWindow = (query: DashboardVisit['query']): ListWindow => ({
  ...parseListWindow(buildPageQuery(query)),
  endingBefore: query.before ?? null,
})

/** Lists the settlements: releases from pending to available. */
export async function showSettlements(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const page = await listSettlements(app, caller, parseSettlementWindow(query))
  return listPage({
    title: settlements.title,
    ...{ rows: page.data, columns: COLUMNS, here: visit.to('/wallet/settlements'), query },
    ...{ cursors: cursorsOf(page), state },
    lead: (
      <>
        <WalletTabs visit={visit} at="/wallet/settlements" />
        <p>{settlements.lead}</p>
      </>
    ),
    empty: { title: settlements.empty, says: settlements.emptySays },
    below: page.data.length > 0 && <ExportBox of={EXPORT_SETTLEMENTS} visit={visit} state={state} />,
  })
}

/** Lists the months that have a statement, newest first. */
export async function showStatements(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const months = listMonthsSince(visit.merchant.createdAt, visit.now)
  const link = (month: string, text: string) => {
    const path = `/wallet/statements/${month}`
    return isReachable(visit, path) ? <a href={visit.to(path)}>{text}</a> : text
  }
  const columns: readonly ListColumn<string>[] = [
    {
      title: statements.columns.month,
      cell: (month) => (month === months[0] ? `${month} (${statements.open})` : month),
    },
    { title: statements.columns.pdf, cell: (month) => link(`${month}.pdf`, `${statements.pdf} ${month}`) },
    { title: statements.columns.json, cell: (month) => link(month, `${statements.json} ${month}`) },
  ]
  return pageReply(
    statements.title,
    <>
      <h1>{statements.title}</h1>
      <WalletTabs visit={visit} at="/wallet/statements" />
      <p>{statements.lead}</p>
      <LedgerFileBox visit={visit} state={state} />
      <Table caption={statements.title} rows={months} columns={columns} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Lists the months from now back to the first, such as `2026-07`; at most three years. */
function listMonthsSince(first: Date, now: Date): string[] {
  const months: string[] = []
  for (let at = now; months.length < MAX_STATEMENT_MONTHS; ) {
    const month = kampalaMonth(at)
    months.push(month)
    const start = monthBounds(month)?.start
    if (start === undefined || start <= first) break
    at = new Date(start.getTime() - 1)
  }
  return months
}

/** Sends the statement of a month as a file, by the same stream as the API. */
export async function downloadStatement(visit: DashboardVisit): Promise<SurfaceReply> {
  const text = visit.params.period ?? ''
  const { stream, pdf } = await streamStatement(visit.app, visit.caller, text)
  const name = `statement-${visit.merchant.handle}-${visit.mode}-${pdf ? text : `${text}.json`}`
  const type = pdf ? 'application/pdf' : 'application/json; charset=utf-8'
  return { kind: 'stream', name, type, stream }
}
