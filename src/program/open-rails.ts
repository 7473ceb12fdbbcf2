import type { Database } from '../platform/db/database.ts'
import type { ConfiguredRail } from '../rails/configured-rail.ts'
import { statusBudget } from '../rails/following/status-budget.ts'
import { guardRails } from '../rails/guard.ts'
import { installationChoice } from '../rails/installation-choice.ts'
import { liveInstallations } from '../rails/live-rails.ts'
import { logRailRequests, traceRailRequests } from '../rails/log-rail-requests.ts'
import { openOp1Rail } from '../rails/op1-momo/adapter.ts'
import { describeInstallation } from '../rails/op1-momo/installation.ts'
import type { Op1Parts } from '../rails/op1-momo/line.ts'
import type { Channel, Rails } from '../rails/rail.ts'
import { relayObserver } from '../rails/rail-observer.ts'
import { railTroubles } from '../rails/rail-troubles.ts'
import { sandboxRail } from '../rails/sandbox.ts'
import type { GatewayParts } from './app.ts'

/** Opens the rails, the budget of status questions that the installations share, and the observers of the live rails. */
export function openRails(parts: GatewayParts, directory: Database) {
  const installations = () => liveInstallations({ rails })
  const budget = statusBudget({ directory, clock: parts.clock, installations })
  const troubles = railTroubles({ directory, clock: parts.clock, log: parts.log })
  const observer = relayObserver(troubles, logRailRequests(parts.log), traceRailRequests)
  const configured = parts.liveRails
    ? {}
    : openConfiguredRails(parts, directory, { budget, alarms: troubles, observer })
  const rails = buildRails(parts, parts.liveRails ?? configured)
  return { configured: Object.values(configured), rails, budget, troubles, observer }
}

/** The rails by mode and channel. Test mode has the sandbox, which cannot pay out on every channel. */
function buildRails({ config, clock }: GatewayParts, live: Rails['live']): Rails {
  const sandbox = (pays: boolean) => sandboxRail(clock, { outcomeSeconds: config.sandboxOutcomeSeconds, pays })
  const collecting = sandbox(false)
  return guardRails({
    test: { op1_momo: sandbox(true), op2_money: collecting, card: collecting },
    live,
  })
}

type ConfiguredRails = { readonly [channel in Channel]?: ConfiguredRail }

/** Opens the live rails that the settings describe, by channel. A further operator gets its line here. */
function openConfiguredRails(
  { config, clock, log }: GatewayParts,
  directory: Database,
  parts: Pick<Op1Parts, 'budget' | 'alarms' | 'observer'>,
): ConfiguredRails {
  const { op1Installations: installations } = config
  if (installations.length === 0) return {}
  const known = installations.map(describeInstallation).flatMap(({ id, sides }) => sides.map((side) => ({ id, side })))
  const choice = installationChoice({ directory, clock, alarms: parts.alarms, known })
  return { op1_momo: openOp1Rail({ installations, choice, clock, log, ...parts }) }
}
