import {
  allOfAudit,
  MOST_OF_AUDIT,
  newestOfAudit,
  type WholeAuditFilter,
  type WholeAuditRow,
} from '../actors/read-whole-audit.ts'
import { inTurn } from '../platform/in-turn.ts'
import { badRequest } from '../platform/refusal.ts'
import type { AuditPlace } from './check-audit.ts'

/** A row with the place in whose chain it stands. */
export type PlacedAuditRow = WholeAuditRow & { place: string }

const PAGE = 50
const CURSOR = /^([a-z0-9_]{1,63})\.(\d{1,16})$/
const MOST_PLACES = 1000

/** One page of the audit of several places in one order of time, newest first, and where it goes on. Throws 400. */
export async function readEveryAudit(
  places: readonly AuditPlace[],
  filter: WholeAuditFilter,
): Promise<{ rows: PlacedAuditRow[]; older: string | null }> {
  const begun = filter.older === null ? null : readCursor(filter.older)
  const found = await Promise.all(
    places.map(async ({ place, db }) => {
      const older = begun?.get(place) ?? null
      // A place that is not named any more was at its end.
      if (begun !== null && older === null) return []
      return placed(place, await newestOfAudit(db, { ...filter, older }, PAGE + 1))
    }),
  )
  const { rows, taken } = inTurn(found, { limit: PAGE, comesFirst: (a, b) => a.at > b.at })
  const ends = places.flatMap(({ place }, nth) => {
    const own = found[nth] ?? []
    const shown = taken[nth] ?? 0
    if (shown === own.length) return []
    return [`${place}.${own[shown - 1]?.id ?? begun?.get(place) ?? Number.MAX_SAFE_INTEGER}`]
  })
  return { rows, older: ends.length === 0 ? null : ends.join(',') }
}

/** The newest rows of these places that fit, in one order of time, for a file. */
export async function allOfEveryAudit(
  places: readonly AuditPlace[],
  filter: WholeAuditFilter,
): Promise<PlacedAuditRow[]> {
  const found = await Promise.all(
    places.map(async ({ place, db }) => placed(place, await allOfAudit(db, filter))),
  )
  return inTurn(found, { limit: MOST_OF_AUDIT, comesFirst: (a, b) => a.at > b.at }).rows
}

const placed = (place: string, rows: readonly WholeAuditRow[]) => rows.map((row) => ({ ...row, place }))

function readCursor(text: string): ReadonlyMap<string, string> {
  const ends = text.split(',', MOST_PLACES).map((one) => CURSOR.exec(one))
  return new Map(
    ends.map((end) => {
      const [, place = '', id = ''] = end ?? []
      if (place === '') throw badRequest('invalid cursor')
      return [place, id]
    }),
  )
}
