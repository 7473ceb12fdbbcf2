import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { App } from '../../program/app.ts'
import type { Merchant } from '../account/merchant.ts'
import { readSharedFacts, type SharedFact } from './digests.ts'
import { readDocumentExpiries } from './document-expiry.ts'
import { type CheckedNumber, type NameCheck, readNameChecks } from './name-check.ts'
import { readVerification, type Verification } from './read-application.ts'

/** A verification with the facts that a reviewer compares it with. */
export type ApplicationReview = {
  verification: Verification
  shared: readonly SharedFact[]
  checks: ReadonlyMap<CheckedNumber, NameCheck>
  /** The expiry days of documents, by document id. */
  ends: ReadonlyMap<string, string>
}

/** Reads everything that a reviewer sees of a merchant, its answers in clear. The audit records who read it. Throws Refusal. */
export async function reviewApplication(
  app: App,
  actor: Actor,
  { id: merchantId, publicId }: Pick<Merchant, 'id' | 'publicId'>,
): Promise<ApplicationReview> {
  allow(actor, 'verification.read', merchantId)
  const act = { actor, action: 'verification.read', at: app.clock.now(), merchantId } as const
  const row = auditRow({ ...act, subject: publicId, after: { read: 'answers' } })
  await app.db.query(row.statement, row.values)
  const [verification, shared, checks, ends] = await Promise.all([
    readVerification(app, merchantId),
    readSharedFacts(app, merchantId),
    readNameChecks(app, merchantId),
    readDocumentExpiries(app, merchantId),
  ])
  return { verification, shared, checks, ends }
}
