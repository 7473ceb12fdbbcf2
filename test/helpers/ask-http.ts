import { request } from 'undici'

export type Heard = { status: number; headers: Headers; text: string }

/** A request to a service, whose redirects are not followed. The client of undici itself takes a quarter of the time of `fetch`. */
export async function askHttp(
  url: string,
  init: { method: string; headers?: Record<string, string>; body?: string | Uint8Array },
): Promise<Heard> {
  const { statusCode, headers, body } = await request(url, init as Parameters<typeof request>[1])
  const heard = new Headers()
  for (const [name, values] of Object.entries(headers))
    for (const value of [values ?? []].flat()) heard.append(name, value)
  return { status: statusCode, headers: heard, text: await body.text() }
}
