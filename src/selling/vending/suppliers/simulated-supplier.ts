import type { SimulatedReport, Supplier } from './supplier.ts'

const REPORT_AFTER_MS = 2000
const ACCEPTED = { kind: 'accepted', code: '1', message: 'accepted by the simulated machine' } as const

// The report by the end of the machine's number (contract.md 6.6). Other machines accept and then wait for the tester's own callback.
const REPORTS_BY_SUFFIX: Readonly<Record<string, SimulatedReport>> = {
  '-OK': { reports: 'delivered', afterMs: REPORT_AFTER_MS },
  '-JAM': { reports: 'jam', afterMs: REPORT_AFTER_MS },
  '-BUSY': { reports: 'not_finished', afterMs: REPORT_AFTER_MS },
}

/** The machines of the sandbox. They make no calls. */
export const simulatedSupplier: Supplier = {
  async dispense({ machine }) {
    if (hasSuffix(machine, '-REFUSE')) return { kind: 'refused', code: '0', message: 'the simulated machine refuses' }
    if (hasSuffix(machine, '-LOST')) return { kind: 'ambiguous', message: 'the simulated machine is silent' }
    return ACCEPTED
  },
  report(machine) {
    const suffix = Object.keys(REPORTS_BY_SUFFIX).find((key) => hasSuffix(machine, key))
    return suffix === undefined ? null : (REPORTS_BY_SUFFIX[suffix] ?? null)
  },
}

const hasSuffix = (machine: string, suffix: string) => machine.toUpperCase().endsWith(suffix)
