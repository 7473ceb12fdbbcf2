import type { Stream } from '../../http/caller.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import type { Shown } from '../../pages/shown.ts'
import { type Filter, given } from '../../pages/table.tsx'
import { kampalaDay } from '../../platform/kampala.ts'
import { LISTS } from '../texts/lists.ts'
import { type DashboardRoute, type DashboardVisit, form } from '../visit.ts'

/** The form that downloads a list: its filters travel with it, unseen. */
export const exportForm = (path: string, filters: readonly Filter[]): FormSpec => ({
  path: `${path}/export`,
  action: 'export',
  fields: filters.map(({ name, label }) => ({ name, label, kind: 'hidden', optional: true })),
  submit: LISTS.export,
  plain: true,
})

/** What the form does: the list as a file, or the list again with what was wrong. */
export const exportRoute = (
  spec: FormSpec,
  {
    name,
    file,
    again,
  }: {
    /** What the file is called, without its mode and day. */
    name: string
    file(visit: DashboardVisit): Promise<Stream>
    again(visit: DashboardVisit, state: FormState): Promise<Shown>
  },
): DashboardRoute =>
  form(spec, {
    async submit(visit, values) {
      const stream = await file({ ...visit, query: given(values) })
      const { mode, now } = visit
      const called = `${name}-${mode}-${kampalaDay(now)}.csv`
      return { kind: 'stream', name: called, type: 'text/csv; charset=utf-8', stream }
    },
    // Unless the confirmation is what was wrong, its filters cannot be read.
    again: (visit, state) =>
      again({ ...visit, query: 'confirm' in state.faults ? given(state.values) : {} }, state),
  })

type ExportBoxProps = { of: FormSpec; visit: DashboardVisit; state?: FormState | null }

/** The button that downloads what the list shows. Nothing where the person's role may not. */
export const ExportBox = ({ of, visit, state = null }: ExportBoxProps) => (
  <FormBox of={of} visit={visit} state={state} values={visit.query as Values} compact />
)
