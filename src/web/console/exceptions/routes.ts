import { askAcceptance } from '../../../operations/approvals/accept-breach.ts'
import { askAdjustment } from '../../../operations/approvals/adjustment.ts'
import { CORRECTION_ACCOUNTS } from '../../../operations/approvals/approval.ts'
import { askEndAsTold } from '../../../operations/reconciliation/end-as-told.ts'
import { endLost } from '../../../operations/reconciliation/end-lost.ts'
import {
  assignAnyException,
  locateException,
  noteOnException,
  resolveAnyException,
} from '../../../payments/exceptions/any-exception.ts'
import { ONE_PERSON_RESOLUTIONS } from '../../../payments/exceptions/resolution.ts'
import { assert } from '../../../platform/assert.ts'
import { notFound } from '../../../platform/refusal.ts'
import { type FormSpec, type FormValues, getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { APPROVALS } from '../texts/approvals.ts'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import {
  ACCEPT_BREACH_FORM,
  ADJUST_FORM,
  END_AS_TOLD_FORM,
  END_LOST_FORM,
  EXCEPTION_NOTE_FORM,
  EXCEPTIONS_PATH,
  RESOLVE_EXCEPTION_FORM,
  TAKE_EXCEPTION_FORM,
} from './exception-forms.ts'
import { showException } from './exception-page.tsx'
import { showExceptions } from './exceptions-page.tsx'

const { forms } = EXCEPTIONS

/** Performs a form and returns the path to go to, or null for the page of the exception. */
type ExceptionAct = (visit: ConsoleVisit, id: string, values: FormValues) => Promise<string | null>

const exceptionForm = (spec: FormSpec, doneText: string, perform: ExceptionAct): ConsoleRoute =>
  formRoute(spec, {
    async submit(visit, values) {
      const id = visit.params.id ?? ''
      const to = await perform(visit, id, values)
      return redirectDone(visit.to(to ?? `${EXCEPTIONS_PATH}/${id}`), doneText)
    },
    showRefused: showException,
  })

/** Gets the chosen radio button. The form has accepted only its own choices. */
function getChoice<const T extends string>(value: string | undefined, choices: readonly T[]): T {
  const match = choices.find((choice) => choice === value)
  assert(match !== undefined, 'the form has one of its choices')
  return match
}

/** The pages and forms of exceptions: the three lists, the page of one exception, and its forms. */
export const EXCEPTION_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(EXCEPTIONS_PATH, showExceptions, 'console.read'),
  pageRoute(`${EXCEPTIONS_PATH}/:id`, showException, 'console.read'),
  exceptionForm(TAKE_EXCEPTION_FORM, forms.taken, async ({ gateway, caller }, id) => {
    await assignAnyException(gateway, caller, { id, owner: caller.name })
    return null
  }),
  exceptionForm(EXCEPTION_NOTE_FORM, forms.noted, async ({ gateway, caller }, id, { text = '' }) => {
    await noteOnException(gateway, caller, { id, text })
    return null
  }),
  exceptionForm(RESOLVE_EXCEPTION_FORM, forms.resolved, async ({ gateway, caller }, id, values) => {
    const resolution = getChoice(values.resolution, ONE_PERSON_RESOLUTIONS)
    await resolveAnyException(gateway, caller, { id, note: values.note ?? '', resolution })
    return null
  }),
  exceptionForm(END_LOST_FORM, forms.ended, async ({ gateway, caller }, id, { note = '' }) => {
    const { app, merchantId } = await locateException(gateway, id)
    if (app === null) throw notFound('movement')
    await endLost(app, caller, { merchantId, id, note })
    return null
  }),
  exceptionForm(ACCEPT_BREACH_FORM, APPROVALS.forms.asked, async ({ gateway, caller }, exception, { reason = '' }) => {
    const { id } = await askAcceptance(gateway, caller, { exception, reason })
    return `/approvals/${id}`
  }),
  exceptionForm(
    END_AS_TOLD_FORM,
    APPROVALS.forms.asked,
    async ({ gateway, caller }, exception, { told = '', reason = '' }) => {
      const { id } = await askEndAsTold(gateway, caller, { exception, told, reason })
      return `/approvals/${id}`
    },
  ),
  exceptionForm(ADJUST_FORM, APPROVALS.forms.asked, async ({ gateway, caller }, exception, values) => {
    const { told = '', reason = '', resolve } = values
    const { id } = await askAdjustment(gateway, caller, {
      exception,
      direction: getChoice(values.direction, ['in', 'out']),
      against: getChoice(values.against, CORRECTION_ACCOUNTS),
      amount: getAmount(values, 'amount'),
      ...{ told, reason, resolve: resolve === 'yes' },
    })
    return `/approvals/${id}`
  }),
]
