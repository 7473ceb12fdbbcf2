import ipaddr from 'ipaddr.js'

const LONGEST = 64
// Some proxies write the port of the connection behind the address; it is another one each time.
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/
const HEXTETS_OF_A_CUSTOMER = 4

/**
 * The name under which an address is counted: an IPv4 address as it is, of an IPv6 address the first 64 bits, for everybody has
 * all the addresses behind them to himself. What is no address is counted as it stands.
 */
export function countedAddress(text: string): string {
  const [, bracketed, bare] = WITH_PORT.exec(text) ?? []
  const address = (bracketed ?? bare ?? text).split('%', 1)[0] ?? text
  if (!ipaddr.isValid(address)) return text.slice(0, LONGEST)
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const own = parsed.parts.slice(0, HEXTETS_OF_A_CUSTOMER).map((part) => part.toString(16))
  return `${own.join(':')}::/64`
}
