import type { Anchor } from '../actors/audit-chain.ts'
import { type AuditProof, verifyAudit } from '../actors/verify-audit.ts'
import { recordLook } from '../alerts/raise-alerts.ts'
import { sendAlerts } from '../alerts/send-alerts.ts'
import type { Gateway } from '../app.ts'
import { command } from './command.ts'
import { optionalText } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

type Proof = AuditProof & { place: string }

const verify = command({
  usage: 'audit verify [--anchor PLACE:NUMBER:HASH]',
  says: 'follow the chain of the audit from its first row; exit 1 names the first bad row. An anchor is one that the log said',
  async run(input) {
    const { gateway } = input
    const kept = readAnchor(optionalText(input, 'anchor'))
    const places = [...gateway.cells.map(({ cell, db }) => ({ place: cell, db })), directoryOf(gateway)]
    if (kept !== null && !places.some(({ place }) => place === kept.place))
      throw new WrongUsage(`--anchor must name one of ${places.map(({ place }) => place).join(', ')}`)
    const proofs: Proof[] = []
    for (const { place, db } of places) {
      const own = kept?.place === place ? kept : null
      proofs.push({ place, ...(await verifyAudit(db, gateway.clock.now(), own)) })
    }
    await tell(gateway, proofs)
    return {
      json: { holds: proofs.every(({ broken }) => broken === null), places: proofs.map(shown) },
      lines: proofs.map(line),
      exitCode: proofs.some(({ broken }) => broken !== null) ? 1 : 0,
    }
  },
})

export const auditCommands = [verify]

const directoryOf = ({ directory }: Gateway) => ({ place: 'directory', db: directory })

const shown = ({ place, anchor, broken }: Proof) => ({ place, anchor, broken })

const line = ({ place, anchor, broken }: Proof) =>
  broken === null
    ? `${place}: every row is as it was sealed; anchor ${place}:${anchor.number}:${anchor.hash}`
    : `${place}: ${broken}`

function readAnchor(given: string | undefined): (Anchor & { place: string }) | null {
  if (given === undefined) return null
  const [, place, number, hash] = /^([a-z0-9_]+):([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(given) ?? []
  if (place === undefined || number === undefined || hash === undefined)
    throw new WrongUsage('--anchor must look like cell_0:12:<64 hexadecimal digits>, as the log says it')
  return { place, number: Number(number), hash }
}

/** Raises the alert for each broken chain, also when the command runs at night by a timer, and closes it for the others. */
async function tell(gateway: Gateway, proofs: readonly Proof[]): Promise<void> {
  const at = gateway.clock.now()
  try {
    for (const { place, broken } of proofs) {
      const says = `the audit of ${place} is not as it was written: ${broken}`
      const alarm = { kind: 'audit_broken', subject: place, says, size: 1, since: at } as const
      const found = broken === null ? [] : [alarm]
      await recordLook(gateway.directory, { place, kinds: ['audit_broken'], found, at })
    }
    await sendAlerts(gateway)
  } catch (error) {
    // What was found must be printed even if the alert fails.
    gateway.log.error({ err: error }, 'the alert about the audit could not be raised')
  }
}
