import { resolveHost } from '../../platform/outbound/resolve.ts'
import { isAddressAllowed, parseTarget } from '../../platform/outbound/target.ts'
import { domainRefusal, type Refusal } from '../../platform/refusal.ts'
import { timeLimit } from '../../platform/time/time-limit.ts'
import type { App } from '../../program/app.ts'

type AllowSetting = 'WEBHOOK_ALLOW_PRIVATE' | 'SUPPLIER_ALLOW_PRIVATE'

/** The member in which an address is given, by the setting that could allow it. */
const FIELDS: Record<AllowSetting, string> = { WEBHOOK_ALLOW_PRIVATE: 'url', SUPPLIER_ALLOW_PRIVATE: 'base_url' }

/**
 * Makes the 400 for an address that may not be called. It has one text for every reason, so that a form cannot be used to scan a network
 * (reliability.md 7.5). Outside production it names the setting that allows an address for a trial.
 */
export function refusedAddress({ config }: Pick<App, 'config'>, url: string, setting: AllowSetting): Refusal {
  const hostAndPort = config.production ? null : findHostAndPort(url)
  return domainRefusal('bad_request', 'this address is not reachable from the public internet', {
    field: FIELDS[setting],
    hint:
      hostAndPort &&
      `for a trial on a machine of your own, set ${setting}=${hostAndPort} for the service and for commands`,
  })
}

/** Returns `host:port` of an address that the setting could allow, else null. */
function findHostAndPort(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, hostname, port, username } = new URL(url)
  if (username !== '' || (protocol !== 'http:' && protocol !== 'https:')) return null
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`
}

/** Throws this refusal for an address to which a webhook may not be posted. */
export async function requireCallable(app: Pick<App, 'targetRules'>, url: string, refused: Refusal): Promise<void> {
  const reading = parseTarget(url, app.targetRules)
  if (reading.kind === 'refused') throw refused
  if (reading.target.exempt || reading.target.literal !== null) return
  // A host name that does not resolve now may do so later; one that resolves to a private address is refused at once.
  const addresses = await resolveHost(reading.target.host, timeLimit(1000)).catch(() => [])
  if (addresses.some(({ address }) => !isAddressAllowed(address))) throw refused
}
