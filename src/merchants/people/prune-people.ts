import type { App } from '../../program/app.ts'
import { forgetChallenges } from './factors/passkeys.ts'
import { forgetLinks } from './links.ts'
import { forgetTries } from './sign-in/sign-in-counters.ts'
import { forgetSessions } from './write-sessions.ts'

/** Deletes some of the expired sessions, links, challenges and misses. */
export async function prunePeople({ directory, witness }: App): Promise<number> {
  const now = witness.earlier()
  const calls = [forgetSessions(now), forgetLinks(now), forgetChallenges(now), ...forgetTries(now)]
  for (const { statement, values } of calls) await directory.query(statement, values)
  return 0
}
