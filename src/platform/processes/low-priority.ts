import { constants, platform, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * Gives this worker thread the lowest priority, so that payments run first. It does nothing in the main thread, which answers
 * requests, and nothing outside of Linux, where the priority of the whole process would be lowered.
 */
export function giveWayToPayments(): void {
  if (!isMainThread && platform() === 'linux') setPriority(constants.priority.PRIORITY_LOW)
}
