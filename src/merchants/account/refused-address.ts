import { domainRefusal, type Refusal } from '../../platform/refusal.ts'
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
