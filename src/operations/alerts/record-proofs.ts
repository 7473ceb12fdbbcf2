import type { AuditProof } from '../../api/access/verify-audit.ts'
import type { App } from '../../program/app.ts'
import type { InvariantFinding } from '../verify/verify.ts'
import { recordFindings } from './record-alerts.ts'
import { sendAlerts } from './send-alerts.ts'
import type { AlertSender } from './send-message.ts'

/** Opens the alert about broken invariants, or closes it when all hold. Never throws: what verify found stands, even if this fails. */
export async function recordVerifyResult(app: App, findings: readonly InvariantFinding[]): Promise<void> {
  const broken = findings.filter(({ violations }) => violations > 0)
  const at = app.clock.now()
  const message = `verify found broken invariants in ${app.cell}: ${broken.map(({ id }) => id).join(', ')}`
  const size = broken.reduce((sum, { violations }) => sum + violations, 0)
  const alerts =
    broken.length === 0 ? [] : [{ kind: 'verify_failed', subject: app.cell, message, size, since: at } as const]
  try {
    await recordFindings(app.directory, { source: app.cell, kinds: ['verify_failed'], findings: alerts, at })
    await sendAlerts(app)
  } catch (error) {
    app.log.error({ err: error }, 'the alert about verify could not be raised')
  }
}

/** Opens the alerts about broken chains of the audit, or closes them. Never throws. */
export async function recordAuditProofs(
  sender: AlertSender,
  proofs: readonly (AuditProof & { place: string })[],
): Promise<void> {
  const at = sender.clock.now()
  try {
    for (const { place, broken } of proofs) {
      const message = `the audit of ${place} is not as it was written: ${broken}`
      const finding = { kind: 'audit_broken', subject: place, message, size: 1, since: at } as const
      const findings = broken === null ? [] : [finding]
      await recordFindings(sender.directory, { source: place, kinds: ['audit_broken'], findings, at })
    }
    await sendAlerts(sender)
  } catch (error) {
    sender.log.error({ err: error }, 'the alert about the audit could not be raised')
  }
}
