import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import type { Anchor } from '../actors/audit-chain.ts'
import { auditRow } from '../actors/audit-row.ts'
import { type AuditProof, verifyAudit } from '../actors/verify-audit.ts'
import type { Gateway } from '../app.ts'
import type { Database } from '../platform/db/database.ts'
import { firstRow } from '../platform/db/first-row.ts'
import { statement } from '../platform/db/statement.ts'
import type { Telling } from './send-alerts.ts'
import { tellOfAudit } from './tell-of-checks.ts'

/** A chain of the audit: that of a cell, or of the directory. */
export type AuditPlace = { place: string; db: Database }
export type PlaceProof = AuditProof & { place: string }
/** A check of one place. `endedAt` is null while it runs, and for ever where its process died. */
export type AuditCheck = {
  place: string
  askedBy: string
  begunAt: Date
  endedAt: Date | null
  number: number | null
  hash: string | null
  broken: string | null
}

const MOST_CHARACTERS = 1000
const BEGIN = statement<{ id: number }>(
  'begin check of audit',
  'insert into audit_checks (place, asked_by, begun_at) values ($1, $2, $3) returning id',
)
const END = statement(
  'end check of audit',
  'update audit_checks set ended_at = $2, number = $3, hash = $4, broken = $5 where id = $1',
)
const LATEST = statement<AuditCheck>(
  'latest checks of audit',
  `select place, asked_by as "askedBy", begun_at as "begunAt", ended_at as "endedAt", number, hash, broken from (
     select *, row_number() over (partition by place order by begun_at desc, id desc) as nth from audit_checks where begun_at > $1) c
   where nth <= 3 order by place, begun_at desc`,
)
const SHOWN_FOR_MS = 60 * 24 * 3_600_000

/** Every chain of the audit there is. */
export const auditPlaces = ({ cells, directory }: Pick<Gateway, 'cells' | 'directory'>): AuditPlace[] => [
  ...cells.map(({ cell, db }) => ({ place: cell, db })),
  { place: 'directory', db: directory },
]

/**
 * Follows these chains from their first rows, keeps what was found, and raises or closes the alert about it. `kept`: an anchor of one place
 * that was kept elsewhere.
 */
export async function checkAudit(
  telling: Telling,
  places: readonly AuditPlace[],
  { by, kept = null }: { by: string; kept?: (Anchor & { place: string }) | null },
): Promise<PlaceProof[]> {
  const { directory, clock } = telling
  const proofs: PlaceProof[] = []
  for (const { place, db } of places) {
    const begun = await firstRow(directory.query(BEGIN, [place, by, clock.now().toISOString()]))
    const proof = await verifyAudit(db, clock.now(), kept?.place === place ? kept : null)
    const { anchor, broken } = proof
    const said = broken?.slice(0, MOST_CHARACTERS) ?? null
    await directory.query(END, [begun?.id, clock.now().toISOString(), anchor.number, anchor.hash, said])
    proofs.push({ place, ...proof })
  }
  await tellOfAudit(telling, proofs)
  return proofs
}

/** The same for all places, asked for by a person. A long chain takes minutes. Throws 403. */
export async function askForAuditCheck(
  gateway: Gateway,
  actor: Actor,
  kept: (Anchor & { place: string }) | null = null,
): Promise<PlaceProof[]> {
  allow(actor, 'audit.verify')
  const row = auditRow({ actor, action: 'audit.verify', at: gateway.clock.now(), merchantId: null })
  await gateway.directory.query(row.statement, row.values)
  return checkAudit(gateway, auditPlaces(gateway), { by: nameOf(actor), kept })
}

/** The last three checks of each place in the last sixty days, newest first. */
export const latestAuditChecks = ({
  directory,
  clock,
}: Pick<Gateway, 'directory' | 'clock'>): Promise<AuditCheck[]> =>
  directory.query(LATEST, [new Date(clock.nowMs() - SHOWN_FOR_MS).toISOString()])
