import { changeHandle } from '../../../merchants/account/change-handle.ts'
import { closeAccount, keepAccountOpen } from '../../../operations/closing/close-account.ts'
import { FieldFault } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { BUSINESS } from '../texts/business.ts'
import { CLOSING as WORDS } from '../texts/closing.ts'
import type { DashboardRoute } from '../visit.ts'
import { showAudit } from './audit-page.tsx'
import { CHANGE_HANDLE, showBusiness } from './business-page.tsx'
import { CLOSE_ACCOUNT, CLOSE_PATH, KEEP_ACCOUNT, showClosing } from './close-page.tsx'
import { showSettings } from './settings-page.tsx'

const { handle } = BUSINESS

/** Settings: the list of them, the business, the closing of its account, and the audit. */
export const SETTINGS_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/settings', showSettings, 'shop.read'),
  pageRoute('/settings/business', showBusiness, 'shop.read'),
  formRoute(CHANGE_HANDLE, {
    async submit({ gateway, caller, to }, values) {
      const newHandle = await changeHandle(gateway, caller, values.handle ?? '')
      return redirectDone(to('/settings/business'), handle.done(newHandle))
    },
    showRefused: showBusiness,
  }),
  pageRoute(CLOSE_PATH, showClosing, CLOSE_ACCOUNT.action),
  formRoute(CLOSE_ACCOUNT, {
    async submit({ app, caller, merchant, to }, { handle = '' }) {
      if (handle.trim().toLowerCase() !== merchant.handle) throw new FieldFault('handle', WORDS.ask.wrong)
      await closeAccount(app, caller, { merchant })
      return redirectDone(to(CLOSE_PATH), WORDS.ask.done)
    },
    showRefused: showClosing,
  }),
  formRoute(KEEP_ACCOUNT, {
    async submit({ app, caller, merchant, to }) {
      await keepAccountOpen(app, caller, merchant)
      return redirectDone(to(CLOSE_PATH), WORDS.closing.kept)
    },
    showRefused: showClosing,
  }),
  pageRoute('/settings/audit', showAudit, 'audit.read'),
]
