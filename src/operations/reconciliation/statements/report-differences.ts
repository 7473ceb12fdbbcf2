import { openInOwnTransaction } from '../../../payments/exceptions/exception.ts'
import { openPlatformException } from '../../../payments/exceptions/platform-exceptions.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import type { App } from '../../../program/app.ts'
import { tagOfMovement } from '../movements.ts'
import type { ReportDifference } from './compare-statement.ts'
import type { StatementGateway } from './import-statement.ts'
import type { StatementDifference } from './statement-differences.ts'

/** The differences that one run reports: how many of each kind, and the first of them. */
export type DifferenceReport = {
  report: ReportDifference
  counts: Partial<Record<StatementDifference['kind'], number>>
  kept: Pick<StatementDifference, 'kind' | 'subject' | 'details'>[]
  /** How many exceptions were opened, or would be; those that were open already are not counted. */
  opened(): number
  /** How many were not reported, because a run opens at most so many of a kind. */
  left(): number
}

// Limits of one run for each kind: exceptions opened, differences checked, differences kept for the page.
const MAX_OPENED_PER_KIND = 1000
const MAX_REPORTED_PER_KIND = 20_000
const MAX_KEPT_PER_KIND = 100

const ADD_TO_FINDING = `on conflict (import_id, merchant_id, exception_id) do update set seen = f.seen + 1`
const ADD_FINDING = statement(
  'statement has found exception',
  `insert into statement_findings as f (import_id, merchant_id, exception_id, opened)
   select $1, e.merchant_id, e.id, e.seen_count = 1 from exceptions e
   where e.merchant_id = $2 and e.subject = $3 and e.kind = $4 and e.closed_at is null ${ADD_TO_FINDING}`,
)
const ADD_PLATFORM_FINDING = statement(
  'statement has found platform exception',
  `insert into statement_findings as f (import_id, merchant_id, exception_id, opened)
   select $1, 0, e.id, e.seen_count = 1 from platform_exceptions e
   where e.kind = $2 and e.subject = $3 and e.closed_at is null ${ADD_TO_FINDING}`,
)
const OPENED = statement<{ opened: number }>(
  'exceptions that statement has opened',
  'select count(*)::int as opened from statement_findings where import_id = $1 and opened',
)
const IS_OPEN = statement(
  'exception of difference',
  'select 1 from exceptions where merchant_id = $1 and subject = $2 and kind = $3 and closed_at is null',
)
const IS_OPEN_PLATFORM = statement(
  'platform exception of difference',
  'select 1 from platform_exceptions where kind = $1 and subject = $2 and closed_at is null',
)

/** Makes a report that opens an exception for each difference, once, and records which import found it. */
export const makeOpeningReport = (gateway: StatementGateway, importId: string): DifferenceReport =>
  makeReport(async (app, difference) => {
    const opened = await (difference.merchantId === null
      ? openForPlatform(gateway, importId, difference)
      : openForMerchant(app, importId, difference))
    crashPoint('statement.told')
    return opened
  })

/** Counts the exceptions that an import has opened, by any worker: one that died over it has opened some too. */
export async function countOpenedBy({ cells, directory }: StatementGateway, importId: string): Promise<number> {
  let sum = 0
  for (const db of [directory, ...cells.map((app) => app.db)]) {
    const [row] = await db.query(OPENED, [importId])
    sum += row?.opened ?? 0
  }
  return sum
}

/** Makes a report that only checks for each difference whether an import would open an exception. */
export const makeDryRunReport = (gateway: StatementGateway): DifferenceReport =>
  makeReport(async (app, { merchantId, kind, subject }) => {
    const isOpen =
      merchantId === null
        ? await gateway.directory.query(IS_OPEN_PLATFORM, [kind, subject])
        : await app.db.query(IS_OPEN, [merchantId, subject, kind])
    return isOpen.length === 0
  })

function makeReport(opens: (app: App, difference: StatementDifference) => Promise<boolean>): DifferenceReport {
  const reported = new Set<string>()
  const opened: Partial<Record<StatementDifference['kind'], number>> = {}
  const result: Omit<DifferenceReport, 'opened' | 'left'> & { leftOut: number } = {
    ...{ counts: {}, kept: [], leftOut: 0 },
    async report(app, difference) {
      const { kind, subject, details } = difference
      const count = result.counts[kind] ?? 0
      if (reported.has(`${kind} ${subject}`)) return
      result.counts[kind] = count + 1
      if (count >= MAX_REPORTED_PER_KIND || (opened[kind] ?? 0) >= MAX_OPENED_PER_KIND) {
        result.leftOut += 1
        return
      }
      reported.add(`${kind} ${subject}`)
      if (count < MAX_KEPT_PER_KIND) result.kept.push({ kind, subject, details })
      if (await opens(app, difference)) opened[kind] = (opened[kind] ?? 0) + 1
    },
  }
  return {
    ...result,
    opened: () => Object.values(opened).reduce((sum, count) => sum + count, 0),
    left: () => result.leftOut,
  }
}

async function openForMerchant(app: App, importId: string, difference: StatementDifference): Promise<boolean> {
  const { merchantId, kind, subject, details } = difference
  const tag = tagOfMovement(subject)
  if (merchantId === null || tag === null) return false
  const exception = { merchantId, tag, mode: 'live', kind, subject, details, leg: 'statement' } as const
  const alongside = [call(ADD_FINDING, importId, merchantId, subject, kind)]
  return openInOwnTransaction(app.db, exception, { at: app.clock.now(), alongside })
}

async function openForPlatform(
  { directory, clock }: StatementGateway,
  importId: string,
  { subject, details }: StatementDifference,
): Promise<boolean> {
  const opening = openPlatformException({ kind: 'rail_only', subject, details }, clock.now())
  const finding = call(ADD_PLATFORM_FINDING, importId, 'rail_only', subject)
  return directory.transaction(async (tx) => {
    const [[row]] = await tx.send(opening)
    return { value: row?.opened ?? false, last: [finding] }
  })
}
