import type { AuditAnchor } from '../../api/access/audit-chain.ts'
import {
  askForAuditCheck,
  type ChainProof,
  followChains,
  listAuditChains,
} from '../../operations/alerts/check-audit.ts'
import { awaitReplay } from '../await-replay.ts'
import { command } from './frame/command.ts'
import { findText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const verifyAudit = command({
  usage: 'audit verify [--anchor PLACE:NUMBER:HASH]',
  says: 'follow the chain of the audit from its first row; exit 1 names the first bad row. An anchor is one that the log said',
  async run(input) {
    const { gateway } = input
    const anchor = parseAnchor(findText(input, 'anchor'))
    const chains = listAuditChains(gateway)
    if (anchor !== null && !chains.some(({ place }) => place === anchor.place))
      throw new WrongUsage(`--anchor must name one of ${chains.map(({ place }) => place).join(', ')}`)
    const asOf = input.opened.readOnly ? await awaitReplay(gateway.directory, input.say) : null
    const proofs = input.opened.readOnly
      ? await followChains(chains, asOf ?? gateway.clock.now(), anchor)
      : await askForAuditCheck(gateway, input.actor, anchor)
    return {
      json: { holds: proofs.every(({ broken }) => broken === null), places: proofs.map(presentProof) },
      lines: proofs.map(formatProof),
      exitCode: proofs.some(({ broken }) => broken !== null) ? 1 : 0,
    }
  },
})

export const auditCommands = [verifyAudit]

const presentProof = ({ place, anchor, broken }: ChainProof) => ({ place, anchor, broken })

const formatProof = ({ place, anchor, broken }: ChainProof) =>
  broken === null
    ? `${place}: every row is as it was sealed; anchor ${place}:${anchor.number}:${anchor.hash}`
    : `${place}: ${broken}`

function parseAnchor(text: string | undefined): (AuditAnchor & { place: string }) | null {
  if (text === undefined) return null
  const [, place, number, hash] = /^([a-z0-9_]+):([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (place === undefined || number === undefined || hash === undefined)
    throw new WrongUsage('--anchor must look like cell_0:12:<64 hexadecimal digits>, as the log says it')
  return { place, number: Number(number), hash }
}
