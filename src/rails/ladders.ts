import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import type { AttemptFacts } from './attempt-facts.ts'
import { type Ladder, thinned } from './follow-ladder.ts'
import type { Publication } from './mover.ts'

/** The ladders of a cell's movements. */
export type Ladders = {
  /** That of a movement which this contract has accepted; null where it is in doubt, or where nothing is known of it. */
  of(acceptedBy: string | null): Ladder
}

type Parts = Pick<App, 'clock' | 'config' | 'db' | 'log' | 'rails'>

const LOOK_EVERY_MS = 60_000
const LAST = 200
const RELIABLE_SHARE = 0.9
// A failed look proves nothing: the full ladder is always right.
const UNRELIABLE = { lookedMs: -Infinity, reliable: false }

const LOOK = statement<{ ended: number; calledBack: number }>(
  'look at callbacks of a contract',
  `select count(*)::int as ended, (count(*) filter (where exists (select 1 from rail_evidence k
     where k.merchant_id = e.merchant_id and k.attempt_id = e.attempt_id and k.operation = 'callback' and k.seq < e.seq)))::int
     as "calledBack"
   from (select merchant_id, attempt_id, seq from rail_evidence
     where installation = $1 and operation = 'status' and answer in ('succeeded', 'failed') order by seq desc limit $2) e`,
)

/**
 * The ladder of the settings; for an accepted movement of a contract with `thinLadder` a thinner one, while at least 90 % of its
 * last 200 ended movements had their callback before our final question (rails.md 4.1). That is looked at once a minute, in the
 * background.
 */
export function laddersOf({ clock, config, db, log, rails }: Parts): Ladders {
  const full = config.followLadder
  const thin = thinned(full)
  const seen = new Map<string, typeof UNRELIABLE>()

  async function look(installation: string): Promise<void> {
    const [found] = await db.query(LOOK, [installation, LAST])
    const { ended = 0, calledBack = 0 } = found ?? {}
    const reliable = ended === LAST && calledBack >= RELIABLE_SHARE * LAST
    seen.set(installation, { lookedMs: clock.nowMs(), reliable })
  }

  function isReliable(installation: string): boolean {
    const known = seen.get(installation) ?? UNRELIABLE
    if (clock.nowMs() - known.lookedMs >= LOOK_EVERY_MS) {
      seen.set(installation, { ...known, lookedMs: clock.nowMs() })
      look(installation).catch((error) => {
        seen.set(installation, { ...UNRELIABLE, lookedMs: clock.nowMs() })
        log.warn({ err: error, installation }, 'the callbacks of a contract could not be looked at')
      })
    }
    return known.reliable
  }

  const mayThin = (installation: string) =>
    rails.live.op1_momo?.installations.some(({ id, thinLadder }) => id === installation && thinLadder) ===
    true

  return {
    of: (acceptedBy) => (acceptedBy !== null && mayThin(acceptedBy) && isReliable(acceptedBy) ? thin : full),
  }
}

/** The ladder of a movement as its attempt stands. */
export const ladderFor = (
  { ladders }: Pick<App, 'ladders'>,
  { state, installation }: Pick<AttemptFacts, 'state' | 'installation'>,
): Ladder => ladders.of(state === 'accepted' ? installation : null)

/** When a movement is asked about first, from now on. */
export const firstQuestionAt = (
  app: Pick<App, 'clock' | 'ladders'>,
  { acceptedBy, calledBack = false }: Publication,
): Date => new Date(app.clock.nowMs() + (calledBack ? 0 : (app.ladders.of(acceptedBy).firstMs[0] ?? 0)))
