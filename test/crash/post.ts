import type { Installation } from './installation.ts'

type Wanted = { apiKey: string; key?: string; body: object; signal?: AbortSignal }

/** One POST to the service, as the server of a merchant sends it. */
export const post = (
  { url, clock }: Pick<Installation, 'url' | 'clock'>,
  path: string,
  { apiKey, key, body, signal }: Wanted,
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    ...(signal === undefined ? {} : { signal }),
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'x-timestamp': String(Math.floor(clock.nowMs() / 1000)),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
