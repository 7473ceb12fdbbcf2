import type { StaffCaller } from '../../api/access/actor.ts'
import type { SurfaceRoute, Visit } from '../parts/routes/route.ts'
import type { WorkOverview } from './work-overview.ts'

/** A request of a signed-in person of our staff, with the work that waits. */
export type ConsoleVisit = Visit & { caller: StaffCaller; waiting: WorkOverview | null }
export type ConsoleRoute = SurfaceRoute<ConsoleVisit>
