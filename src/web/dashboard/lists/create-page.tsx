import type { ComponentChildren } from 'preact'
import { mayDo } from '../../../api/access/allow.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { DashboardVisit } from '../visit.ts'

type CreatePage = {
  title: string
  lead?: ComponentChildren
  /** The first values of the fields. */
  values?: FormValues
  scripts?: readonly string[]
}

/** Makes the page on which one thing is made: its form alone, so that a refusal is seen at once. */
export const createPage =
  (of: FormSpec, pageOf: (visit: DashboardVisit) => CreatePage) =>
  async (visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> => {
    const { title, lead, values = {}, scripts = [] } = pageOf(visit)
    return pageReply(
      title,
      <>
        <h1>{title}</h1>
        {lead}
        <FormBox of={of} visit={visit} state={state} values={values} />
      </>,
      { status: state?.status ?? 200, scripts },
    )
  }

type NewButtonProps = { visit: DashboardVisit; of: FormSpec; query?: string; children: ComponentChildren }

/** The button above a list that leads to the page of such a form. Nothing for those who may not send it. */
export const NewButton = ({ visit, of, query = '', children }: NewButtonProps) =>
  visit.readOnly !== true && mayDo(visit.caller, of.action) ? (
    <a class="button" href={`${visit.to(of.path)}${query}`}>
      {children}
    </a>
  ) : null
