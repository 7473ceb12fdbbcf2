import { askAdjustment } from '../../approvals/adjustment.ts'
import { AGAINST } from '../../approvals/approval.ts'
import { askAcceptance } from '../../approvals/breach.ts'
import { assignAny, noteOnException, placeOfException, resolveAny } from '../../exceptions/any-exception.ts'
import { BY_ONE_PERSON } from '../../exceptions/resolution.ts'
import { amountOf, type FormSpec, type Values } from '../../pages/form-spec.ts'
import { doneTo } from '../../pages/shown.ts'
import { assert } from '../../platform/assert.ts'
import { notFound } from '../../platform/refusal.ts'
import { askEndAsTold } from '../../reconciliation/end-as-told.ts'
import { endLost } from '../../reconciliation/end-lost.ts'
import { APPROVALS } from '../texts/approvals.ts'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'
import { ACCEPT, ADJUST, END_AS_TOLD, END_LOST, LIST, NOTE, RESOLVE, TAKE } from './exception-forms.ts'
import { showException } from './exception-page.tsx'
import { showExceptions } from './exceptions-page.tsx'

const { forms } = EXCEPTIONS

/** Performs a form and returns the path to go to, or null for the page of the exception. */
type Does = (visit: ConsoleVisit, id: string, values: Values) => Promise<string | null>

const act = (spec: FormSpec, doneText: string, perform: Does): ConsoleRoute =>
  form(spec, {
    async submit(visit, values) {
      const id = visit.params.id ?? ''
      const to = await perform(visit, id, values)
      return doneTo(visit.to(to ?? `${LIST}/${id}`), doneText)
    },
    again: showException,
  })

/** Gets the chosen radio button. The form has accepted only its own choices. */
function chosen<const T extends string>(value: string | undefined, choices: readonly T[]): T {
  const match = choices.find((choice) => choice === value)
  assert(match !== undefined, 'the form has one of its choices')
  return match
}

/** The pages and forms of exceptions: the three lists, the page of one exception, and its forms. */
export const EXCEPTION_ROUTES: readonly ConsoleRoute[] = [
  page(LIST, showExceptions),
  page(`${LIST}/:id`, (visit) => showException(visit)),
  act(TAKE, forms.taken, async ({ gateway, caller }, id) => {
    await assignAny(gateway, caller, { id, owner: caller.name })
    return null
  }),
  act(NOTE, forms.noted, async ({ gateway, caller }, id, { text = '' }) => {
    await noteOnException(gateway, caller, { id, text })
    return null
  }),
  act(RESOLVE, forms.resolved, async ({ gateway, caller }, id, values) => {
    const resolution = chosen(values.resolution, BY_ONE_PERSON)
    await resolveAny(gateway, caller, { id, note: values.note ?? '', resolution })
    return null
  }),
  act(END_LOST, forms.ended, async ({ gateway, caller }, id, { note = '' }) => {
    const { app, merchantId } = await placeOfException(gateway, id)
    if (app === null) throw notFound('movement')
    await endLost(app, caller, { merchantId, id, note })
    return null
  }),
  act(ACCEPT, APPROVALS.forms.asked, async ({ gateway, caller }, exception, { reason = '' }) => {
    const { id } = await askAcceptance(gateway, caller, { exception, reason })
    return `/approvals/${id}`
  }),
  act(
    END_AS_TOLD,
    APPROVALS.forms.asked,
    async ({ gateway, caller }, exception, { told = '', reason = '' }) => {
      const { id } = await askEndAsTold(gateway, caller, { exception, told, reason })
      return `/approvals/${id}`
    },
  ),
  act(ADJUST, APPROVALS.forms.asked, async ({ gateway, caller }, exception, values) => {
    const { told = '', reason = '', resolve } = values
    const { id } = await askAdjustment(gateway, caller, {
      exception,
      direction: chosen(values.direction, ['in', 'out']),
      against: chosen(values.against, AGAINST),
      amount: amountOf(values, 'amount'),
      ...{ told, reason, resolve: resolve === 'yes' },
    })
    return `/approvals/${id}`
  }),
]
