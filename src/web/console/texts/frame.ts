/** The names of the roles of staff. */
export const ROLE_NAMES = { support: 'support', risk: 'risk', finance: 'finance', admin: 'admin' }

/** The texts of the frame around every page of the console. */
export const CONSOLE_FRAME_TEXTS = {
  product: 'Console',
  searchHint: 'Id, reference, phone, operator’s number',
  groups: { service: 'Service', money: 'Money', merchants: 'Merchants', people: 'People' },
  environment: {
    label: 'Environment',
    production: 'PRODUCTION',
    productionSays: 'What is done here moves real money.',
    sandbox: 'SANDBOX',
    sandboxSays: (environment: string) => `This is not production but ${environment}.`,
  },
  missing: (cells: string) => `${cells}. What lies there is missing on every page, in figures and lists too.`,
  /** Formats how much waits. Counting stops at `most`. */
  count: (count: number, most: number) => (count >= most ? `${most - 1}+` : String(count)),
  pages: {
    home: 'Home',
    approvals: 'Approvals',
    freeze: 'Freeze',
    installations: 'Contracts',
    reconciliation: 'Reconciliation',
    exceptions: 'Exceptions',
    alerts: 'Alerts',
    jobs: 'Jobs',
    audit: 'Audit',
    payments: 'Payments',
    parked: 'Parked',
    ledger: 'Ledger',
    rails: 'Rails',
    merchants: 'Merchants',
    verification: 'Verification',
    withdrawals: 'Withdrawals',
    numbers: 'Settlement numbers',
    standingOrders: 'Standing orders',
    topUps: 'Top-ups',
    cases: 'Cases',
    operators: 'Operators',
    security: 'Your account',
  },
}
