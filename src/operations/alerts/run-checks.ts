import type { App, Gateway } from '../../program/app.ts'
import { listProcesses, SILENT_AFTER_MS, workerAgeMs } from '../jobs/process.ts'
import type { Check, Finding } from './check.ts'
import { BACKUP_CHECKS } from './checks/backups.ts'
import { MACHINE_CHECKS } from './checks/machine.ts'
import { MAIL_CHECKS } from './checks/mails.ts'
import { MERCHANT_CHECKS } from './checks/merchants.ts'
import { MONEY_CHECKS } from './checks/money.ts'
import { PROCESS_CHECKS } from './checks/processes.ts'
import { QUEUE_CHECKS } from './checks/queues.ts'
import { RAIL_CHECKS } from './checks/rails.ts'
import { RELEASE_CHECKS } from './checks/releases.ts'
import { VENDING_CHECKS } from './checks/vending.ts'
import { WAITING_WORK_CHECKS } from './checks/waiting-work.ts'
import { WEBHOOK_CHECKS } from './checks/webhooks.ts'
import type { AlertKind } from './kinds.ts'
import { recordFindings } from './record-alerts.ts'
import { sendAlerts } from './send-alerts.ts'

/** All checks. What only a command can find (`verify`) is recorded by the command. */
const CHECKS: readonly Check[] = [
  ...MONEY_CHECKS,
  ...MERCHANT_CHECKS,
  ...QUEUE_CHECKS,
  ...WEBHOOK_CHECKS,
  ...VENDING_CHECKS,
  ...RELEASE_CHECKS,
  ...RAIL_CHECKS,
  ...MAIL_CHECKS,
  ...PROCESS_CHECKS,
  ...WAITING_WORK_CHECKS,
  ...BACKUP_CHECKS,
  ...MACHINE_CHECKS,
]

/**
 * Runs all checks with this cell, records what they found as alerts and sends those. Returns how many conditions hold. A check that fails
 * is logged: its alerts stay as they are, and the other checks run. While the clock is in doubt only checks run that need none.
 */
export async function runChecks(app: App): Promise<number> {
  const at = app.witness.earlier()
  const trusted = app.witness.doubt() === null
  const bySource = new Map<string, { kinds: AlertKind[]; findings: Finding[] }>()
  for (const check of CHECKS.filter(({ trustsNoClock }) => trusted || trustsNoClock))
    try {
      const findings = await check.find(app, at)
      const source = check.source(app)
      const before = bySource.get(source) ?? { kinds: [], findings: [] }
      bySource.set(source, {
        kinds: [...before.kinds, ...check.kinds],
        findings: [...before.findings, ...findings],
      })
    } catch (error) {
      app.log.error({ err: error, alerts: check.kinds }, 'a check for alerts failed')
    }
  let holding = 0
  for (const [source, checked] of bySource)
    try {
      await recordFindings(app.directory, { source, ...checked, at })
      holding += checked.findings.length
    } catch (error) {
      app.log.error({ err: error, source }, 'alerts could not be recorded')
    }
  try {
    await sendAlerts(app)
  } catch (error) {
    app.log.error({ err: error }, 'alerts could not be sent')
  }
  return holding
}

/** Runs the checks in a web process, if no worker has reported lately: the worker is the one that runs them else. */
export async function runChecksWithoutWorker(gateway: Gateway): Promise<void> {
  const age = workerAgeMs(await listProcesses(gateway), gateway.clock.nowMs())
  if (age === null || age > SILENT_AFTER_MS) await runChecksOfAllCells(gateway)
}

/** Runs the checks at once, right after a command that a person must know of. */
export async function runChecksOfAllCells(gateway: Gateway): Promise<void> {
  for (const app of gateway.cells) await runChecks(app)
}
