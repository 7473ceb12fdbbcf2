import type { PosterLimits } from '../../../platform/outbound/connect.ts'
import type { DispenseClaim } from '../dispensing/claim.ts'

/** The limits of one call to a supplier (contract.md 6.1). */
export const SUPPLIER_LIMITS: PosterLimits = { attemptMs: 30_000, connectMs: 5_000, bodyBytes: 1024 * 1024 }

/**
 * A supplier's answer to a command (contract.md 6.2). `accepted` does not mean delivered; only the machine's report does.
 * `refused`: certainly nothing will be dispensed. `ambiguous`: unknown, and the command is never repeated automatically.
 */
export type CommandReply =
  | { kind: 'accepted'; code: string; message: string }
  | { kind: 'refused'; code: string | null; message: string }
  | { kind: 'ambiguous'; message: string }

/** What a simulated machine reports, and when, in ms after it accepted. */
export type SimulatedReport = { reports: 'delivered' | 'jam' | 'not_finished'; afterMs: number }

/** Commands the machines of a merchant: its supplier over HTTP, or in test mode a simulation that makes no call (VE9). */
export type Supplier = {
  /**
   * Never throws for what the other side does. Called outside any transaction, at most once for a claim. `isLate` is called before
   * the first byte leaves; if it returns true, nothing is sent.
   */
  dispense(command: DispenseClaim & { payerPhone: string | null }, isLate: () => boolean): Promise<CommandReply>
  /** Test mode only. */
  report?(machine: string): SimulatedReport | null
}
