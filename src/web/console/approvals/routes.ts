import { rejectApproval, withdrawApproval } from '../../../operations/approvals/end-approval.ts'
import { approve } from '../../../operations/reconciliation/approve.ts'
import type { FormSpec, FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { APPROVALS } from '../texts/approvals.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { APPROVE_APPROVAL_FORM, REJECT_APPROVAL_FORM, WITHDRAW_APPROVAL_FORM } from './approval-forms.ts'
import { showApproval } from './approval-page.tsx'
import { showApprovals } from './approvals-page.tsx'

const { forms } = APPROVALS

type ApprovalAct = (visit: ConsoleVisit, id: string, values: FormValues) => Promise<unknown>
const approvalForm = (spec: FormSpec, doneText: string, perform: ApprovalAct): ConsoleRoute =>
  formRoute(spec, {
    async submit(visit, values) {
      const id = visit.params.id ?? ''
      await perform(visit, id, values)
      return redirectDone(visit.to(`/approvals/${id}`), doneText)
    },
    showRefused: showApproval,
  })

/** The pages and forms of approvals: what one person of our staff asks for and a second one approves. */
export const APPROVAL_ROUTES: readonly ConsoleRoute[] = [
  pageRoute('/approvals', showApprovals, 'console.read'),
  pageRoute('/approvals/:id', showApproval, 'console.read'),
  approvalForm(APPROVE_APPROVAL_FORM, forms.done, ({ gateway, caller }, id, { note = '' }) =>
    approve(gateway, caller, { id, note }),
  ),
  approvalForm(REJECT_APPROVAL_FORM, forms.rejected, ({ gateway, caller }, id, { note = '' }) =>
    rejectApproval(gateway, caller, { id, note }),
  ),
  approvalForm(WITHDRAW_APPROVAL_FORM, forms.withdrawn, ({ gateway, caller }, id) =>
    withdrawApproval(gateway, caller, { id, note: null }),
  ),
]
