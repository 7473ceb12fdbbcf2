import type { DashboardVisit } from './visit.ts'

// Pages about a person's own account, and downloads: a statement closes its month, and lists of phones stay with the merchant.
const HIDDEN = ['/settings/security', '/settings/audit', '/wallet/statements/:period', '/bulk/:id/mend']
const PATTERNS = HIDDEN.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}(?:/|$)`))

/** Whether staff who view a merchant's pages find no page at this path, with its parameters filled in or not. */
export const isHiddenFromOperators = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path))

/** Whether this reader has a page at this path. Staff get no links to pages that are hidden from them. */
export const leadsOn = (visit: DashboardVisit, path: string): boolean =>
  visit.look === null || !isHiddenFromOperators(path)
