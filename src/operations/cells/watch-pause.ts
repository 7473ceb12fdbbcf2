import { newServerClient } from '../../platform/db/servers/server-client.ts'

const LOOK_MS = 20

/**
 * Runs work that blocks writes to a schema for a while, and returns for how long a write that changes nothing had to wait at most, in ms.
 */
export async function watchPause(url: string, schema: string, work: () => Promise<void>): Promise<number> {
  const beside = newServerClient(url)
  await beside.connect()
  let isOver = false
  let longestMs = 0
  const watch = async () => {
    while (!isOver) {
      const since = performance.now()
      // A name is never empty. While the schema moves the answer may be an error; then the next one says for how long.
      await beside.query(`delete from ${schema}.migration_checksums where name = ''`).catch(() => {})
      longestMs = Math.max(longestMs, performance.now() - since)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
  const watching = watch()
  try {
    await work()
    return Math.round(longestMs)
  } finally {
    isOver = true
    await watching
    await beside.end()
  }
}
