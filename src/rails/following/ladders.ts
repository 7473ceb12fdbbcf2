import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Config } from '../../program/settings/config.ts'
import type { AttemptFacts } from '../attempt-facts.ts'
import { liveInstallations } from '../live-rails.ts'
import type { Rails } from '../rail.ts'
import { type Ladder, thinLadder } from './follow-ladder.ts'

/** Chooses the ladder of each movement of a cell. */
export type Ladders = {
  /** Returns the ladder of a movement that this installation has accepted; null for one that is in doubt or of which nothing is known. */
  of(acceptedBy: string | null): Ladder
}

// Part of the App, which imports this file; naming the App here would close a circle.
type LadderParts = {
  config: Pick<Config, 'followLadder'>
  clock: Clock
  db: Pick<Database, 'query'>
  log: Pick<Logger, 'warn'>
  rails: Rails
}

/** `acceptedBy`: the installation that took it; null when that is unknown. `calledBack`: its operator has called, so it is asked at once. */
export type Publication = { acceptedBy: string | null; calledBack?: boolean }

const CHECK_EVERY_MS = 60_000
const SAMPLE_SIZE = 200
const RELIABLE_SHARE = 0.9
// Where the callbacks could not be counted, the full ladder is used: it is always right.
const UNRELIABLE = { checkedMs: -Infinity, reliable: false }

const COUNT_CALLBACKS = statement<{ ended: number; calledBack: number }>(
  'look at callbacks of a contract',
  `select count(*)::int as ended, (count(*) filter (where exists (select 1 from rail_evidence k
     where k.merchant_id = e.merchant_id and k.attempt_id = e.attempt_id and k.operation = 'callback' and k.seq < e.seq)))::int
     as "calledBack"
   from (select merchant_id, attempt_id, seq from rail_evidence
     where installation = $1 and operation = 'status' and answer in ('succeeded', 'failed') order by seq desc limit $2) e`,
)

/**
 * Opens the ladders: the one of the settings, and a thinner one for an accepted movement of an installation with `thinLadder`, while at
 * least 90 % of its last 200 finished movements had their callback before our final question (rails.md 4.1). The callbacks are counted
 * once a minute, in the background.
 */
export function openLadders({ clock, config, db, log, rails }: LadderParts): Ladders {
  const full = config.followLadder
  const thin = thinLadder(full)
  const checks = new Map<string, typeof UNRELIABLE>()

  async function countCallbacks(installation: string): Promise<void> {
    const [counts] = await db.query(COUNT_CALLBACKS, [installation, SAMPLE_SIZE])
    const { ended = 0, calledBack = 0 } = counts ?? {}
    const reliable = ended === SAMPLE_SIZE && calledBack >= RELIABLE_SHARE * SAMPLE_SIZE
    checks.set(installation, { checkedMs: clock.nowMs(), reliable })
  }

  function isReliable(installation: string): boolean {
    const check = checks.get(installation) ?? UNRELIABLE
    if (clock.nowMs() - check.checkedMs >= CHECK_EVERY_MS) {
      checks.set(installation, { ...check, checkedMs: clock.nowMs() })
      countCallbacks(installation).catch((error) => {
        checks.set(installation, { ...UNRELIABLE, checkedMs: clock.nowMs() })
        log.warn({ err: error, installation }, 'the callbacks of a contract could not be looked at')
      })
    }
    return check.reliable
  }

  const mayThin = (installation: string) =>
    liveInstallations({ rails }).some(({ id, thinLadder }) => id === installation && thinLadder)

  return {
    of: (acceptedBy) => (acceptedBy !== null && mayThin(acceptedBy) && isReliable(acceptedBy) ? thin : full),
  }
}

/** Returns the ladder of a movement by the state of its attempt. */
export const ladderFor = (
  { ladders }: { ladders: Ladders },
  { state, installation }: Pick<AttemptFacts, 'state' | 'installation'>,
): Ladder => ladders.of(state === 'accepted' ? installation : null)

/** Computes when a movement that is published now is asked about first: at once where its operator has called back. */
export const firstQuestionAt = (
  app: { clock: Clock; ladders: Ladders },
  { acceptedBy, calledBack = false }: Publication,
): Date => new Date(app.clock.nowMs() + (calledBack ? 0 : (app.ladders.of(acceptedBy).firstMs[0] ?? 0)))
