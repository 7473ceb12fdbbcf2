import type { StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { type ChosenInstallation, chosenInstallations } from '../../rails/installation-choice.ts'
import type { RailSide } from '../../rails/rail.ts'
import { type Approval, type ApprovalCommands, PLATFORM_TAG } from './approval.ts'
import { askForApproval } from './ask-for-approval.ts'
import type { Effect } from './effect.ts'

/** One side of the operator: the installation that takes its new movements, the choice behind it (null: the settings), and all that could. */
export type SideInstallations = {
  side: RailSide
  takes: string | null
  chosen: ChosenInstallation | null
  known: string[]
}
const RAIL_SIDES: readonly RailSide[] = ['collect', 'disburse']

/** Returns which installation takes new movements of each side; every process follows a change within seconds. */
export async function readSideInstallations(gateway: Gateway): Promise<SideInstallations[]> {
  if (gateway.configuredRails.length === 0) return []
  const { statement, values } = chosenInstallations()
  const chosen = await gateway.directory.query(statement, values)
  return RAIL_SIDES.map((side) => findSideInstallations(configuredInstallations(gateway), side, chosen))
}

/** Returns the installations of the settings. A choice is about one side of all of them: it names no operator. */
const configuredInstallations = ({ configuredRails }: Gateway): ConfiguredInstallations =>
  configuredRails.flatMap(({ settings }) => settings)

type ConfiguredInstallations = readonly { id: string; sides: readonly RailSide[]; active: boolean }[]

function findSideInstallations(
  installations: ConfiguredInstallations,
  side: RailSide,
  chosen: readonly ChosenInstallation[],
): SideInstallations {
  const own = installations.filter(({ sides }) => sides.includes(side))
  const choice = chosen.find((row) => row.side === side) ?? null
  const isConfigured = own.some(({ id }) => id === choice?.installation)
  const bySettings = own.find(({ active }) => active)?.id ?? null
  return {
    side,
    chosen: choice,
    takes: isConfigured && choice ? choice.installation : bySettings,
    known: own.map(({ id }) => id),
  }
}

type SwitchInput = Pick<ApprovalCommands['installation'], 'side' | 'installation' | 'reason'>

/** Asks for another installation to take the new movements of a side. Movements under way stay where they are. Throws Refusal. */
export async function askInstallationSwitch(
  gateway: Gateway,
  caller: StaffCaller,
  { side, installation, reason }: SwitchInput,
): Promise<Approval> {
  allow(caller, 'installation.switch')
  const current = (await readSideInstallations(gateway)).find((row) => row.side === side)
  if (!current?.known.includes(installation)) throw unknownInstallation(installation, side)
  if (current.takes === installation)
    throw domainRefusal('conflict', `${installation} takes new movements of ${side} already`)
  const command = { kind: 'installation', side, installation, instead_of: current.takes, reason } as const
  const owner = { db: gateway.directory, clock: gateway.clock, merchantId: 0, tag: PLATFORM_TAG } as const
  return askForApproval(caller, { ...owner, mode: 'live', subject: side, command })
}

/** The approval is the choice: processes read the newest approved one. It is refused where another installation took over since. */
export const SWITCH_INSTALLATION: Effect<'installation'> = {
  async run({ gateway, tx, actor, approval, command, at }) {
    const { side, installation, instead_of: before } = command
    const [chosen] = await tx.send(chosenInstallations())
    const now = findSideInstallations(configuredInstallations(gateway), side, chosen)
    if (!now.known.includes(installation)) throw unknownInstallation(installation, side)
    if (now.takes !== before)
      throw domainRefusal('conflict', `new movements of ${side} go through ${now.takes} now: ask for it again`)
    const act = { actor, action: 'installation.switch', at, merchantId: null, subject: side } as const
    return [auditRow({ ...act, before: { installation: before }, after: { installation, approval } })]
  },
  async afterCommit({ configuredRails }) {
    await Promise.all(configuredRails.map((rail) => rail.refreshChoice()))
  },
}

const unknownInstallation = (installation: string, side: RailSide) =>
  domainRefusal('conflict', `OP1_INSTALLATIONS has no contract ${installation} for ${side}`)
