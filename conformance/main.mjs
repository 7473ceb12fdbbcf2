// Clients that others wrote, unmodified, against the emulator (rails.md 8): so that it does not merely mirror our own
// understanding of the operator. Run by `npm run conformance`.
import { startEmulator } from '../dist/emulator/emulator.js'
import { report } from './checks.mjs'
import { runMtnMomo } from './mtn-momo.mjs'
import { runMtnMomoClient } from './mtn-momo-client.mjs'
import { runMtnMomoSdk } from './mtn-momo-sdk.mjs'

for (const [profile, runs] of [
  ['sandbox', [(emulator) => runMtnMomo(emulator, 'sandbox'), runMtnMomoClient, runMtnMomoSdk]],
  ['mtnuganda', [(emulator) => runMtnMomo(emulator, 'mtnuganda')]],
])
  for (const run of runs) {
    const emulator = await startEmulator({ profile, clock: 'virtual', decide: 'at once', statusCap: null })
    try {
      await run(emulator)
    } finally {
      await emulator.close()
    }
  }
if (!report()) process.exitCode = 1
