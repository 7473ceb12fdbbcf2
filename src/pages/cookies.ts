/** The cookies of a request by name; of our own values only, so nothing needs to be decoded. */
export function readCookies(header: string | undefined): Map<string, string> {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}

/** A Set-Cookie that scripts cannot read and other sites' forms do not send. `seconds`: 0 removes it. */
export const cookie = (
  name: string,
  value: string,
  { path, seconds, https }: { path: string; seconds: number; https: boolean },
) => `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`
