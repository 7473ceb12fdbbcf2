import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { recordVerifyResult } from '../../operations/alerts/record-proofs.ts'
import { verifyStops } from '../../operations/verify/stops.ts'
import {
  formatVerifyReport,
  type InvariantFinding,
  presentFinding,
  verifyCell,
} from '../../operations/verify/verify.ts'
import { storeVerifyRun } from '../../operations/verify/verify-runs.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App, Gateway } from '../app.ts'
import { awaitReplay } from '../await-replay.ts'
import { buildSweeps, type CellSweep } from '../sweeps.ts'
import { examineInstallation } from './doctor.ts'
import { readDurability } from './durability.ts'
import { command, formatFacts } from './frame/command.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const migrateCommand = command({
  usage: 'migrate',
  says: 'bring the schema up to date',
  async run({ opened }) {
    const { applied, granted, cells, role, unreached } = opened.migrated
    const done = [
      ...applied.map((name) => `applied ${name}`),
      ...(granted ? [`gave the role ${role ?? 'of the service'} its rights`] : []),
    ]
    const left = unreached.map((cell) => `${cell} was not looked at: its node does not answer`)
    return {
      json: { applied, granted, cells, role, unreached },
      lines: [...(done.length === 0 ? ['nothing to do'] : done), ...left],
    }
  },
})

const sweep = command({
  usage: 'sweep [NAME]',
  says: 'run every background task once, or one of them',
  async run({ gateway, actor, words }) {
    const handled = await runSweeps(gateway, actor, words[0] ?? null)
    return {
      json: handled,
      lines: formatFacts(handled, 20),
    }
  },
})

/** Runs every task once, or the one that is named, as the worker does. */
async function runSweeps(gateway: Gateway, actor: Actor, name: string | null): Promise<Record<string, number>> {
  allow(actor, 'sweep.run')
  const doubt = gateway.witness.doubt()
  if (doubt !== null) throw new Refusal(409, 'conflict', `${doubt}: no task runs by a wrong clock`)
  const tasks = gateway.cells.map((app) => findTasks(app, name))
  const act = { actor, action: 'sweep.run', at: gateway.clock.now(), merchantId: null } as const
  const begun = auditRow({ ...act, subject: name })
  await gateway.directory.query(begun.statement, begun.values)
  const handled: Record<string, number> = {}
  for (const task of tasks.flat()) {
    handled[task.name] = (handled[task.name] ?? 0) + (await task.runOnce())
    await task.finish?.()
  }
  return handled
}

function findTasks(app: App, name: string | null): CellSweep[] {
  const sweeps = buildSweeps(app)
  const tasks = name === null ? sweeps : sweeps.filter((sweep) => sweep.name === name)
  if (tasks.length > 0) return tasks
  throw new WrongUsage(`there is no task ${name}; there are ${sweeps.map((sweep) => sweep.name).join(', ')}`)
}

const verify = command({
  usage: 'verify',
  says: 'check every invariant of the ledger; exit 1 on a breach',
  async run({ gateway, opened, say }) {
    const asOf = opened.readOnly ? await awaitReplay(gateway.directory, say) : null
    const cells = []
    for (const app of gateway.cells) {
      const begunAt = asOf ?? gateway.clock.now()
      const findings = [...(await verifyCell(app.db, begunAt)), await verifyStops(app)]
      cells.push({ cell: app.cell, findings })
      if (opened.readOnly) continue
      await storeResult(app, begunAt, findings)
      await recordVerifyResult(app, findings)
    }
    const holds = cells.every(({ findings }) => findings.every(({ violations }) => violations === 0))
    const lines = cells.flatMap(({ cell, findings }) => [cell, formatVerifyReport(findings)])
    return {
      json: {
        holds,
        cells: cells.map(({ cell, findings }) => ({ cell, findings: findings.map(presentFinding) })),
      },
      lines: [...lines, holds ? 'every invariant holds' : 'AN INVARIANT IS BROKEN'],
      exitCode: holds ? 0 : 1,
    }
  },
})

/** Stores the result for the console and the metrics. It is printed even if that fails. */
async function storeResult(app: App, begunAt: Date, findings: readonly InvariantFinding[]): Promise<void> {
  await storeVerifyRun(app, { begunAt, findings }).catch((error) =>
    app.log.error({ err: error }, 'the result of verify could not be stored'),
  )
}

const doctor = command({
  usage: 'doctor',
  says: 'what is wrong with the settings and the database, and what is lost with its host; exit 1 when production refuses',
  async run(input) {
    const findings = await examineInstallation(input)
    const { promises } = await readDurability(input.gateway)
    const refused = findings.some(({ level }) => level === 'refused')
    const found =
      findings.length === 0 ? ['nothing to report'] : findings.map(({ level, says }) => `${level.padEnd(8)} ${says}`)
    return {
      json: { ok: !refused, findings, promises },
      lines: [...found, ...promises.map((says) => `promise  ${says}`)],
      exitCode: refused ? 1 : 0,
    }
  },
})

export const upkeepCommands = [migrateCommand, sweep, verify, doctor]
