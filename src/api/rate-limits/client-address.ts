import ipaddr from 'ipaddr.js'
import type { IpAddress } from '../../platform/text/address-ranges.ts'
import { rememberNewest } from './bounded-map.ts'

const MAX_ADDRESS_CHARACTERS = 64
// Some proxies write the port of the connection behind the address; it differs with each connection.
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/
const HEXTETS_OF_A_CUSTOMER = 4
// Every request has an address, and most requests come from a few: their results are remembered.
const MAX_REMEMBERED = 1000
const countedAddresses = new Map<string, string>()
const networks = new Map<string, string>()

/**
 * Returns the name under which an address is counted: an IPv4 address as it is; of an IPv6 address the first 64 bits, because one
 * client owns all addresses behind them; anything else as it is.
 */
export function toCountedAddress(text: string): string {
  const remembered = countedAddresses.get(text)
  if (remembered !== undefined) return remembered
  const counted = parseAddress(text)
  // Longer texts are no addresses, and would fill the memory.
  if (text.length <= MAX_ADDRESS_CHARACTERS)
    rememberNewest(countedAddresses, { key: text, value: counted, most: MAX_REMEMBERED })
  return counted
}

function parseAddress(text: string): string {
  const parsed = parseClientAddress(text)
  if (parsed === null) return text.slice(0, MAX_ADDRESS_CHARACTERS)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const own = parsed.parts.slice(0, HEXTETS_OF_A_CUSTOMER).map((part) => part.toString(16))
  return `${own.join(':')}::/64`
}

/** Parses the address of a client as its socket or a proxy writes it, with or without a port; null for what is no address. */
export function parseClientAddress(text: string): IpAddress | null {
  const [, bracketed, bare] = WITH_PORT.exec(text) ?? []
  const address = (bracketed ?? bare ?? text).split('%', 1)[0] ?? text
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

/** Returns the network of a counted address for logs: its first 24 bits, or 48 of an IPv6 address; `unknown` for what is no address. */
export function toNetwork(counted: string): string {
  const remembered = networks.get(counted)
  if (remembered !== undefined) return remembered
  const network = parseNetwork(counted)
  rememberNewest(networks, { key: counted, value: network, most: MAX_REMEMBERED })
  return network
}

function parseNetwork(counted: string): string {
  const v4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(counted)
  if (v4) return `${v4[1]}.0/24`
  const v6 = /^((?:[\da-f]+:){3})[\da-f]+::\/64$/.exec(counted)
  return v6 ? `${v6[1]}:/48` : 'unknown'
}
