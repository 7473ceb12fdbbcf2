import { askInstallationSwitch } from '../../../operations/approvals/switch-installation.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { APPROVALS } from '../texts/approvals.ts'
import type { ConsoleRoute } from '../visit.ts'
import { INSTALLATIONS_PATH, SWITCH_INSTALLATION_FORM, showInstallations } from './installations-page.tsx'

/** The page of installations. It takes two of our staff to switch new payments to another. */
export const INSTALLATION_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(INSTALLATIONS_PATH, showInstallations, 'console.read'),
  formRoute(SWITCH_INSTALLATION_FORM, {
    async submit({ gateway, caller, to }, { side, installation = '', reason = '' }) {
      // The form has accepted only its own two sides.
      const input = { side: side === 'collect' ? 'collect' : 'disburse', installation, reason } as const
      const { id } = await askInstallationSwitch(gateway, caller, input)
      return redirectDone(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    showRefused: showInstallations,
  }),
]
