import { readSideInstallations } from '../../operations/approvals/switch-installation.ts'
import { statement } from '../../platform/db/statement.ts'
import { formatMissingInstallation } from '../../rails/installation-choice.ts'
import type { Gateway } from '../app.ts'
import type { Config } from '../settings/config.ts'
import { isLoopback } from '../settings/op1-installations.ts'

// The name of the operator's own test system.
const SANDBOX = 'sandbox'

const UNFINISHED_MOVEMENTS = statement<{ installation: string; open: number }>(
  'unfinished movements by contract',
  `select installation, count(*)::int as open from rail_attempts
   where state in ('sending', 'accepted', 'in_doubt', 'not_sent') and installation <> '' group by installation`,
)

/** Warns of installations that two staff members chose and the settings lack: the settings count, and a person must know. */
export async function findChoiceWarnings(gateway: Gateway): Promise<string[]> {
  const sides = await readSideInstallations(gateway)
  return sides.flatMap(({ chosen, takes }) =>
    chosen !== null && chosen.installation !== takes ? [formatMissingInstallation(chosen)] : [],
  )
}

/** Finds installations that are no longer in the settings while payments through them are open (rails.md 3.2). */
export async function findLostInstallations({ op1Installations }: Config, gateway: Gateway): Promise<string[]> {
  if (op1Installations.length === 0) return []
  const known = new Set(op1Installations.map(({ id }) => id))
  const open = (await Promise.all(gateway.cells.map((app) => app.db.query(UNFINISHED_MOVEMENTS)))).flat()
  return open
    .filter(({ installation }) => !known.has(installation))
    .map(
      ({ installation, open: count }) =>
        `OP1_INSTALLATIONS lacks ${installation}, through which ${count} unfinished payments went: keep it, with "active": false, until they have ended`,
    )
}

/** Finds live installations with an emulator behind them: it reports every payment as paid, and no money moves (reliability.md 8.4). */
export const findEmulatorFaults = ({ op1Installations }: Pick<Config, 'op1Installations'>): string[] =>
  op1Installations
    .filter(({ active, baseUrl }) => active && isLoopback(baseUrl))
    .map(
      ({ id, baseUrl }) =>
        `OP1_INSTALLATIONS has ${id} at ${baseUrl}, an address of this machine, where an emulator listens: live payments would be called paid and no money would move. Set the operator's address, or "active": false`,
    )

/**
 * Warns of what live mode refuses without an installation, and of installations with the operator's test system, which may be intended.
 */
export function findInstallationWarnings({ op1Installations }: Pick<Config, 'op1Installations'>): string[] {
  if (op1Installations.length === 0)
    return ['OP1_INSTALLATIONS is empty: live charges and payouts are refused, only test mode works']
  const lacks = (['collection', 'disbursement'] as const).filter(
    (product) => !op1Installations.some((installation) => installation.active && installation[product] !== null),
  )
  const nouns = { collection: 'charges', disbursement: 'payouts' } as const
  const tests = op1Installations.filter(
    (installation) => installation.active && installation.targetEnvironment === SANDBOX,
  )
  return [
    ...lacks.map(
      (product) => `no active contract of OP1_INSTALLATIONS has "${product}": live ${nouns[product]} are refused`,
    ),
    ...tests.map(({ id }) => `OP1_INSTALLATIONS has ${id} in the operator's sandbox: its payments move no real money`),
  ]
}
