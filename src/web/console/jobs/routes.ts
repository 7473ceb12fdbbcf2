import { requestRun } from '../../../operations/jobs/requested-runs.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { JOBS } from '../texts/jobs.ts'
import type { ConsoleRoute } from '../visit.ts'
import { RUN_FORM, showJobs } from './jobs-page.tsx'

const { tasks } = JOBS

/** The page of background tasks. */
export const JOB_ROUTES: readonly ConsoleRoute[] = [
  pageRoute('/jobs', showJobs, 'console.read'),
  formRoute(RUN_FORM, {
    async submit({ gateway, caller, params, to }) {
      const [cell = '', sweep = ''] = (params.id ?? '').split('.', 2)
      await requestRun(gateway, caller, { cell, sweep })
      return redirectDone(to('/jobs'), tasks.asked(sweep))
    },
    showRefused: showJobs,
  }),
]
