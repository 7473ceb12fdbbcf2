import type { Gateway } from '../../program/app.ts'

/**
 * Tells a watchdog outside that this worker lives and reaches its database (`HEARTBEAT_URL`): a dead service cannot report itself. Never
 * throws for what the watchdog does.
 */
export async function sendHeartbeat({
  config,
  alertPoster,
  log,
}: Pick<Gateway, 'config' | 'alertPoster' | 'log'>): Promise<void> {
  if (config.heartbeatUrl === null) return
  const attempted = await alertPoster.post({
    url: config.heartbeatUrl,
    body: Buffer.from(JSON.stringify({ alive: true })),
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'gateway-heartbeat/1.0' },
    keepAlive: false,
  })
  const taken = attempted.kind === 'answered' && attempted.status >= 200 && attempted.status < 300
  if (!taken) log.warn({ outcome: attempted.kind }, 'HEARTBEAT_URL did not take a heartbeat')
}
