import type { Delivery } from './delivery.ts'

type FailedDelivery = Pick<Delivery, 'lastError' | 'url'>

// The error classes of `Outcome` (platform/outbound/connect.ts), each with its sentence about the address.
const FAILURE_TEXTS: Readonly<Record<string, (origin: string) => string>> = {
  dns: (origin) => `the name of ${origin} was not found`,
  connect: (origin) => `no connection to ${origin} could be made within 2 seconds`,
  tls: (origin) => `${origin} has no certificate that can be believed, or no TLS 1.2`,
  timeout: (origin) => `${origin} did not answer within 5 seconds`,
  reset: (origin) => `${origin} closed the connection without an answer`,
  protocol: (origin) => `what ${origin} answered is not HTTP`,
  aborted: (origin) => `the call to ${origin} was given up`,
  late: (origin) => `the call to ${origin} was given up`,
  'redirect refused': (origin) => `${origin} answered with a redirect, which is never followed`,
  'refused target': (origin) => `webhooks may not go to ${origin}`,
}

/** Formats why the last attempt failed: its error class and a sentence that names the address; null where it did not fail. */
export function formatDeliveryFailure({ lastError, url }: FailedDelivery): string | null {
  if (lastError === null) return null
  const origin = url !== null && URL.canParse(url) ? new URL(url).origin : 'the address'
  const [, status] = /^http (\d+)$/.exec(lastError) ?? []
  const sentence =
    status === undefined ? FAILURE_TEXTS[lastError]?.(origin) : `${origin} answered ${status}, which is no 2xx`
  return sentence === undefined ? lastError : `${lastError}: ${sentence}`
}
