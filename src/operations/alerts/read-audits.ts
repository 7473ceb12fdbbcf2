import {
  MAX_AUDIT_ROWS,
  readAuditForFile,
  readNewestAudit,
  type WholeAuditFilter,
  type WholeAuditRow,
} from '../../api/access/read-whole-audit.ts'
import { mergeSorted } from '../../platform/merge-sorted.ts'
import { badRequest } from '../../platform/refusal.ts'
import type { AuditChain } from './check-audit.ts'

/** A row with the chain in which it stands. */
export type PlacedAuditRow = WholeAuditRow & { place: string }

const ROWS_PER_PAGE = 50
const CURSOR = /^([a-z0-9_]{1,63})\.(\d{1,16})$/
const MAX_CHAINS = 1000

/** Reads one page of several chains in one order of time, newest first, and the cursor of the next page. Throws 400. */
export async function readAudits(
  chains: readonly AuditChain[],
  filter: WholeAuditFilter,
): Promise<{ rows: PlacedAuditRow[]; older: string | null }> {
  const begun = filter.older === null ? null : parseCursor(filter.older)
  const found = await Promise.all(
    chains.map(async ({ place, db }) => {
      const older = begun?.get(place) ?? null
      // A chain that the cursor does not name any more was at its end.
      if (begun !== null && older === null) return []
      return addPlace(place, await readNewestAudit(db, { ...filter, older }, ROWS_PER_PAGE + 1))
    }),
  )
  const { rows, taken } = mergeSorted(found, { limit: ROWS_PER_PAGE, comesFirst: (a, b) => a.at > b.at })
  const ends = chains.flatMap(({ place }, nth) => {
    const own = found[nth] ?? []
    const shown = taken[nth] ?? 0
    if (shown === own.length) return []
    return [`${place}.${own[shown - 1]?.id ?? begun?.get(place) ?? Number.MAX_SAFE_INTEGER}`]
  })
  return { rows, older: ends.length === 0 ? null : ends.join(',') }
}

/** Reads the newest rows of these chains, as many as a file holds, in one order of time. */
export async function readAllAudits(
  chains: readonly AuditChain[],
  filter: WholeAuditFilter,
): Promise<PlacedAuditRow[]> {
  const found = await Promise.all(
    chains.map(async ({ place, db }) => addPlace(place, await readAuditForFile(db, filter))),
  )
  return mergeSorted(found, { limit: MAX_AUDIT_ROWS, comesFirst: (a, b) => a.at > b.at }).rows
}

const addPlace = (place: string, rows: readonly WholeAuditRow[]) => rows.map((row) => ({ ...row, place }))

function parseCursor(text: string): ReadonlyMap<string, string> {
  const ends = text.split(',', MAX_CHAINS).map((end) => CURSOR.exec(end))
  return new Map(
    ends.map((end) => {
      const [, place = '', id = ''] = end ?? []
      if (place === '') throw badRequest('invalid cursor')
      return [place, id]
    }),
  )
}
