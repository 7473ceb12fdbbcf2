import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'undici'
import type { Emulator } from '../../emulator/emulator.ts'
import type { Rule } from '../../emulator/rules.ts'
import type { Installation, Merchant } from '../crash/installation.ts'
import { post } from './soak-clients.ts'

// Amounts that no other payment of the run has.
const REVERSED = 7001
const TWICE = 7002
const REVERSED_AFTER_MS = 2000
const TRIES = 100
const AGAIN_MS = 100

/** The operator contradicts itself about one payment, and takes another one twice. */
export const MISLEADING: readonly Rule[] = [
  { match: { amount: REVERSED }, reversal: { first: 'FAILED', afterMs: REVERSED_AFTER_MS } },
  { match: { amount: TWICE }, executeTwice: true, resolve: { status: 'SUCCESSFUL' } },
]

/** The references for which an operator was told to misbehave: they excuse that their merchant is stopped. */
export const misledReferences = (operators: readonly Emulator[]): Set<string> =>
  new Set(
    operators
      .flatMap((operator) => operator.transactions())
      .filter(({ rule }) => rule?.executeTwice === true || rule?.reversal !== undefined)
      .map(({ reference }) => reference),
  )

/** Both payments, of a merchant who has no others. */
export async function payMisled(installation: Installation, merchant: Merchant, agent: Agent): Promise<void> {
  for (const amount of [REVERSED, TWICE]) {
    const body = { amount, channel: 'op1_momo', customer: { phone: '256778100001' } }
    const order = { path: '/v1/charges', key: `misled-${amount}`, body }
    for (let tries = 0; (await post(installation, merchant, agent, order)).status !== 201; tries += 1) {
      if (tries > TRIES) throw new Error(`${order.key} was not taken`)
      await sleep(AGAIN_MS)
    }
  }
}
