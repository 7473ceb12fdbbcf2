import type { Delivery } from './delivery.ts'

type Failed = Pick<Delivery, 'lastError' | 'url'>

// The classes of `Outcome` (platform/outbound/connect.ts), and what happened at this address.
const SAID: Readonly<Record<string, (place: string) => string>> = {
  dns: (place) => `the name of ${place} was not found`,
  connect: (place) => `no connection to ${place} could be made within 2 seconds`,
  tls: (place) => `${place} has no certificate that can be believed, or no TLS 1.2`,
  timeout: (place) => `${place} did not answer within 5 seconds`,
  reset: (place) => `${place} closed the connection without an answer`,
  protocol: (place) => `what ${place} answered is not HTTP`,
  aborted: (place) => `the call to ${place} was given up`,
  late: (place) => `the call to ${place} was given up`,
  'redirect refused': (place) => `${place} answered with a redirect, which is never followed`,
  'refused target': (place) => `webhooks may not go to ${place}`,
}

/** Why the last attempt failed, in a sentence that begins with its class and names the address; null where it did not fail. */
export function failureSaid({ lastError, url }: Failed): string | null {
  if (lastError === null) return null
  const place = url !== null && URL.canParse(url) ? new URL(url).origin : 'the address'
  const [, status] = /^http (\d+)$/.exec(lastError) ?? []
  const said =
    status === undefined ? SAID[lastError]?.(place) : `${place} answered ${status}, which is no 2xx`
  return said === undefined ? lastError : `${lastError}: ${said}`
}
