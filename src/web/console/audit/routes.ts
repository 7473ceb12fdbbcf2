import { askForAuditCheck } from '../../../operations/alerts/check-audit.ts'
import { exportAudit } from '../../../operations/alerts/export-audit.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { withoutEmpty } from '../../parts/table.tsx'
import { CONSOLE_AUDIT_TEXTS } from '../texts/audit.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { waitBriefly } from '../wait-briefly.ts'
import {
  AUDIT_PATH,
  EXPORT_AUDIT_FORM,
  getAuditDatabases,
  parseAuditFilter,
  showAudit,
  VERIFY_AUDIT_FORM,
} from './audit-page.tsx'

const { chain } = CONSOLE_AUDIT_TEXTS
// The page waits this long for a check of the chains; a longer check goes on without it.
const CHECK_WAIT_MS = 3000

/** The audit over all merchants: its rows, the check of its chains, and a file of it. */
export const CONSOLE_AUDIT_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(AUDIT_PATH, showAudit, 'console.read'),
  formRoute(VERIFY_AUDIT_FORM, { submit: submitVerify, showRefused: showAudit }),
  formRoute(EXPORT_AUDIT_FORM, {
    async submit(visit, values) {
      const filtered = { ...visit, query: withoutEmpty(values) }
      const chains = getAuditDatabases(filtered)
      const body = await exportAudit(visit.gateway, visit.caller, { chains, filter: parseAuditFilter(filtered) })
      return {
        kind: 'file',
        name: `audit-${filtered.query.place ?? 'all'}.csv`,
        type: 'text/csv; charset=utf-8',
        body,
      }
    },
    showRefused: (visit, state) => showAudit({ ...visit, query: {} }, state),
  }),
]

async function submitVerify(visit: ConsoleVisit): Promise<SurfaceReply> {
  const { log } = visit.gateway
  const waiting = { waitMs: CHECK_WAIT_MS, log, failed: 'a check of the audit did not come to its end' }
  const isDone = await waitBriefly(askForAuditCheck(visit.gateway, visit.caller), waiting)
  return redirectDone(visit.to(AUDIT_PATH), isDone ? chain.done : chain.begun)
}
