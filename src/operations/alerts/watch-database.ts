import { isReadOnly } from '../../platform/db/read-only.ts'
import type { Gateway } from '../../program/app.ts'
import { type AlertState, alertMessage } from './alert-message.ts'
import { type AlertSender, sendMessage } from './send-message.ts'

type WatchedDatabases = Pick<Gateway, 'directory' | 'cells' | 'cellWatch'>

// Shorter troubles are those of a restart.
const SENT_AFTER_MS = 60_000
const SENT_AGAIN_AFTER_MS = 30 * 60_000

/**
 * Watches the database from this process, and tells people directly when it is away or takes no writes for a minute: no alert could be
 * stored then. Of several cells some may be away; that is an alert like any other (checks/processes.ts). Each process tells for itself, again after half an hour, and once when it is over. `check` never throws.
 */
export function watchDatabase(gateway: AlertSender & WatchedDatabases): { check(): Promise<void> } {
  let since: Date | null = null
  let sentMs: number | null = null

  async function send(state: AlertState, message: string): Promise<void> {
    gateway.log.error({ alert: 'database_down', state, says: message }, 'alert')
    await sendMessage(gateway, alertMessage(gateway, 'database_down', [{ subject: 'database', state, message }]))
  }

  return {
    async check() {
      const trouble = await findTrouble(gateway)
      const now = gateway.clock.now()
      if (trouble === null) {
        if (since !== null && sentMs !== null)
          await send('closed', `the database answers again; it was away since ${since.toISOString()}`)
        since = null
        sentMs = null
        return
      }
      since ??= now
      if (now.getTime() - since.getTime() < SENT_AFTER_MS) return
      if (sentMs !== null && now.getTime() - sentMs < SENT_AGAIN_AFTER_MS) return
      const state = sentMs === null ? 'opened' : 'worse'
      sentMs = now.getTime()
      await send(state, `${trouble} since ${since.toISOString()}`)
    },
  }
}

async function findTrouble({ directory, cells, cellWatch }: WatchedDatabases): Promise<string | null> {
  try {
    if (await isReadOnly(directory)) return 'the database takes no writes'
    const away = await cellWatch.look()
    return away.length < cells.length
      ? null
      : 'the database answers, but not on the connections that payments need (are all its places taken?)'
  } catch {
    return 'the database does not answer'
  }
}
