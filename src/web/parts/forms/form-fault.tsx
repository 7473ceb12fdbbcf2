import { renderToString } from 'preact-render-to-string'
import { Icon } from '../icons.tsx'
import type { SurfaceReply } from '../routes/surface-reply.ts'
import { PARTS } from '../texts.ts'
import { type FormSpec, type FormState, makeFormId } from './form-spec.ts'

const FAULT_CLASS = 'fault'
const CONFIRM = { name: 'confirm', label: PARTS.confirm }

type RefusedForm = { state: FormState; spec: FormSpec }

/**
 * Adds the fault of a refused form to its page. The form's address ends in its id, so the browser scrolls to the form, which shows the
 * fault; a note at the top of the page links there. If the page does not show the form any more, the fault itself is shown at the top.
 */
export function addFault(reply: SurfaceReply, form: RefusedForm): SurfaceReply {
  const { state } = form
  const page = reply.kind === 'page' ? reply : null
  const isShown = page !== null && renderToString(page.body).includes(`class="${FAULT_CLASS}"`)
  const title = page?.title ?? PARTS.errors.title(state.status)
  const body = (
    <>
      {isShown ? <FaultSummary {...form} /> : <FaultBox {...withoutFieldFaults(form)} />}
      {page?.body ?? <h1>{title}</h1>}
    </>
  )
  return {
    ...page,
    kind: 'page',
    title: `${PARTS.refused}: ${title}`,
    status: page?.status ?? state.status,
    body,
    ...(isShown ? {} : { status: state.status }),
  }
}

/** Merges the faults of the fields into one text, for a page that does not show these fields. */
const withoutFieldFaults = ({ state, spec }: RefusedForm): RefusedForm => ({
  state: { ...state, fault: state.fault ?? Object.values(state.faults).join('. '), faults: {} },
  spec,
})

/** The note at the top of the page: the form was refused, with a link to it. */
const FaultSummary = ({ state, spec }: RefusedForm) => (
  <p class="note bad">
    <Icon name="warning" />
    <span>
      {PARTS.refused}. <a href={`#${makeFormId(spec.path, state.params)}`}>{PARTS.toFault}</a>
    </span>
  </p>
)

/** The box at the form: what was wrong, that nothing was done (if that is known), and a link to each faulty field. */
export function FaultBox({ state, spec }: RefusedForm) {
  const id = makeFormId(state.path, state.params)
  const fields = [...spec.fields.filter(({ kind }) => kind !== 'hidden'), CONFIRM]
  const wrong = fields.filter(({ name }) => state.faults[name] !== undefined)
  return (
    <div class={FAULT_CLASS} role="alert" id={id} tabIndex={-1}>
      <Icon name="warning" />
      <div>
        <span>
          {state.token === null && <strong>{PARTS.nothingDone}. </strong>}
          {state.fault ?? PARTS.mend}
        </span>
        {wrong.length > 0 && (
          <ul>
            {wrong.map(({ name, label }) => (
              <li>
                <a href={`#${id}-${name}`}>{label}</a>: {state.faults[name]}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
