import type { Gateway } from '../app.ts'
import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { pageOf, paragraphOf, toDoOf } from './alert.ts'
import { type Message, type Speaking, sendByAllWays } from './ways.ts'

const WRITABLE = statement<{ readOnly: boolean }>(
  'does the database take writes',
  `select current_setting('transaction_read_only') = 'on' or pg_is_in_recovery() as "readOnly"`,
)

type Watched = Pick<Gateway, 'directory'> & { cells: readonly { db: Pick<Database, 'works'> }[] }

// Shorter troubles are those of a restart.
const TOLD_AFTER_MS = 60_000
const AGAIN_AFTER_MS = 30 * 60_000

/**
 * Watches the database from this process, and tells people directly when it is away or takes no writes for a minute: no alert could be
 * stored then. Each process tells for itself, again after half an hour, and once when it is over. `look` never throws.
 */
export function watchDatabase(gateway: Speaking & Watched): { look(): Promise<void> } {
  let since: Date | null = null
  let toldMs: number | null = null

  async function tell(state: 'opened' | 'worse' | 'closed', says: string): Promise<void> {
    gateway.log.error({ alert: 'database_down', state, says }, 'alert')
    await sendByAllWays(gateway, messageOf(gateway, { state, says }))
  }

  return {
    async look() {
      const trouble = await troubleOf(gateway)
      const now = gateway.clock.now()
      if (trouble === null) {
        if (since !== null && toldMs !== null)
          await tell('closed', `the database answers again; it was away since ${since.toISOString()}`)
        since = null
        toldMs = null
        return
      }
      since ??= now
      if (now.getTime() - since.getTime() < TOLD_AFTER_MS) return
      if (toldMs !== null && now.getTime() - toldMs < AGAIN_AFTER_MS) return
      const state = toldMs === null ? 'opened' : 'worse'
      toldMs = now.getTime()
      await tell(state, `${trouble} since ${since.toISOString()}`)
    },
  }
}

async function troubleOf({ directory, cells }: Watched): Promise<string | null> {
  try {
    const [answer] = await directory.query(WRITABLE)
    if (answer?.readOnly) return 'the database takes no writes'
    const work = await Promise.all(cells.map(({ db }) => db.works()))
    return work.every(Boolean)
      ? null
      : 'the database answers, but not on the connections that payments need (are all its places taken?)'
  } catch {
    return 'the database does not answer'
  }
}

const WORDS = { opened: 'NEW', worse: 'WORSE', closed: 'OVER' } as const

function messageOf(
  { baseUrl }: Speaking,
  { state, says }: { state: keyof typeof WORDS; says: string },
): Message {
  const kind = 'database_down'
  const page = `${baseUrl}${pageOf(kind)}`
  const paragraph = `${baseUrl}${paragraphOf(kind)}`
  return {
    subject: `${WORDS[state]}: ${kind} (${new URL(baseUrl).host})`,
    json: {
      ...{ kind, service: baseUrl, to_do: toDoOf(kind), page, paragraph, more: 0 },
      alerts: [{ subject: 'database', state, says }],
    },
    text: [`${kind} (${baseUrl})`, `${WORDS[state]}: ${says}`, toDoOf(kind), page, paragraph].join('\n'),
  }
}
