import { closeAlert } from '../../../operations/alerts/close-alert.ts'
import { notFound } from '../../../platform/refusal.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { ALERTS } from '../texts/alerts.ts'
import type { ConsoleRoute } from '../visit.ts'
import { CLOSE_ALERT_FORM, showAlert, showAlerts, showKind } from './alerts-page.tsx'

/** The pages of alerts. */
export const ALERT_ROUTES: readonly ConsoleRoute[] = [
  pageRoute('/alerts', showAlerts, 'console.read'),
  pageRoute('/alerts/kinds/:kind', showKind, 'console.read'),
  pageRoute('/alerts/:id', showAlert, 'console.read'),
  formRoute(CLOSE_ALERT_FORM, {
    async submit({ gateway, caller, params, to }, { note = '' }) {
      const id = Number(params.id)
      if (!Number.isSafeInteger(id) || id < 1) throw notFound('alert')
      await closeAlert(gateway, caller, { id, note })
      return redirectDone(to('/alerts'), ALERTS.close.done)
    },
    showRefused: showAlert,
  }),
]
