import { type Call, call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { RailSide } from './rail.ts'
import type { RailAlarms } from './rail-observer.ts'

/** The installation that two members of staff have chosen for a side, and since when. */
export type ChosenInstallation = { side: RailSide; installation: string; since: Date; approval: string }

/** The installations that take new movements by choice, as this process has read them. Without a choice the settings decide. */
export type InstallationChoice = {
  /** Returns the chosen installation of a side; null without a choice or where the settings lack it: then the settings decide. */
  of(side: RailSide): string | null
  /** Reads the choices from the database. Throws DatabaseAway. */
  refresh(): Promise<void>
}

// The newest approved switch of a side is the choice, so that there is no second record that could differ from it. The newest is the one
// with the highest number, because approvals may come from machines whose clocks differ.
const CHOSEN_INSTALLATIONS = statement<ChosenInstallation>(
  'chosen installations',
  `select s.side, a.command->>'installation' as installation, a.decided_at as since, a.id as approval
   from unnest(array['collect', 'disburse']) as s (side) cross join lateral (
     select id, decided_at, convert_from(command, 'UTF8')::jsonb as command from approvals
     where merchant_id = 0 and kind = 'installation' and subject = s.side and status = 'approved'
     order by decided_no desc limit 1) a`,
)
const ALARM_EVERY_MS = 60_000

/** Reads the choices as they are stored. Index: approvals_about. */
export const chosenInstallations = (): Call<ChosenInstallation> => call(CHOSEN_INSTALLATIONS)

type InstallationChoiceParts = {
  directory: Database
  clock: Clock
  alarms: RailAlarms
  /** The installations of the settings, by side. */
  known: readonly { id: string; side: RailSide }[]
}

/** Keeps the choices of this process. A chosen installation that the settings lack counts as no choice and raises an alarm. */
export function installationChoice({ directory, clock, alarms, known }: InstallationChoiceParts): InstallationChoice {
  let chosen = new Map<RailSide, string>()
  let alarmedMs = Number.NEGATIVE_INFINITY
  return {
    of: (side) => chosen.get(side) ?? null,
    async refresh() {
      const rows = await directory.query(CHOSEN_INSTALLATIONS)
      const isKnown = (choice: ChosenInstallation) =>
        known.some(({ id, side }) => id === choice.installation && side === choice.side)
      chosen = new Map(rows.filter(isKnown).map(({ side, installation }) => [side, installation]))
      const missing = rows.filter((row) => !isKnown(row))
      if (missing.length === 0 || clock.nowMs() - alarmedMs < ALARM_EVERY_MS) return
      alarmedMs = clock.nowMs()
      for (const { side, installation } of missing)
        alarms.raise({
          installation,
          side,
          kind: 'refused',
          says: formatMissingInstallation({ side, installation }),
        })
    },
  }
}

/** Formats the alarm about a chosen installation that the settings lack. */
export const formatMissingInstallation = ({
  side,
  installation,
}: Pick<ChosenInstallation, 'side' | 'installation'>): string =>
  `OP1_INSTALLATIONS lacks ${installation}, which two operators chose for ${side}: the contract that it marks as active takes new payments`
