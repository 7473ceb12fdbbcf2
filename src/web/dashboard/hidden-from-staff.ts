import type { DashboardVisit } from './visit.ts'

// Pages about a person's own account, and downloads: a statement closes its month, and lists of phones stay with the merchant.
const HIDDEN_PATHS = [
  '/device',
  '/settings/security',
  '/settings/audit',
  '/wallet/statements/:period',
  '/bulk/:id/mend',
]
const HIDDEN_PATTERNS = HIDDEN_PATHS.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}(?:/|$)`))

/** Whether staff who view a merchant's pages find no page at this path, with its parameters filled in or not. */
export const isHiddenFromStaff = (path: string): boolean => HIDDEN_PATTERNS.some((pattern) => pattern.test(path))

/** Whether this reader has a page at this path. Staff get no links to pages that are hidden from them. */
export const isReachable = (visit: DashboardVisit, path: string): boolean =>
  visit.staffView === null || !isHiddenFromStaff(path)
