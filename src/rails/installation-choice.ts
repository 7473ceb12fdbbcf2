import type { Clock } from '../platform/clock.ts'
import { type Call, call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { RailSide } from './rail.ts'
import type { RailAlarms } from './rail-observer.ts'

/** Which contract two operators have chosen for a side, and since when. */
export type Chosen = { side: RailSide; installation: string; since: Date; approval: string }

/** Which contracts take new movements by choice, as this process knows it. Without a choice the settings say it. */
export type InstallationChoice = {
  /** The chosen contract of a side, where this process has it; else null, and the settings count. */
  of(side: RailSide): string | null
  /** Reads the choices anew. Errors: DatabaseAway. */
  refresh(): Promise<void>
}

// The newest approved switch of a side is the choice: there is no second record that could differ from it. Which is the newest is said by
// its number: two operators may sit before machines whose clocks differ.
const CHOSEN = statement<Chosen>(
  'chosen installations',
  `select s.side, a.command->>'installation' as installation, a.decided_at as since, a.id as approval
   from unnest(array['collect', 'disburse']) as s (side) cross join lateral (
     select id, decided_at, convert_from(command, 'UTF8')::jsonb as command from approvals
     where merchant_id = 0 and kind = 'installation' and subject = s.side and status = 'approved'
     order by decided_no desc limit 1) a`,
)
const TELL_EVERY_MS = 60_000

/** The choices as they are stored. Index: approvals_about. */
export const chosenInstallations = (): Call<Chosen> => call(CHOSEN)

type Parts = {
  directory: Database
  clock: Clock
  alarms: RailAlarms
  /** The contracts of the settings, by side. */
  known: readonly { id: string; side: RailSide }[]
}

/** Keeps the choices of this process. A chosen contract that the settings lack counts as no choice, and a person hears of it. */
export function installationChoice({ directory, clock, alarms, known }: Parts): InstallationChoice {
  let chosen = new Map<RailSide, string>()
  let toldMs = Number.NEGATIVE_INFINITY
  return {
    of: (side) => chosen.get(side) ?? null,
    async refresh() {
      const rows = await directory.query(CHOSEN)
      const isKnown = (one: Chosen) =>
        known.some(({ id, side }) => id === one.installation && side === one.side)
      chosen = new Map(rows.filter(isKnown).map(({ side, installation }) => [side, installation]))
      const gone = rows.filter((row) => !isKnown(row))
      if (gone.length === 0 || clock.nowMs() - toldMs < TELL_EVERY_MS) return
      toldMs = clock.nowMs()
      for (const { side, installation } of gone)
        alarms.tell({ installation, side, kind: 'refused', says: goneSays({ side, installation }) })
    },
  }
}

/** What a person hears of a chosen contract that the settings lack. */
export const goneSays = ({ side, installation }: Pick<Chosen, 'side' | 'installation'>): string =>
  `OP1_INSTALLATIONS lacks ${installation}, which two operators chose for ${side}: the contract that it marks as active takes new payments`
