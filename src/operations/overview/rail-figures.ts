import { reachedCells } from '../../platform/db/cell-watch.ts'
import { statement } from '../../platform/db/statement.ts'
import { findEarliest } from '../../platform/time/earliest.ts'
import type { Gateway } from '../../program/app.ts'
import { liveInstallations } from '../../rails/live-rails.ts'
import type { RailSide } from '../../rails/rail.ts'
import { standingTroubles } from '../../rails/rail-troubles.ts'

/** One side of an installation: whether payments go out, and when the operator last answered one. */
export type RailFigures = {
  installation: string
  side: RailSide
  state: 'works' | 'silent' | 'refuses'
  since: Date | null
  lastAnswerAt: Date | null
}

// When the latest posts of each installation were answered, by rail_attempts_unreviewed; where all of them have been reviewed, the last
// reviewed ones, by rail_attempts_reviewed.
const LAST_ANSWERS = statement<{ installation: string; side: RailSide; at: Date | null }>(
  'last answers of operators',
  `select i.installation, s.side, greatest(
     (select max(submit_ended_at) from (select a.submit_ended_at, a.side from rail_attempts a where a.installation = i.installation
        and a.reviewed_at is null order by a.created_at desc limit 50) fresh where fresh.side = s.side),
     (select max(submit_ended_at) from (select a.submit_ended_at, a.side from rail_attempts a where a.installation = i.installation
        and a.reviewed_at is not null order by a.reviewed_at desc limit 50) old where old.side = s.side)) as at
   from unnest($1::text[]) i (installation) cross join (values ('collect'), ('disburse')) s (side)`,
)

export async function readRailFigures({ cells, cellWatch, directory, rails, clock }: Gateway): Promise<RailFigures[]> {
  const installations = liveInstallations({ rails })
  if (installations.length === 0) return []
  const standing = standingTroubles(clock.now())
  const [troubles, ...answers] = await Promise.all([
    directory.query(standing.statement, standing.values),
    ...reachedCells({ cells, cellWatch }).map(({ db }) => db.query(LAST_ANSWERS, [installations.map(({ id }) => id)])),
  ])
  const lastAnswers = answers.flat()
  return installations.flatMap(({ id, sides }) =>
    sides.map((side) => {
      const own = troubles.filter((trouble) => trouble.installation === id && trouble.side === side)
      const silent = own.filter(({ kind }) => kind === 'breaker')
      const refuses = own.filter(({ kind }) => kind === 'refused')
      const times = lastAnswers
        .filter((answer) => answer.installation === id && answer.side === side)
        .flatMap(({ at }) => (at === null ? [] : [at.getTime()]))
      return {
        ...{ installation: id, side },
        state: silent.length > 0 ? 'silent' : refuses.length > 0 ? 'refuses' : 'works',
        since: findEarliest([...silent, ...refuses].map(({ since }) => since)),
        lastAnswerAt: times.length === 0 ? null : new Date(Math.max(...times)),
      }
    }),
  )
}
