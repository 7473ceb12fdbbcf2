import { readPatiently } from '../../../platform/db/retry-while-away.ts'
import { statement } from '../../../platform/db/statement.ts'
import { groupBy } from '../../../platform/group-by.ts'
import type { App } from '../../../program/app.ts'
import type { RailSide } from '../../../rails/rail.ts'
import { liveMovements, normalizeSpelling, tagOfMovement } from '../movements.ts'
import type { StatementGateway } from './import-statement.ts'
import type { StatementLine } from './statement-file.ts'
import type { MatchedLine } from './statement-staging.ts'

type LineOwner = { id: number; cell: string }
type LineMovementRow = { key: string; merchantId: number; movement: string }
/** A line with its movement and cell, and the installation that carried the movement which it names. */
export type MatchedLineInCell = MatchedLine & {
  app: App
  carriedBy: { installation: string; side: RailSide } | null
}

const OWNERS = statement<LineOwner & { tag: string }>(
  'merchants of statement lines',
  'select id, tag, cell from merchants where tag = any($1::text[])',
)
const BY_REFERENCE = statement<LineMovementRow>(
  'movements of statement lines by reference',
  `select a.id as key, a.merchant_id as "merchantId", a.subject as movement from rail_attempts a where a.id = any($1::text[])`,
)
const PADDED = `m.rail_transaction_id like '0%' and ltrim(m.rail_transaction_id, '0') = n.key`
// Another installation may have used the same number.
const BY_NUMBER = statement<LineMovementRow>(
  'movements of statement lines by number',
  `select n.key, m.merchant_id as "merchantId", m.id as movement from unnest($1::text[]) as n (key)
     cross join lateral (${liveMovements('m.rail_transaction_id = n.key')} union all ${liveMovements(PADDED)}) m
     join rail_attempts a on a.subject = m.id and a.merchant_id = m.merchant_id
   where $2::text is null or a.installation = $2`,
)
const CARRIERS = statement<{ movement: string; installation: string; side: RailSide }>(
  'contracts of statement lines',
  `select a.subject as movement, a.installation, a.side
   from unnest($1::text[], $2::bigint[]) as n (id, merchant_id) join rail_attempts a on a.subject = n.id and a.merchant_id = n.merchant_id
   where a.first_sent_at is not null`,
)
const MAX_KNOWN_TAGS = 50_000
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/

/**
 * Makes a function that finds the movement of each line of a batch: by our id or reference in it, otherwise by the operator's number. A
 * line belongs to the cell of its merchant; a line that names no movement of ours, to the first. `installation`: the one that the file is
 * of.
 */
export function makeLineMatcher(gateway: StatementGateway, installation: string | null) {
  const owners = new Map<string, LineOwner | null>()
  const [first] = gateway.cells as [App] // A gateway serves at least one cell.

  async function learn(tags: readonly string[]): Promise<void> {
    if (owners.size >= MAX_KNOWN_TAGS) owners.clear()
    const fresh = [...new Set(tags)].filter((tag) => !owners.has(tag))
    if (fresh.length === 0) return
    for (const tag of fresh) owners.set(tag, null)
    for (const { tag, ...owner } of await readPatiently(gateway.directory, OWNERS, [fresh])) owners.set(tag, owner)
  }

  /** Matches a line by our id in it. */
  function matchById(line: StatementLine): MatchedLineInCell | null {
    const movement = normalizeSpelling(line.externalId ?? '')
    const tag = tagOfMovement(movement)
    const owner = tag === null ? null : (owners.get(tag) ?? null)
    if (owner === null) return null
    const app = gateway.cells.length === 1 ? first : gateway.appOf(owner)
    return { ...line, movement, merchantId: owner.id, app, carriedBy: null }
  }

  return async (lines: readonly StatementLine[]): Promise<MatchedLineInCell[]> => {
    await learn(lines.flatMap(({ externalId }) => tagOfMovement(normalizeSpelling(externalId ?? '')) ?? []))
    const matched = new Map<number, MatchedLineInCell>()
    for (const line of lines) {
      const match = matchById(line)
      if (match !== null) matched.set(line.line, match)
    }
    for (const app of gateway.cells) {
      const rest = lines.filter(({ line }) => !matched.has(line))
      for (const [line, { merchantId, movement }] of await findInCell(app, rest, installation))
        matched.set(line.line, { ...line, movement, merchantId, app, carriedBy: null })
    }
    const noMovement = { movement: null, merchantId: null, app: first, carriedBy: null }
    return addCarriers(lines.map((line) => matched.get(line.line) ?? { ...line, ...noMovement }))
  }
}

/** Finds the lines that have a reference, or nothing but a number, of a movement in this cell. */
async function findInCell(
  { db }: App,
  lines: readonly StatementLine[],
  installation: string | null,
): Promise<[StatementLine, LineMovementRow][]> {
  const references = groupByKey(lines, ({ externalId }) => parseReference(externalId))
  const numbers = groupByKey(lines, ({ externalId, railTransactionId }) =>
    externalId === null ? railTransactionId : null,
  )
  const rows = [
    ...(references.size === 0 ? [] : await readPatiently(db, BY_REFERENCE, [[...references.keys()]])),
    ...(numbers.size === 0 ? [] : await readPatiently(db, BY_NUMBER, [[...numbers.keys()], installation])),
  ]
  return rows.flatMap((row) =>
    (references.get(row.key) ?? numbers.get(row.key) ?? []).map((line): [StatementLine, LineMovementRow] => [
      line,
      row,
    ]),
  )
}

function groupByKey(lines: readonly StatementLine[], keyOf: (line: StatementLine) => string | null) {
  const byKey = new Map<string, StatementLine[]>()
  for (const line of lines) {
    const key = keyOf(line)
    if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), line])
  }
  return byKey
}

/** Parses our reference in a text: an operator's statement may have capitals, or no dashes. */
function parseReference(text: string | null): string | null {
  const spelled = normalizeSpelling(text ?? '')
  if (!UUID.test(spelled)) return null
  const hex = spelled.replaceAll('-', '')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

async function addCarriers(lines: readonly MatchedLineInCell[]): Promise<MatchedLineInCell[]> {
  const byCell = groupBy(
    lines.filter(({ movement }) => movement !== null),
    ({ app }) => app,
  )
  const carriers = new Map<string, { installation: string; side: RailSide }>()
  for (const [{ db }, own] of byCell) {
    const values = [own.map(({ movement }) => movement), own.map(({ merchantId }) => merchantId)]
    for (const { movement, ...carrier } of await readPatiently(db, CARRIERS, values)) carriers.set(movement, carrier)
  }
  return lines.map((line) => ({ ...line, carriedBy: carriers.get(line.movement ?? '') ?? null }))
}
