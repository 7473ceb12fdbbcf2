import type { DashboardVisit } from './visit.ts'

// What is about somebody's own account, and files: a statement closes its month, and lists of phones stay with the merchant.
const HIDDEN = ['/settings/security', '/settings/audit', '/wallet/statements/:period', '/bulk/:id/mend']
const PATTERNS = HIDDEN.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}(?:/|$)`))

/** Whether operators who look at a merchant's pages find nothing at this path, declared or filled in. */
export const isHiddenFromOperators = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path))

/** Whether a link to this path leads somewhere for whoever looks. */
export const leadsOn = ({ look }: Pick<DashboardVisit, 'look'>, path: string): boolean =>
  look === null || !isHiddenFromOperators(path)
