// Who may import whom: a room imports itself and the rooms on the lines above, never others on its own line or below. So no wing imports
// one below it either.
export const ORDER = [
  ['platform'],
  ['api/access'],
  ['api/rate-limits'],
  ['api/http'],
  ['api/idempotency'],
  ['ledger', 'merchants/mails'],
  ['rails'],
  ['merchants/account'],
  ['merchants/webhooks', 'merchants/request-log', 'merchants/saved-views'],
  ['merchants/people'],
  ['merchants/verification', 'merchants/branding'],
  ['payments/exceptions'],
  ['payments/subaccounts', 'payments/gift-cards'],
  ['payments/charges'],
  ['payments/payouts'],
  ['payments/scheduled-payouts', 'payments/refunds', 'payments/withdrawals', 'payments/top-ups'],
  ['payments/testing'],
  ['selling/payment-links'],
  ['selling/vending'],
  ['selling/storefront', 'selling/disputes'],
  ['selling/invoices'],
  ['selling/customers'],
  ['reports'],
  ['reports/notices', 'reports/push', 'operations/approvals', 'operations/cases'],
  ['operations/closing'],
  ['operations/verify', 'operations/jobs', 'operations/waiting', 'operations/backups', 'operations/cells'],
  ['operations/alerts'],
  ['operations/reconciliation'],
  ['operations/investigation', 'operations/overview'],
  ['web/parts'],
  ['web/checkout', 'web/docs'],
  ['web/dashboard', 'web/console'],
  ['program/settings'],
  ['program', 'program/commands'],
]

/** The room of a file: its wing and folder where the order names that, else its wing. */
export const roomOf = (path: string) => {
  const [, wing = 'program', folder] = /^src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? []
  return rankOf(`${wing}/${folder}`) === -1 ? wing : `${wing}/${folder}`
}

export const rankOf = (room: string) => ORDER.findIndex((line) => line.includes(room))
