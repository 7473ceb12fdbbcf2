import { constants, platform, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * Lets this worker thread run only when payments leave a processor free. Other than on Linux that would lower the priority of
 * the whole process, and in the main thread that of what it starts too: there it does nothing.
 */
export function giveWayToPayments(): void {
  if (!isMainThread && platform() === 'linux') setPriority(constants.priority.PRIORITY_LOW)
}
