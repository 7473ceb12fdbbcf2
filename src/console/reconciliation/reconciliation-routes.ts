import { askTakeBack } from '../../approvals/take-back-statement.ts'
import { doneTo } from '../../pages/shown.ts'
import { assert } from '../../platform/assert.ts'
import { askForRun } from '../../reconciliation/reconcile.ts'
import { importUpload, uploadStatement } from '../../reconciliation/uploaded-statements.ts'
import { APPROVALS } from '../texts/approvals.ts'
import { RECONCILIATION } from '../texts/reconciliation.ts'
import { type ConsoleRoute, form, page } from '../visit.ts'
import { showImport, UPLOAD } from './import-page.tsx'
import { RUN_NOW, RUNS, showRuns } from './runs-page.tsx'
import { IMPORT, IMPORT_NOW, showUpload, TAKE_BACK } from './upload-page.tsx'

/** The pages and forms of reconciliation: past comparisons, a comparison now, and statements. */
export const RECONCILIATION_ROUTES: readonly ConsoleRoute[] = [
  page(RUNS, (visit) => showRuns(visit)),
  form(RUN_NOW, {
    async submit({ gateway, caller, to }) {
      await askForRun(gateway, caller)
      return doneTo(to(RUNS), RECONCILIATION.asked)
    },
    again: showRuns,
  }),
  page(IMPORT, (visit) => showImport(visit)),
  page(`${IMPORT}/:id`, (visit) => showUpload(visit)),
  form(UPLOAD, {
    async submit({ gateway, caller, file, to }, { installation = '' }) {
      assert(file !== null, 'the form has its file')
      const { name, bytes } = file
      const upload = { name, bytes, installation: installation === '' ? null : installation }
      const id = await uploadStatement(gateway, caller, upload)
      return doneTo(to(`${IMPORT}/${id}`), RECONCILIATION.import.looked)
    },
    again: showImport,
  }),
  form(IMPORT_NOW, {
    async submit({ gateway, caller, params, to }) {
      const id = params.id ?? ''
      await importUpload(gateway, caller, id)
      return doneTo(to(`${IMPORT}/${id}`), RECONCILIATION.detail.done)
    },
    again: showUpload,
  }),
  form(TAKE_BACK, {
    async submit({ gateway, caller, params, to }, { reason = '' }) {
      const { id } = await askTakeBack(gateway, caller, { id: params.id ?? '', reason })
      return doneTo(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    again: showUpload,
  }),
]
