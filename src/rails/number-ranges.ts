import { isLandline } from '../platform/text/phone.ts'
import type { Channel } from './rail.ts'

/** The channels that are reached by a phone. */
type PhoneChannel = Exclude<Channel, 'card'>

/**
 * The first digits of each operator's numbers after the country code. They only give a hint and never refuse a number for good:
 * numbers move between operators, and operators get new ranges.
 */
export const NUMBER_RANGES: Readonly<Record<PhoneChannel, readonly string[]>> = {
  op1_momo: ['76', '77', '78', '31', '39'],
  op2_money: ['70', '74', '75', '20'],
}
const RANGE_OF_UGANDA = /^256(\d\d)\d{7}$/

/** Finds the channel to whose operator a stored phone seems to belong, where that is another than this one; else null. */
export function findOtherChannel(phone: string, channel: Channel): PhoneChannel | null {
  const range = RANGE_OF_UGANDA.exec(phone)?.[1]
  if (range === undefined || channel === 'card' || isLandline(phone)) return null
  const channels = Object.keys(NUMBER_RANGES) as PhoneChannel[] // The keys of the type above.
  return channels.find((name) => name !== channel && NUMBER_RANGES[name].includes(range)) ?? null
}
