import type { DocumentStream } from '../../../api/http/answer.ts'
import { kampalaDay } from '../../../platform/time/kampala.ts'
import type { FileReader } from '../../../reports/exports/export-rows.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute } from '../../parts/routes/route.ts'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListFilter, withoutEmpty } from '../../parts/table.tsx'
import { LISTS } from '../texts/lists.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'

const FOR_FIELD = 'for'

/** Declares the form that downloads a list; the list's filters are its hidden fields. */
export const exportForm = (path: string, filters: readonly ListFilter[]): FormSpec => ({
  path: `${path}/export`,
  action: 'export',
  fields: filters.map(({ name, label }): FormField => ({ name, label, kind: 'hidden', optional: true })),
  submit: LISTS.export,
  also: { name: FOR_FIELD, value: 'programs', submit: LISTS.exportForPrograms, without: [] },
  plain: true,
})

/** Declares what that form does: it sends the list as a file, or shows the list again with the faults. */
export const exportRoute = (
  spec: FormSpec,
  {
    name,
    file,
    again,
  }: {
    /** The name of the file, without its mode and day. */
    name: string
    file(visit: DashboardVisit, reader: FileReader): Promise<DocumentStream>
    again(visit: DashboardVisit, state: FormState): Promise<SurfaceReply>
  },
): DashboardRoute =>
  formRoute(spec, {
    async submit(visit, values) {
      const { [FOR_FIELD]: chosen, ...filters } = values
      const reader = chosen === 'programs' ? 'programs' : 'people'
      const stream = await file({ ...visit, query: withoutEmpty(filters) }, reader)
      const { mode, now } = visit
      const fileName = `${name}-${mode}-${kampalaDay(now)}${reader === 'programs' ? '-for-programs' : ''}.csv`
      return { kind: 'stream', name: fileName, type: 'text/csv; charset=utf-8', stream }
    },
    // Only a fault of the confirmation leaves the filters readable. Otherwise the list is shown without them.
    showRefused: (visit, state) => {
      const { [FOR_FIELD]: _chosen, ...filters } = state.values
      return again({ ...visit, query: 'confirm' in state.faults ? withoutEmpty(filters) : {} }, state)
    },
  })

type ExportBoxProps = { of: FormSpec; visit: DashboardVisit; state?: FormState | null }

/** The button that downloads what the list shows. Renders nothing if the person's role may not. */
export const ExportBox = ({ of, visit, state = null }: ExportBoxProps) => (
  <FormBox of={of} visit={visit} state={state} values={visit.query as FormValues} compact />
)
