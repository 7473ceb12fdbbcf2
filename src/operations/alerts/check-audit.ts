import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import type { AuditAnchor } from '../../api/access/audit-chain.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type AuditProof, verifyAudit } from '../../api/access/verify-audit.ts'
import type { Database } from '../../platform/db/database.ts'
import { firstRow } from '../../platform/db/first-row.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Gateway } from '../../program/app.ts'
import { recordAuditProofs } from './record-proofs.ts'
import type { AlertSender } from './send-message.ts'

/** A chain of the audit: that of a cell, or of the directory. */
export type AuditChain = { place: string; db: Database }
export type ChainProof = AuditProof & { place: string }
/** A check of one chain. `endedAt` is null while it runs, and for ever where its process died. */
export type AuditCheck = {
  place: string
  askedBy: string
  begunAt: Date
  endedAt: Date | null
  number: number | null
  hash: string | null
  broken: string | null
}

const MAX_CHARACTERS = 1000
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
const LISTED_FOR_MS = 60 * 24 * 3_600_000

/** Every chain of the audit there is. */
export const listAuditChains = ({ cells, directory }: Pick<Gateway, 'cells' | 'directory'>): AuditChain[] => [
  ...cells.map(({ cell, db }) => ({ place: cell, db })),
  { place: 'directory', db: directory },
]

/**
 * Follows these chains from their first rows, stores what it found, and opens or closes the alert about it. `keptAnchor`: an anchor of one chain
 * that was kept elsewhere.
 */
export async function checkAudit(
  sender: AlertSender,
  chains: readonly AuditChain[],
  { by, keptAnchor = null }: { by: string; keptAnchor?: (AuditAnchor & { place: string }) | null },
): Promise<ChainProof[]> {
  const { directory, clock } = sender
  const proofs: ChainProof[] = []
  for (const { place, db } of chains) {
    const check = await firstRow(directory.query(BEGIN, [place, by, clock.now().toISOString()]))
    const proof = await verifyAudit(db, clock.now(), keptAnchor?.place === place ? keptAnchor : null)
    const { anchor, broken } = proof
    const firstBreak = broken?.slice(0, MAX_CHARACTERS) ?? null
    await directory.query(END, [check?.id, clock.now().toISOString(), anchor.number, anchor.hash, firstBreak])
    proofs.push({ place, ...proof })
  }
  await recordAuditProofs(sender, proofs)
  return proofs
}

/** Follows these chains as of a time and stores nothing: for a database that takes no writes. */
export async function followChains(
  chains: readonly AuditChain[],
  at: Date,
  keptAnchor: (AuditAnchor & { place: string }) | null,
): Promise<ChainProof[]> {
  const proofs: ChainProof[] = []
  for (const { place, db } of chains)
    proofs.push({ place, ...(await verifyAudit(db, at, keptAnchor?.place === place ? keptAnchor : null)) })
  return proofs
}

/** Checks all chains for a person. A long chain takes minutes. Throws 403. */
export async function askForAuditCheck(
  gateway: Gateway,
  actor: Actor,
  keptAnchor: (AuditAnchor & { place: string }) | null = null,
): Promise<ChainProof[]> {
  allow(actor, 'audit.verify')
  const row = auditRow({ actor, action: 'audit.verify', at: gateway.clock.now(), merchantId: null })
  await gateway.directory.query(row.statement, row.values)
  return checkAudit(gateway, listAuditChains(gateway), { by: actorName(actor), keptAnchor })
}

/** The last three checks of each chain in the last sixty days, newest first. */
export const latestAuditChecks = ({ directory, clock }: Pick<Gateway, 'directory' | 'clock'>): Promise<AuditCheck[]> =>
  directory.query(LATEST, [new Date(clock.nowMs() - LISTED_FOR_MS).toISOString()])
