import { freezePlatform } from '../../../merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../merchants/account/set-merchant.ts'
import { askUnfreezeMerchant, askUnfreezePlatform } from '../../../operations/approvals/unfreeze.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { APPROVALS, FREEZE_TEXTS as TEXTS } from '../texts/approvals.ts'
import type { ConsoleRoute } from '../visit.ts'
import { ASK_UNFREEZE_FORM, ASK_UNFREEZE_MERCHANT_FORM, FREEZE_FORM, FREEZE_PATH, showFreeze } from './freeze-page.tsx'

/** The page of freezes. One person may stop live payouts; it takes two to let them run again. */
export const FREEZE_ROUTES: readonly ConsoleRoute[] = [
  pageRoute(FREEZE_PATH, showFreeze, 'console.read'),
  formRoute(FREEZE_FORM, {
    async submit({ gateway, caller, to }, { reason = '' }) {
      await freezePlatform(gateway, caller, reason)
      return redirectDone(to(FREEZE_PATH), TEXTS.done)
    },
    showRefused: showFreeze,
  }),
  formRoute(ASK_UNFREEZE_FORM, {
    async submit({ gateway, caller, to }, { reason = '' }) {
      const { id } = await askUnfreezePlatform(gateway, caller, reason)
      return redirectDone(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    showRefused: showFreeze,
  }),
  formRoute(ASK_UNFREEZE_MERCHANT_FORM, {
    async submit({ gateway, caller, params, to }, { reason = '' }) {
      const { app, merchant } = await getMerchantNamed(gateway, params.id ?? '')
      const { id } = await askUnfreezeMerchant(app, caller, { merchant, reason })
      return redirectDone(to(`/approvals/${id}`), APPROVALS.forms.asked)
    },
    showRefused: showFreeze,
  }),
]
