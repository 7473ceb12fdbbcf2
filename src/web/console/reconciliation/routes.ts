import { askTakeBack } from '../../../operations/approvals/take-back-statement.ts'
import { requestReconciliation } from '../../../operations/reconciliation/reconcile.ts'
import { importUpload, uploadStatement } from '../../../operations/reconciliation/statements/uploaded-statements.ts'
import { assert } from '../../../platform/assert.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { APPROVALS } from '../texts/approvals.ts'
import { RECONCILIATION } from '../texts/reconciliation.ts'
import type { ConsoleRoute } from '../visit.ts'
import { showImport, UPLOAD_STATEMENT_FORM } from './import-page.tsx'
import { RUN_NOW_FORM, RUNS_PATH, showRuns } from './runs-page.tsx'
import { IMPORT_NOW_FORM, IMPORT_PATH, showUpload, TAKE_BACK_STATEMENT_FORM } from './upload-page.tsx'

/** The pages and forms of reconciliation: past comparisons, a comparison now, and statements. */
export const RECONCILIATION_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(RUNS_PATH, showRuns, 'console.read'),
  formRoute(RUN_NOW_FORM, {
    async submit({ gateway, caller, to }) {
      await requestReconciliation(gateway, caller)
      return redirectDone(to(RUNS_PATH), RECONCILIATION.asked)
    },
    showRefused: showRuns,
  }),
  pageRoute(IMPORT_PATH, showImport, 'console.read'),
  pageRoute(`${IMPORT_PATH}/:id`, showUpload, 'console.read'),
  formRoute(UPLOAD_STATEMENT_FORM, {
    async submit({ gateway, caller, file, to }, { installation = '' }) {
      assert(file !== null, 'the form has its file')
      const { name, bytes } = file
      const upload = { name, bytes, installation: installation === '' ? null : installation }
      const id = await uploadStatement(gateway, caller, upload)
      return redirectDone(to(`${IMPORT_PATH}/${id}`), RECONCILIATION.import.looked)
    },
    showRefused: showImport,
  }),
  formRoute(IMPORT_NOW_FORM, {
    async submit({ gateway, caller, params, to }) {
      const id = params.id ?? ''
      await importUpload(gateway, caller, id)
      return redirectDone(to(`${IMPORT_PATH}/${id}`), RECONCILIATION.detail.done)
    },
    showRefused: showUpload,
  }),
  formRoute(TAKE_BACK_STATEMENT_FORM, {
    async submit({ gateway, caller, params, to }, { reason = '' }) {
      const { id } = await askTakeBack(gateway, caller, { id: params.id ?? '', reason })
      return redirectDone(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    showRefused: showUpload,
  }),
]
