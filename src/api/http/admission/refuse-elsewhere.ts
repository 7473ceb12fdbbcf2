import { Refusal } from '../../../platform/refusal.ts'
import { type AddressRange, formatAddressRange, isInRanges } from '../../../platform/text/address-ranges.ts'
import { echo } from '../../../platform/text/text.ts'
import { parseClientAddress } from '../../rate-limits/client-address.ts'

/** The answer to a request whose key may not be used from its address. */
export const ELSEWHERE = { status: 403, code: 'address_not_allowed' } as const

/**
 * Returns the refusal (403) of a request whose key may only be used from other addresses, null where it may come. It names the address,
 * which the caller knows, and neither the list nor what the request wanted: whoever has stolen the key learns nothing more.
 */
export function judgeAddress(text: string, allowedFrom: readonly AddressRange[]): Refusal | null {
  const address = parseClientAddress(text)
  if (address !== null && isInRanges(address, allowedFrom)) return null
  const name = address === null ? echo(text) : formatAddressRange([address, address.kind() === 'ipv4' ? 32 : 128])
  return new Refusal(ELSEWHERE.status, ELSEWHERE.code, `this API key may not be used from ${name}`)
}
