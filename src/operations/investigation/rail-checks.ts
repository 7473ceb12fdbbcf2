import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { writeInTransaction } from '../../platform/db/write-in-transaction.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import type { LineCheck, TokenState } from '../../rails/configured-rail.ts'
import { liveInstallations } from '../../rails/live-rails.ts'
import { type StandingTrouble, standingTroubles } from '../../rails/rail-troubles.ts'
import {
  type FloatReading,
  listFloatReadings,
  listFloatRecords,
  type StoredFloatRecord,
} from '../reconciliation/float-records.ts'

/** The last check of one credential, with who ran it and when. */
export type RailCheck = LineCheck & { checkedBy: string; checkedAt: Date }
/** How many status questions an installation may still be asked now, and how many each second; below zero it is overdrawn. */
export type BudgetState = { installation: string; left: number; perSecond: number | null }
/** An installation, without its secrets. */
export type InstallationState = { id: string; active: boolean }

const MAX_RESULT_LENGTH = 1000
const STORE_CHECKS = statement(
  'keep rail checks',
  `insert into rail_checks (installation, product, checked, ok, says, checked_by, checked_at)
   select n.installation, n.product, n.checked, n.ok, n.says, $6, $7
   from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[]) as n (installation, product, checked, ok, says)
   on conflict (installation, product, checked) do update set ok = excluded.ok, says = excluded.says,
     checked_by = excluded.checked_by, checked_at = excluded.checked_at where rail_checks.checked_at <= excluded.checked_at`,
)
const LIST = statement<RailCheck>(
  'rail checks',
  `select installation, product, checked as "check", ok, says, checked_by as "checkedBy", checked_at as "checkedAt" from rail_checks
   order by installation, product, checked_at, checked limit 500`,
)

/**
 * Tries every credential of every installation, and stores the results (rails.md 3.12). It posts no money, and no transaction is open
 * meanwhile. Throws 403, and 400 where there is no installation.
 */
export async function checkRails(gateway: Gateway, actor: Actor, phone: string | null = null): Promise<LineCheck[]> {
  allow(actor, 'rails.check')
  const { configuredRails, directory, clock } = gateway
  if (configuredRails.length === 0)
    throw domainRefusal('rail_not_configured', 'OP1_INSTALLATIONS names no contract with the operator')
  const row = auditRow({ actor, action: 'rails.check', at: clock.now(), merchantId: null })
  await directory.query(row.statement, row.values)
  const checks: LineCheck[] = []
  for (const rail of configuredRails) checks.push(...(await rail.checkLines(phone)))
  const keep = call(
    STORE_CHECKS,
    checks.map(({ installation }) => installation),
    checks.map(({ product }) => product),
    checks.map(({ check }) => check),
    checks.map(({ ok }) => ok),
    checks.map(({ says }) => says.slice(0, MAX_RESULT_LENGTH)),
    actorName(actor),
    clock.now().toISOString(),
  )
  await writeInTransaction(directory, [keep])
  return checks
}

/** Reads the state of the operators: installations, the last checks, present troubles, floats, question budgets and tokens. */
export async function readRails(gateway: Gateway): Promise<{
  installations: readonly InstallationState[]
  checks: RailCheck[]
  troubles: StandingTrouble[]
  floats: FloatReading[]
  records: StoredFloatRecord[]
  budgets: BudgetState[]
  tokens: TokenState[]
}> {
  const { configuredRails, directory, clock, statusBudget } = gateway
  const standing = standingTroubles(clock.now())
  const [checks, troubles, floats, records, left] = await Promise.all([
    directory.query(LIST),
    directory.query(standing.statement, standing.values),
    listFloatReadings(directory),
    listFloatRecords(directory),
    statusBudget.left(),
  ])
  const installations = liveInstallations(gateway)
  const budgets = left.map(({ installation, tokens }) => {
    const own = installations.find(({ id }) => id === installation)
    return { installation, left: tokens, perSecond: own?.statusPerSecond ?? null }
  })
  const tokens = configuredRails.flatMap((rail) => rail.readTokens())
  return { installations, checks, troubles, floats, records, budgets, tokens }
}
