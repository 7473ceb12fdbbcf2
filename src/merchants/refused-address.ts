import type { App } from '../app.ts'
import { domainRefusal, type Refusal } from '../platform/refusal.ts'

type Setting = 'WEBHOOK_ALLOW_PRIVATE' | 'SUPPLIER_ALLOW_PRIVATE'

/**
 * 400 for an address that may not be called: one text for every reason, so that a form is no network scanner (reliability.md 7.5). Outside
 * production it names the setting that lets an address of a trial through.
 */
export function refusedAddress({ config }: Pick<App, 'config'>, url: string, setting: Setting): Refusal {
  const place = config.production ? null : placeOf(url)
  return domainRefusal('bad_request', 'this address is not reachable from the public internet', {
    hint:
      place &&
      `for a trial on a machine of your own, set ${setting}=${place} for the service and for commands`,
  })
}

/** `host:port` of an address that could be let through, else null. */
function placeOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, hostname, port, username } = new URL(url)
  if (username !== '' || (protocol !== 'http:' && protocol !== 'https:')) return null
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`
}
