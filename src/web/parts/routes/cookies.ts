/** Parses the cookies of a request, by name. Nothing is decoded, because our own values need none. */
export function parseCookies(header: string | undefined): Map<string, string> {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='))
  return new Map(pairs.map(([name = '', value = '']) => [name, value]))
}

/** Formats a Set-Cookie that scripts cannot read and other sites' forms do not send. `seconds`: 0 removes the cookie. */
export const formatCookie = (
  name: string,
  value: string,
  { path, seconds, https }: { path: string; seconds: number; https: boolean },
) => `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`
