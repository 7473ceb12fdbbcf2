import { readFreezes } from '../../merchants/account/payout-freeze.ts'
import type { App } from '../../program/app.ts'
import type { InvariantFinding } from './verify.ts'

// A freeze is written to the directory first and then to the cells; within this real time they may differ.
const AGREE_WITHIN_MS = 5000
const READ_AGAIN_MS = 200

/** Checks that cell and directory agree about the payout freeze (G70). A query in one schema cannot check that. */
export async function verifyStops(app: App): Promise<InvariantFinding> {
  const started = performance.now()
  let stops = await readFreezes(app)
  while (stops.directory !== stops.cell && performance.now() - started < AGREE_WITHIN_MS) {
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS))
    stops = await readFreezes(app)
  }
  const { directory, cell } = stops
  const differ = `directory: ${directory ?? 'running'}, ${app.cell}: ${cell ?? 'running'}`
  const offenders = directory === cell ? [] : [{ merchantId: null, mode: null, offender: differ }]
  return {
    id: 'FZ1',
    says: 'the cell stops or runs live payouts as the directory says',
    late: false,
    looked: 1,
    violations: offenders.length,
    offenders,
    ...{ accepted: 0, acceptedOffenders: [] },
    ms: performance.now() - started,
  }
}
