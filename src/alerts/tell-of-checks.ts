import type { AuditProof } from '../actors/verify-audit.ts'
import type { App } from '../app.ts'
import type { Finding } from '../verify/verify.ts'
import { recordLook } from './raise-alerts.ts'
import { sendAlerts, type Telling } from './send-alerts.ts'

/** Raises the alert for a broken invariant, and closes it when all hold. What was found stands, even if that fails. */
export async function tellOfVerify(app: App, findings: readonly Finding[]): Promise<void> {
  const broken = findings.filter(({ violations }) => violations > 0)
  const at = app.clock.now()
  const says = `verify found broken invariants in ${app.cell}: ${broken.map(({ id }) => id).join(', ')}`
  const size = broken.reduce((sum, { violations }) => sum + violations, 0)
  const found =
    broken.length === 0 ? [] : [{ kind: 'verify_failed', subject: app.cell, says, size, since: at } as const]
  try {
    await recordLook(app.directory, { place: app.cell, kinds: ['verify_failed'], found, at })
    await sendAlerts(app)
  } catch (error) {
    app.log.error({ err: error }, 'the alert about verify could not be raised')
  }
}

/** The same for the chains of the audit. */
export async function tellOfAudit(
  telling: Telling,
  proofs: readonly (AuditProof & { place: string })[],
): Promise<void> {
  const at = telling.clock.now()
  try {
    for (const { place, broken } of proofs) {
      const says = `the audit of ${place} is not as it was written: ${broken}`
      const alarm = { kind: 'audit_broken', subject: place, says, size: 1, since: at } as const
      const found = broken === null ? [] : [alarm]
      await recordLook(telling.directory, { place, kinds: ['audit_broken'], found, at })
    }
    await sendAlerts(telling)
  } catch (error) {
    telling.log.error({ err: error }, 'the alert about the audit could not be raised')
  }
}
