import { parentPort } from 'node:worker_threads'
import { hashSync, type Options } from '@node-rs/argon2'
import { giveWayToPayments } from '../../../platform/processes/low-priority.ts'

// A hash keeps a processor busy for some 10 ms, so it is made in a thread of its own and not in one that payments need.

/** A password to hash with this cost and salt. The worker returns the bytes of the hash in its usual text form. */
export type HashStep = { password: string; options: Options }

// A sign-in may wait a little longer, a payment may not.
giveWayToPayments()

parentPort?.on('message', ({ password, options }: HashStep) => {
  const bytes = Uint8Array.from(Buffer.from(hashSync(password, options)))
  parentPort?.postMessage(bytes, [bytes.buffer])
})
