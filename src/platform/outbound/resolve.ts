import { Resolver } from 'node:dns/promises'

/**
 * Resolves a name to all its addresses, A and AAAA; none when it does not resolve. Sends its own queries instead of using getaddrinfo,
 * whose four threads are shared with all file access and would be blocked by slow name servers.
 */
export async function resolveHost(host: string, signal: AbortSignal): Promise<{ address: string; family: 4 | 6 }[]> {
  const resolver = new Resolver({ timeout: 300, tries: 2 })
  signal.addEventListener('abort', () => resolver.cancel())
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 as const })) : []),
  ]
}
