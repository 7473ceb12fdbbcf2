import { assert } from './assert.ts'

/** The named places at which the crash tests kill this process (reliability.md 4.2). The list grows with the product. */
export const CRASH_POINTS = [
  'key.reserved',
  'key.done-unsent',
  'batch.collected',
  'batch.sent',
  'batch.committed',
  'charge.stored',
  'charge.rail-sent',
  'charge.rail-answered',
  'charge.no-kept',
  'charge.moved',
  'charge.sandbox-due',
  'link.claimed',
  'card.reserved',
  'card.taken',
  'dispense.claimed',
  'dispense.commanded',
  'dispense.answered',
  'dispense.recorded',
  'callback.verified',
  'callback.applied',
  'jam-refund.claimed',
  'settle.claimed',
  'settle.released',
  'payout.reserved',
  'payout.rail-sent',
  'payout.rail-answered',
  'payout.moved',
  'payout.returned',
  'refund.committed',
  'bulk.stored',
  'bulk.chunk-committed',
  'bulk.finished',
  'cycle.claimed',
  'cycle.created',
  'cycle.advanced',
  'delivery.claimed',
  'delivery.sent',
  'delivery.answered',
  'delivery.recorded',
  'key.revoked',
  'migration.applied',
  'drain.started',
  'drain.leases-released',
] as const
export type CrashPoint = (typeof CRASH_POINTS)[number]

let armed: { name: string; passesLeft: number } | null = null

/** Arms one point, `name` or `name:n` for the n-th pass. Only config.ts calls it, and only together with TEST_HOOKS. */
export function armCrashPoint(setting: string): void {
  const [name = '', pass = '1'] = setting.split(':')
  assert((CRASH_POINTS as readonly string[]).includes(name), `there is no crash point called ${name}`)
  armed = { name, passesLeft: Number(pass) }
}

/** Kills the process with SIGKILL when this point is the armed one; returns at once otherwise. */
export function crashPoint(name: CrashPoint): void {
  if (armed === null || armed.name !== name) return
  armed.passesLeft -= 1
  if (armed.passesLeft === 0) process.kill(process.pid, 'SIGKILL')
}
