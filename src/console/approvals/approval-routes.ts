import { rejectApproval, withdrawApproval } from '../../approvals/end-approval.ts'
import type { FormSpec, Values } from '../../pages/form-spec.ts'
import { doneTo } from '../../pages/shown.ts'
import { approve } from '../../reconciliation/approve.ts'
import { APPROVALS } from '../texts/approvals.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'
import { APPROVE, REJECT, WITHDRAW } from './approval-forms.ts'
import { showApproval } from './approval-page.tsx'
import { showApprovals } from './approvals-page.tsx'

const { forms } = APPROVALS

type Does = (visit: ConsoleVisit, id: string, values: Values) => Promise<unknown>
const act = (spec: FormSpec, doneText: string, perform: Does): ConsoleRoute =>
  form(spec, {
    async submit(visit, values) {
      const id = visit.params.id ?? ''
      await perform(visit, id, values)
      return doneTo(visit.to(`/approvals/${id}`), doneText)
    },
    again: showApproval,
  })

/** The pages and forms of approvals: what one person of our staff asks for and a second one approves. */
export const APPROVAL_ROUTES: readonly ConsoleRoute[] = [
  page('/approvals', showApprovals),
  page('/approvals/:id', (visit) => showApproval(visit)),
  act(APPROVE, forms.done, ({ gateway, caller }, id, { note = '' }) =>
    approve(gateway, caller, { id, note }),
  ),
  act(REJECT, forms.rejected, ({ gateway, caller }, id, { note = '' }) =>
    rejectApproval(gateway, caller, { id, note }),
  ),
  act(WITHDRAW, forms.withdrawn, ({ gateway, caller }, id) =>
    withdrawApproval(gateway, caller, { id, note: null }),
  ),
]
