import { renderToString } from 'preact-render-to-string'
import type { FormState } from './form-spec.ts'
import { Icon } from './icons.tsx'
import type { Shown } from './shown.ts'
import { PARTS } from './texts.ts'

const FAULT = 'fault'

/** What a refused form shows, saying on top what was wrong where its page does not show the form: there is nothing to do any more, or not here. */
export function sayingFault(shown: Shown, state: FormState): Shown {
  const page = shown.kind === 'page' ? shown : null
  if (page !== null && renderToString(page.body).includes(`class="${FAULT}"`)) return page
  const fault = state.fault ?? Object.values(state.faults).join('. ')
  const title = page?.title ?? PARTS.errors.title(state.status)
  const body = (
    <>
      <Fault state={{ ...state, fault }} />
      {page?.body ?? <h1>{title}</h1>}
    </>
  )
  return { ...page, kind: 'page', title, status: state.status, body }
}

/** What was wrong with none of the fields, and that nothing was done where that is known. */
export function Fault({ state }: { state: FormState }) {
  return (
    <p class={FAULT} role="alert">
      <Icon name="warning" />
      <span>
        {state.token === null && <strong>{PARTS.nothingDone}. </strong>}
        {state.fault ?? PARTS.mend}
      </span>
    </p>
  )
}
