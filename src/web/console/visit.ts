import type { Action } from '../../api/access/actions.ts'
import type { StaffCaller } from '../../api/access/actor.ts'
import type { FormSpec } from '../parts/forms/form-spec.ts'
import {
  type FormRoute,
  formRoute,
  type PageRoute,
  pageRoute,
  type SurfaceRoute,
  type Visit,
} from '../parts/routes/route.ts'
import type { SurfaceReply } from '../parts/routes/surface-reply.ts'
import type { WorkOverview } from './work-overview.ts'

/** A request of a signed-in person of our staff, with the work that waits. */
export type ConsoleVisit = Visit & { caller: StaffCaller; waiting: WorkOverview | null }
export type ConsoleRoute = SurfaceRoute<ConsoleVisit>

/** Declares a page of the console by its path without base. `see` is the action that a role must be allowed to see it. */
export const page = (
  path: string,
  show: (visit: ConsoleVisit) => Promise<SurfaceReply>,
  see: Action = 'console.read',
): PageRoute<ConsoleVisit> => pageRoute(path, show, see)

/** Declares a form of the console. `submit` calls the operation, `again` shows the page with the fault of the form. */
export const form = (
  spec: FormSpec,
  handlers: Pick<FormRoute<ConsoleVisit>, 'submit' | 'showRefused'>,
): FormRoute<ConsoleVisit> => formRoute(spec, handlers)
