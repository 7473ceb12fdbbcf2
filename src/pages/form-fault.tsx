import { renderToString } from 'preact-render-to-string'
import { type FormSpec, type FormState, idOfForm } from './form-spec.ts'
import { Icon } from './icons.tsx'
import type { Shown } from './shown.ts'
import { PARTS } from './texts.ts'

const FAULT = 'fault'
const CONFIRM = { name: 'confirm', label: PARTS.confirm }

type Refused = { state: FormState; spec: FormSpec }

/**
 * The page of a refused form, which says on top what was wrong. Its answer lands at the form, whose address has its name behind it; whoever
 * comes to the top of the page finds the way there. Where the page does not show the form, because there is nothing to do any more, the
 * answer lands on the top.
 */
export function sayingFault(shown: Shown, refused: Refused): Shown {
  const { state } = refused
  const page = shown.kind === 'page' ? shown : null
  const isShown = page !== null && renderToString(page.body).includes(`class="${FAULT}"`)
  const title = page?.title ?? PARTS.errors.title(state.status)
  const body = (
    <>
      {isShown ? <Summary {...refused} /> : <Fault {...alone(refused)} />}
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

/** Without fields that it could lead to. */
const alone = ({ state, spec }: Refused): Refused => ({
  state: { ...state, fault: state.fault ?? Object.values(state.faults).join('. '), faults: {} },
  spec,
})

/** On top of the page: that it was refused, and the way to where. */
const Summary = ({ state, spec }: Refused) => (
  <p class="note bad">
    <Icon name="warning" />
    <span>
      {PARTS.refused}. <a href={`#${idOfForm(spec.path, state.params)}`}>{PARTS.toFault}</a>
    </span>
  </p>
)

/** At the form: what was wrong, that nothing was done where that is known, and the way to each field. */
export function Fault({ state, spec }: Refused) {
  const id = idOfForm(state.path, state.params)
  const shown = [...spec.fields.filter(({ kind }) => kind !== 'hidden'), CONFIRM]
  const wrong = shown.filter(({ name }) => state.faults[name] !== undefined)
  return (
    <div class={FAULT} role="alert" id={id} tabIndex={-1}>
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
