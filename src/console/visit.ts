import type { Action } from '../actors/actions.ts'
import type { OperatorCaller } from '../actors/actor.ts'
import type { FormSpec } from '../pages/form-spec.ts'
import {
  type FormRoute,
  formRoute,
  type PageRoute,
  pageRoute,
  type Route,
  type Visit,
} from '../pages/route.ts'
import type { Shown } from '../pages/shown.ts'
import type { WaitingShown } from './waiting.ts'

/** An operator on the console. */
export type ConsoleVisit = Visit & { caller: OperatorCaller; waiting: WaitingShown | null }
export type ConsoleRoute = Route<ConsoleVisit>

/** Declares a page of the console: its path without base, and what the operator must be allowed to do to see it. */
export const page = (
  path: string,
  show: (visit: ConsoleVisit) => Promise<Shown>,
  see: Action = 'console.read',
): PageRoute<ConsoleVisit> => pageRoute(path, show, see)

/** Declares what a form of the console does: `submit` calls the operation, `again` shows the page with what was wrong. */
export const form = (
  spec: FormSpec,
  handlers: Pick<FormRoute<ConsoleVisit>, 'submit' | 'again'>,
): FormRoute<ConsoleVisit> => formRoute(spec, handlers)
