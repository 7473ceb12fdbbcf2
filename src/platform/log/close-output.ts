import { once } from 'node:events'

type Output = { end(): void; once(event: string, listener: () => void): unknown }

const CLOSE_WITHIN_MS = 2000

/**
 * Writes what waits and closes an output of `pino.destination`. A reader that does not read, or is gone, holds it up for two seconds at
 * most: its own `flushSync` would try for ever, and no timer could end it.
 */
export async function closeOutput(output: Output): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), CLOSE_WITHIN_MS)
  const closed = once(output as never, 'close', { signal: late.signal }).catch(() => {})
  output.end()
  await closed
  clearTimeout(timer)
}
