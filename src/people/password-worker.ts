import { parentPort } from 'node:worker_threads'
import { hashSync, type Options } from '@node-rs/argon2'
import { giveWayToPayments } from '../platform/low-priority.ts'

// A hash keeps a processor busy for some 10 ms, so it is made here and not beside the threads that payments need.

/** One password to be hashed with this cost and salt. The answer is the bytes of the hash in its usual text form. */
export type HashStep = { password: string; options: Options }

// Who signs in may wait a little longer, payments may not.
giveWayToPayments()

parentPort?.on('message', ({ password, options }: HashStep) => {
  const bytes = Uint8Array.from(Buffer.from(hashSync(password, options)))
  parentPort?.postMessage(bytes, [bytes.buffer])
})
