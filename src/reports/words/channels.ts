import type { Channel } from '../../rails/rail.ts'

/** What people call the ways to pay. */
export const CHANNEL_NAMES: Readonly<Record<Channel, string>> = {
  op1_momo: 'MTN MoMo',
  op2_money: 'Airtel Money',
  card: 'Card',
}

/** Returns what people call a channel; its own name for one that is no longer offered. */
export const channelName = (channel: string): string =>
  (CHANNEL_NAMES as Readonly<Record<string, string>>)[channel] ?? channel
