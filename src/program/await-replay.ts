import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'

type Replay = { recovering: boolean; follows: boolean; lsn: string | null; paused: boolean; at: Date | null }

const REPLAY = statement<Replay>(
  'how far a standby is',
  `select pg_is_in_recovery() as recovering, pg_last_wal_receive_lsn() is not null as follows, pg_last_wal_replay_lsn()::text as lsn,
     pg_is_in_recovery() and pg_get_wal_replay_pause_state() = 'paused' as paused, pg_last_xact_replay_timestamp() as at`,
)
const LOOK_EVERY_MS = 500
// A server that finds no more WAL looks again after five seconds, so one that has come no further for this long is at its end.
const STILL_FOR_MS = 7000
const MAX_WAIT_MS = 6 * 3_600_000

/**
 * Waits until a restored backup has replayed all it is to replay, and returns as of when it is: what waits there has waited until then, not until
 * now. Null where the server does not say. A standby that follows somebody is
 * taken as it is.
 */
export async function awaitReplay(directory: Database, say: (line: string) => void): Promise<Date | null> {
  const begun = performance.now()
  let [lsn, since]: [string | null, number] = [null, begun]
  for (;;) {
    const [replay] = await directory.query(REPLAY)
    const now = performance.now()
    if (replay?.lsn !== lsn) [lsn, since] = [replay?.lsn ?? null, now]
    const isOver =
      !replay?.recovering || replay.follows || replay.paused || now - since > STILL_FOR_MS || now - begun > MAX_WAIT_MS
    if (!isOver) {
      await sleep(LOOK_EVERY_MS)
      continue
    }
    const at = replay?.at ?? null
    const asOf = at === null ? '' : ` as of ${at.toISOString()}`
    say(`the database takes no writes: this is the state${asOf}, and the result is not stored`)
    return at
  }
}
