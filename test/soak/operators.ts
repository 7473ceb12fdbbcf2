import { writeFileSync } from 'node:fs'
import { type Emulator, startEmulator } from '../../emulator/emulator.ts'
import type { Installation } from '../crash/installation.ts'

/** What each wallet for payouts holds at the beginning. */
export const OPENING = 10_000_000_000
// Short, so that silence costs little; a post still ends long before its lease.
const QUICK = { connect: 1, headers: 1.5, body: 1, submit: 2, answer: 1 }
const NEVER_OPENS = { faultsInRow: 10_000, minCalls: 100_000 }

/** The operator lives in the same time as the gateway, and is told how payments end. */
export async function startOperator(seed: number, { clock }: Installation): Promise<Emulator> {
  const told = { decide: 'when told', statusCap: null, controlPort: 0 } as const
  const operator = await startEmulator({ ...told, seed, profile: 'mtnuganda', clock: clock.nowMs })
  operator.setWallet('disbursement', OPENING)
  return operator
}

/** Both contracts, of which one takes new payments. */
export function writeContracts(
  file: string,
  { url }: Installation,
  operators: readonly Emulator[],
  active: number,
): void {
  const entries = operators.map(({ url: baseUrl, credentials, targetEnvironment }, nth) => ({
    ...{ id: `contract-${nth}`, baseUrl, targetEnvironment, ...credentials, active: nth === active },
    ...{
      statusPerSecond: null,
      timeouts: QUICK,
      breaker: NEVER_OPENS,
      callback: { base: `${url}/inbound/op1` },
    },
  }))
  writeFileSync(file, JSON.stringify(entries))
}
