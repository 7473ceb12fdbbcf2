import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { type Shared, sharedWith } from './digests.ts'
import { documentEnds } from './document-expiry.ts'
import { type CheckedNumber, type NameCheck, nameChecks } from './name-check.ts'
import { readVerification, type Verification } from './read-application.ts'

/** An application beside what was found out about it. */
export type Reviewed = {
  verification: Verification
  shared: readonly Shared[]
  checks: ReadonlyMap<CheckedNumber, NameCheck>
  /** Until when documents count, by id. */
  ends: ReadonlyMap<string, string>
}

/** Everything that a reviewer sees of a merchant, its answers in clear; who looked stands in the audit. Throws Refusal. */
export async function reviewApplication(
  app: App,
  actor: Actor,
  { id: merchantId, publicId }: Pick<Merchant, 'id' | 'publicId'>,
): Promise<Reviewed> {
  allow(actor, 'verification.read', merchantId)
  const act = { actor, action: 'verification.read', at: app.clock.now(), merchantId } as const
  const row = auditRow({ ...act, subject: publicId, after: { read: 'answers' } })
  await app.db.query(row.statement, row.values)
  const [verification, shared, checks, ends] = await Promise.all([
    readVerification(app, merchantId),
    sharedWith(app, merchantId),
    nameChecks(app, merchantId),
    documentEnds(app, merchantId),
  ])
  return { verification, shared, checks, ends }
}
