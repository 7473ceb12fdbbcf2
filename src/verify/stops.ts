import type { App } from '../app.ts'
import { readStops } from '../merchants/payout-freeze.ts'
import type { Finding } from './verify.ts'

// A freeze that is under way is written to the directory first and then to the cells: it is given this long in real time.
const UNDER_WAY_MS = 5000
const LOOK_AGAIN_MS = 200

/** Whether this cell lets payouts run as the directory says (G70): the one invariant that no query of one schema can see. */
export async function verifyStops(app: App): Promise<Finding> {
  const started = performance.now()
  let stops = await readStops(app)
  while (stops.directory !== stops.cell && performance.now() - started < UNDER_WAY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    stops = await readStops(app)
  }
  const { directory, cell } = stops
  const offenders =
    directory === cell ? [] : [`directory: ${directory ?? 'running'}, ${app.cell}: ${cell ?? 'running'}`]
  return {
    id: 'FZ1',
    says: 'the cell stops or runs live payouts as the directory says',
    looked: 1,
    violations: offenders.length,
    offenders,
    ms: performance.now() - started,
  }
}
