import { type Break, openExceptions } from '../../payments/exceptions/exception.ts'
import { openOnPlatform, type PlatformBreak } from '../../payments/exceptions/platform-exceptions.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { type InvariantFinding, type Offender, verifyCell } from '../verify/verify.ts'
import { emptyLeg, type Leg } from './leg.ts'

const TAGS = statement<{ merchantId: number; tag: string }>(
  'tags of merchants with breaches',
  'select id as "merchantId", tag from merchants where id = any($1::bigint[])',
)
// How many offenders a run reports, and how many one transaction: each holds the heads of their accounts.
const MAX_REPORTED = 1000
const BREACHES_PER_TRANSACTION = 100

type LedgerCheckApp = Pick<App, 'db' | 'directory' | 'clock' | 'log'>
type Breach = Offender & { subject: string; says: string }

/**
 * Leg 1: checks the invariants of the ledger. Late work is no break of the books; alerts report it. A breach is critical for the account
 * whose row breaks it, otherwise for the platform, and only a person closes it (rails.md 5.4). `left`: offenders beyond those that one
 * run reports.
 */
export async function checkInternal(app: LedgerCheckApp): Promise<Leg> {
  const findings = (await verifyCell(app.db, app.clock.now())).filter(({ late }) => !late)
  const broken = findings.filter(({ violations }) => violations > 0)
  const breaches = eachAccountFirst(broken.flatMap(listBreaches)).slice(0, MAX_REPORTED)
  const violations = broken.reduce((sum, finding) => sum + finding.violations, 0)
  if (violations > 0) {
    const ids = broken.map(({ id }) => id).join(', ')
    app.log.error({ violations, reported: breaches.length }, `the books are broken: ${ids}`)
  }
  return {
    ...emptyLeg('internal'),
    lookedAt: findings.length,
    agreed: findings.length - broken.length,
    opened: await openBreaches(app, breaches),
    left: violations - breaches.length,
  }
}

const listBreaches = ({ id, says, offenders }: InvariantFinding): Breach[] =>
  offenders.map((offender) => ({ ...offender, subject: `${id} ${offender.offender}`, says }))

/** Sorts the first breach of each account before the second of any, so that no account is left out because another has a thousand. */
function eachAccountFirst(breaches: readonly Breach[]): Breach[] {
  const counts = new Map<string, number>()
  const ranked = breaches.map((breach) => {
    const account = `${breach.merchantId} ${breach.mode}`
    const rank = counts.get(account) ?? 0
    counts.set(account, rank + 1)
    return { breach, rank }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ breach }) => breach)
}

/** Opens the exceptions, a hundred in a transaction. Returns how many were not open before. */
async function openBreaches(app: LedgerCheckApp, breaches: readonly Breach[]): Promise<number> {
  let opened = 0
  for (let from = 0; from < breaches.length; from += BREACHES_PER_TRANSACTION)
    opened += await openBatch(app, breaches.slice(from, from + BREACHES_PER_TRANSACTION))
  return opened
}

async function openBatch(app: LedgerCheckApp, breaches: readonly Breach[]): Promise<number> {
  const owners = [...new Set(breaches.flatMap(({ merchantId }) => merchantId ?? []))]
  const tags = new Map((await app.db.query(TAGS, [owners])).map(({ merchantId, tag }) => [merchantId, tag]))
  const ofAccounts: Break[] = []
  const ofPlatform: PlatformBreak[] = []
  for (const { merchantId, mode, subject, says } of breaches) {
    const tag = merchantId === null ? undefined : tags.get(merchantId)
    const breach = { kind: 'ledger_breach', subject, details: { says } } as const
    if (merchantId === null || mode === null || tag === undefined) ofPlatform.push(breach)
    else ofAccounts.push({ ...breach, merchantId, tag, mode })
  }
  const at = app.clock.now()
  return (await openForPlatform(app, ofPlatform, at)) + (await openForAccounts(app, ofAccounts, at))
}

async function openForAccounts(app: LedgerCheckApp, breaks: readonly Break[], at: Date): Promise<number> {
  if (breaks.length === 0) return 0
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [, , opened] = await tx.send(...openExceptions(breaks, at))
    return { value: countOpened(opened) }
  })
}

async function openForPlatform(app: LedgerCheckApp, breaks: readonly PlatformBreak[], at: Date): Promise<number> {
  if (breaks.length === 0) return 0
  const opening = openOnPlatform(breaks, at)
  return countOpened(await app.directory.query(opening.statement, opening.values))
}

const countOpened = (rows: readonly { opened: boolean }[]) => rows.filter(({ opened }) => opened).length
