import { recordLook } from '../alerts/raise-alerts.ts'
import { sendAlerts } from '../alerts/send-alerts.ts'
import type { App } from '../app.ts'
import { sweepsOf } from '../sweeps.ts'
import { verifyStops } from '../verify/stops.ts'
import { verifyCell, verifyReport } from '../verify/verify.ts'
import { type Command, WrongUsage } from './command.ts'
import { examine } from './doctor.ts'

const migrateCommand: Command = {
  name: 'migrate',
  usage: 'migrate',
  says: 'bring the schema up to date',
  words: 0,
  options: {},
  async run({ opened }) {
    const { applied, cells, role } = opened.migrated
    const lines = applied.length === 0 ? ['nothing to do'] : applied.map((name) => `applied ${name}`)
    return { json: { applied, cells, role }, lines }
  },
}

const sweep: Command = {
  name: 'sweep',
  usage: 'sweep [NAME]',
  says: 'run every background task once, or one of them',
  words: { least: 0, most: 1 },
  options: {},
  async run({ gateway, words }) {
    const handled: Record<string, number> = {}
    for (const app of gateway.cells) {
      const sweeps = sweepsOf(app)
      const wanted = words[0] === undefined ? sweeps : sweeps.filter(({ name }) => name === words[0])
      if (wanted.length === 0)
        throw new WrongUsage(
          `there is no task ${words[0]}; there are ${sweeps.map(({ name }) => name).join(', ')}`,
        )
      for (const one of wanted) {
        handled[one.name] = (handled[one.name] ?? 0) + (await one.runOnce())
        await one.finish?.()
      }
    }
    return {
      json: handled,
      lines: Object.entries(handled).map(([name, count]) => `${name.padEnd(20)} ${count}`),
    }
  },
}

const verify: Command = {
  name: 'verify',
  usage: 'verify',
  says: 'check every invariant of the ledger; exit 1 on a breach',
  words: 0,
  options: {},
  async run({ gateway }) {
    const cells = []
    for (const app of gateway.cells) {
      const findings = [...(await verifyCell(app.db, gateway.clock.now())), await verifyStops(app)]
      cells.push({ cell: app.cell, findings })
      await tellOfVerify(app, findings)
    }
    const holds = cells.every(({ findings }) => findings.every(({ violations }) => violations === 0))
    const lines = cells.flatMap(({ cell, findings }) => [cell, verifyReport(findings)])
    return {
      json: { holds, cells },
      lines: [...lines, holds ? 'every invariant holds' : 'AN INVARIANT IS BROKEN'],
      exitCode: holds ? 0 : 1,
    }
  },
}

/** Raises an alert for a broken invariant, also when the command runs at night by a timer. */
async function tellOfVerify(app: App, findings: Awaited<ReturnType<typeof verifyCell>>): Promise<void> {
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
    // The result of verify must be printed even if the alert fails.
    app.log.error({ err: error }, 'the alert about verify could not be raised')
  }
}

const doctor: Command = {
  name: 'doctor',
  usage: 'doctor',
  says: 'what is wrong with the settings and the database; exit 1 when production refuses',
  words: 0,
  options: {},
  async run(input) {
    const findings = await examine(input)
    const refused = findings.some(({ level }) => level === 'refused')
    return {
      json: { ok: !refused, findings },
      lines:
        findings.length === 0
          ? ['nothing to report']
          : findings.map(({ level, says }) => `${level.padEnd(8)} ${says}`),
      exitCode: refused ? 1 : 0,
    }
  },
}

export const upkeepCommands = [migrateCommand, sweep, verify, doctor]
