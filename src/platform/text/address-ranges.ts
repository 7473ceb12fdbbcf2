import ipaddr from 'ipaddr.js'
import { assert } from '../assert.ts'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** A network: its first address, and how many leading bits all its addresses share. */
export type AddressRange = readonly [network: IpAddress, bits: number]

const ENTRY = /^([0-9a-f:.]{2,45})(?:\/([0-9]{1,3}))?$/i

/**
 * Parses `41.210.1.7`, `41.210.0.0/16` or `2c0f:eb00::/32`; null for anything else. An IPv4 address that is written as an IPv6 one counts as
 * IPv4, as the addresses of clients do. Bits behind the network are kept: see `networkOf`.
 */
export function parseAddressRange(text: string): AddressRange | null {
  const [, address = '', bits] = ENTRY.exec(text) ?? []
  if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) return null
  const written = ipaddr.parse(address)
  const ip = ipaddr.process(address)
  const width = widthOf(ip)
  // The bits of a mapped IPv4 address are counted from the front of the IPv6 one.
  const shared = bits === undefined ? width : Number(bits) - (widthOf(written) - width)
  return shared >= 0 && shared <= width ? [ip, shared] : null
}

/** Parses networks as the database prints them. */
export const parseStoredRanges = (texts: readonly string[]): AddressRange[] =>
  texts.map((text) => {
    const range = parseAddressRange(text)
    assert(range, 'the database keeps networks alone')
    return range
  })

/** The network in which this address lies, with no bits behind it. */
export function networkOf([ip, bits]: AddressRange): AddressRange {
  const bytes = ip.toByteArray().map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * index))))
  return [ipaddr.fromByteArray(bytes), bits]
}

/** Formats a network as people write it: a single address without its bits. */
export const formatAddressRange = ([ip, bits]: AddressRange): string =>
  bits === widthOf(ip) ? ip.toString() : `${ip.toString()}/${bits}`

/** Whether an address lies in one of these networks. */
export const isInRanges = (ip: IpAddress, ranges: readonly AddressRange[]): boolean =>
  ranges.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network as ipaddr.IPv6, bits))

const widthOf = (ip: IpAddress) => (ip.kind() === 'ipv4' ? 32 : 128)
